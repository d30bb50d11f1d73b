package main

import "C" // for the exports

import (
	"slices"
	"sync"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/dl"
)

// kernel is a pi_kernel, which has the arguments of its next launch. It holds a reference
// to its program.
type kernel struct {
	kernel  driver.Kernel
	params  []driver.Param
	program uintptr

	mu   sync.Mutex
	args []driver.Arg
	set  []bool
}

// Close releases the kernel, and its use of the program.
func (k *kernel) Close() error {
	err := k.kernel.Close()
	if p, err := objectOf[*program](k.program); err == nil {
		p.attached.Add(-1)
	}
	releaseHandle(k.program)
	return err
}

//export offlink_piKernelCreate
func offlink_piKernelCreate(handle, name uintptr, out *uintptr) int32 {
	return perform(func() error {
		p, err := linkedProgram(handle)
		if err != nil {
			return err
		}
		own, err := p.Kernel(dl.String(name))
		if err != nil {
			return err
		}
		k := &kernel{kernel: own, params: own.Params(), program: handle}
		k.args, k.set = make([]driver.Arg, len(k.params)), make([]bool, len(k.params))
		k.attach()
		*out = newHandle(k, contextOf(handle))
		return nil
	})
}

// attach counts the kernel among those of its program, and keeps the program in use.
func (k *kernel) attach() {
	retainHandle(k.program)
	if p, err := objectOf[*program](k.program); err == nil {
		p.attached.Add(1)
	}
}

// description is the kernel as its source has it, zero for a loaded program.
func (k *kernel) description() kernelDescription {
	p, err := objectOf[*program](k.program)
	if err != nil {
		return kernelDescription{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.described[k.kernel.Name()]
}

func onKernel(handle uintptr, f func(k *kernel) error) int32 {
	return perform(func() error {
		k, err := objectOf[*kernel](handle)
		if err != nil {
			return err
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		return f(k)
	})
}

// setArgument sets an argument of the next launch.
func (k *kernel) setArgument(index uint32, arg driver.Arg) error {
	if int64(index) >= int64(len(k.params)) {
		return failure(invalidArgIndex, "kernel %s has %d parameters; there is none of index %d", k.kernel.Name(), len(k.params), index)
	}
	p := k.params[index]
	if p.Kind == driver.ParamValue && p.Size != 0 && len(arg.Value) != p.Size {
		return failure(invalidArgSize, "parameter %d of kernel %s has %d bytes; %d were given", index, k.kernel.Name(), p.Size, len(arg.Value))
	}
	k.args[index], k.set[index] = arg, true
	return nil
}

// offlink_piKernelSetArg takes a buffer by its handle too: hosts set buffers of the back end
// opencl so, as clSetKernelArg does. A handle is never an address of the device.
//
//export offlink_piKernelSetArg
func offlink_piKernelSetArg(handle uintptr, index uint32, size uintptr, value unsafe.Pointer) int32 {
	return onKernel(handle, func(k *kernel) error {
		if value == nil {
			return k.setArgument(index, driver.Arg{LocalSize: int64(size)})
		}
		if int64(index) < int64(len(k.params)) && k.params[index].Kind == driver.ParamBuffer && size == unsafe.Sizeof(handle) {
			if b, err := objectOf[*buffer](*(*uintptr)(value)); err == nil {
				return k.setArgument(index, driver.Arg{Memory: b.memory, Offset: b.offset})
			}
		}
		return k.setArgument(index, driver.Arg{Value: slices.Clone(wordsAt((*byte)(value), int(size)))})
	})
}

// offlink_piextKernelSetArgPointer takes a pointer to the address, not the address.
//
//export offlink_piextKernelSetArgPointer
func offlink_piextKernelSetArgPointer(handle uintptr, index uint32, unused1 uintptr, value *uint64) int32 {
	return onKernel(handle, func(k *kernel) error {
		if value == nil {
			return k.setArgument(index, driver.Arg{Value: word64(0)})
		}
		return k.setArgument(index, driver.Arg{Value: word64(*value)})
	})
}

func setBuffer(handle uintptr, index uint32, memory *uintptr) int32 {
	return onKernel(handle, func(k *kernel) error {
		if memory == nil || *memory == 0 {
			return k.setArgument(index, driver.Arg{Value: word64(0)})
		}
		b, err := objectOf[*buffer](*memory)
		if err != nil {
			return err
		}
		return k.setArgument(index, driver.Arg{Memory: b.memory, Offset: b.offset})
	})
}

//export offlink_piextKernelSetArgMemObj
func offlink_piextKernelSetArgMemObj(handle uintptr, index uint32, unused1 unsafe.Pointer, memory *uintptr) int32 {
	return setBuffer(handle, index, memory)
}

// offlink_setBufferArgumentOld is piextKernelSetArgMemObj of the interface before 14.33,
// which has one parameter fewer.
//
//export offlink_setBufferArgumentOld
func offlink_setBufferArgumentOld(handle uintptr, index uint32, memory *uintptr) int32 {
	return setBuffer(handle, index, memory)
}

// offlink_piKernelSetExecInfo does nothing: kernels may follow every address of the
// device without being told.
//
//export offlink_piKernelSetExecInfo
func offlink_piKernelSetExecInfo(handle uintptr, unused1 uint32, unused2 uintptr, unused3 unsafe.Pointer) int32 {
	return onKernel(handle, func(*kernel) error { return nil })
}

const (
	kernelName       = 0x1190
	kernelReferences = 0x1192
	kernelContext    = 0x1193
	kernelProgram    = 0x1194
	kernelAttributes = 0x1195
)

//export offlink_piKernelGetInfo
func offlink_piKernelGetInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return onKernel(handle, func(k *kernel) error {
		var a answer
		switch param {
		case kernelName:
			a = textAnswer(k.kernel.Name())
		case cl.KernelNumArgs:
			a = word32(uint32(len(k.params)))
		case kernelReferences:
			a = word32(uint32(usesOf(handle)))
		case kernelContext:
			a = words64(int(contextOf(handle)))
		case kernelProgram:
			a = words64(int(k.program))
		case kernelAttributes:
			a = textAnswer(k.description().attributes)
		}
		return reply(a, param, room, out, size)
	})
}

//export offlink_piKernelGetGroupInfo
func offlink_piKernelGetGroupInfo(handle, unused1 uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return onKernel(handle, func(k *kernel) error {
		info := k.kernel.Info()
		var a answer
		switch param {
		case cl.KernelWorkGroupSize:
			a = words64(info.MaxGroup)
		case cl.KernelCompileWorkGroupSize:
			a = words64(info.RequiredGroup[:]...)
		case cl.KernelPreferredMultiple:
			a = words64(max(info.PreferredMultiple, 1))
		case cl.KernelLocalMemory:
			a = words64(int(info.LocalMemory))
		case cl.KernelPrivateMemory:
			a = words64(int(info.PrivateMemory))
		}
		return reply(a, param, room, out, size)
	})
}

const (
	kernelMaxSubGroups     = 0x11B9
	kernelCompileSubGroups = 0x11BA
)

//export offlink_piKernelGetSubGroupInfo
func offlink_piKernelGetSubGroupInfo(handle, unused1 uintptr, param uint32, unused2 uintptr, unused3 unsafe.Pointer, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return onKernel(handle, func(k *kernel) error {
		info := k.kernel.Info()
		var a answer
		switch param {
		case cl.KernelMaxSubGroupSizeForRange:
			a = word32(uint32(info.SubGroup))
		case cl.KernelCompileSubGroupSize:
			a = word32(uint32(info.RequiredSubGroup))
		case kernelMaxSubGroups:
			a = word32(uint32(info.MaxGroup / max(info.SubGroup, 1)))
		case kernelCompileSubGroups:
			a = word32(0)
		}
		return reply(a, param, room, out, size)
	})
}

//export offlink_piKernelRetain
func offlink_piKernelRetain(handle uintptr) int32 { return retainHandle(handle) }

//export offlink_piKernelRelease
func offlink_piKernelRelease(handle uintptr) int32 { return releaseHandle(handle) }

//export offlink_piextKernelGetNativeHandle
func offlink_piextKernelGetNativeHandle(handle uintptr, out *uintptr) int32 {
	return nativeHandle(handle, out)
}

// sizes are the numbers of a range, nil for a null pointer.
func sizes(at *uintptr, dimensions uint32) []int {
	var list []int
	for _, n := range wordsAt(at, int(dimensions)) {
		list = append(list, int(n))
	}
	return list
}

const (
	mostDimensions       = 3
	invalidGlobalSize    = -63
	invalidWorkDimension = -53
	invalidKernelArgs    = -52
	invalidGroupSize     = -54
	invalidItemSize      = -55
)

// checkLocal returns an error with OpenCL's code for a local size that the kernel cannot have:
// hosts that try sizes go on after these codes.
func (k *kernel) checkLocal(r *driver.Range) error {
	info, limits, items := k.kernel.Info(), device().Info().MaxWorkItems, 1
	for i, n := range r.Local {
		switch {
		case n < 1:
			return failure(invalidGroupSize, "a local size of %v", r.Local)
		case n > limits[i]:
			return failure(invalidItemSize, "a local size of %v; the device has at most %v", r.Local, limits)
		case !info.Uneven && r.Global[i]%n != 0:
			return failure(invalidGroupSize, "the local size %v does not divide the global size %v", r.Local, r.Global)
		case info.RequiredGroup[0] != 0 && n != info.RequiredGroup[i]:
			return failure(invalidGroupSize, "a local size of %v; kernel %s requires %v", r.Local, k.kernel.Name(), info.RequiredGroup)
		}
		items *= n
	}
	if items > info.MaxGroup {
		return failure(invalidGroupSize, "a local size of %v, %d work-items; kernel %s has at most %d", r.Local, items, k.kernel.Name(), info.MaxGroup)
	}
	return nil
}

// launchRange is the range of a launch, of a kernel that has all its arguments; k.mu is held.
func (k *kernel) launchRange(dimensions uint32, offset, global, local *uintptr) (driver.Range, error) {
	var r driver.Range
	if dimensions < 1 || dimensions > mostDimensions {
		return r, failure(invalidWorkDimension, "a range of %d dimensions", dimensions)
	}
	if global == nil {
		return r, failure(invalidGlobalSize, "a range without a global size")
	}
	if i := slices.Index(k.set, false); i >= 0 {
		return r, failure(invalidKernelArgs, "kernel %s: argument %d was not set", k.kernel.Name(), i)
	}
	r = driver.Range{Global: sizes(global, dimensions), Local: sizes(local, dimensions), Offset: sizes(offset, dimensions)}
	return r, k.checkLocal(&r)
}

//export offlink_piEnqueueKernelLaunch
func offlink_piEnqueueKernelLaunch(queue, handle uintptr, dimensions uint32, offset, global, local *uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, false}, func(q driver.Queue, s driver.Sync) error {
		k, err := objectOf[*kernel](handle)
		if err != nil {
			return err
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		r, err := k.launchRange(dimensions, offset, global, local)
		if err != nil {
			return err
		}
		return q.Launch(k.kernel, r, slices.Clone(k.args), s)
	})
}

// offlink_clGetKernelSuggestedLocalWorkSizeKHR stores the local size that a launch without
// one has.
//
//export offlink_clGetKernelSuggestedLocalWorkSizeKHR
func offlink_clGetKernelSuggestedLocalWorkSizeKHR(queue, handle uintptr, dimensions uint32, offset, global, out *uintptr) int32 {
	return onKernel(handle, func(k *kernel) error {
		if _, err := objectOf[driver.Queue](queue); err != nil {
			return err
		}
		r, err := k.launchRange(dimensions, offset, global, nil)
		switch {
		case err != nil:
			return err
		case slices.Contains(r.Global, 0):
			return failure(invalidGlobalSize, "the range %v has no work-items", r.Global)
		case out == nil:
			return failure(invalidValue, "there is no place for the local size")
		}
		local, err := k.kernel.(driver.LocalChooser).ChooseLocal(r)
		for i, n := range local {
			wordsAt(out, int(dimensions))[i] = uintptr(n)
		}
		return err
	})
}
