package main

import "C" // for the exports

import (
	"runtime"
	"slices"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/dl"
)

// The functions of OpenCL that the plugin interface lacks, and those that differ from its
// own. opencl_*.c call them with the handles of this library.

// command is the queue and the type of an event's command.
type command struct {
	queue uintptr
	kind  uint32 // CL_COMMAND_..., 0 for an event without one
}

// offlink_clNoteCommand records the command of an event that a queue made.
//
//export offlink_clNoteCommand
func offlink_clNoteCommand(event, queue uintptr, kind uint32) {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	if entry := handles.objects[event]; entry != nil {
		entry.command = command{queue, kind}
	}
}

func commandOf(event uintptr) command {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	if entry := handles.objects[event]; entry != nil {
		return entry.command
	}
	return command{}
}

// offlink_clAtEnd has the host's function called after the end of an object, with the
// object's native handle, which is not valid any more then.
//
//export offlink_clAtEnd
func offlink_clAtEnd(handle, native, callback, user uintptr) int32 {
	return perform(func() error {
		handles.mu.Lock()
		defer handles.mu.Unlock()
		entry := handles.objects[handle]
		if entry == nil || callback == 0 {
			return failure(invalidValue, "%#x is not a handle, or there is no function", handle)
		}
		entry.ended = append(entry.ended, func() { dl.Call(callback, native, user) })
		return nil
	})
}

// offlink_clKeepProperties keeps the properties that a context was made with.
//
//export offlink_clKeepProperties
func offlink_clKeepProperties(handle uintptr, properties *uintptr) int32 {
	return perform(func() error {
		c, err := objectOf[*deviceContext](handle)
		if err == nil && properties != nil {
			c.properties = pairs(properties)
		}
		return err
	})
}

// offlink_clMemFill repeats a pattern of any length that OpenCL has. The plugin interface
// has single bytes alone.
//
//export offlink_clMemFill
func offlink_clMemFill(queue, to uintptr, pattern unsafe.Pointer, length, size uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, false}, func(q driver.Queue, s driver.Sync) error {
		if pattern == nil || length == 0 || length > 128 || length&(length-1) != 0 || size%length != 0 {
			return failure(invalidValue, "%d bytes cannot be filled with a pattern of %d", size, length)
		}
		bytes := slices.Clone(wordsAt((*byte)(pattern), int(length)))
		if p, ok := device().Pointer(uint64(to)); ok {
			return q.Fill(p.Memory, p.Offset, int64(size), bytes, s)
		}
		return afterBarrier(q, s, func() {
			for data := dl.Bytes(to, int(size)); len(data) > 0; data = data[length:] {
				copy(data, bytes)
			}
		})
	})
}

// offlink_clSVMFree frees allocations after the commands before, and then calls the host's
// function, unless it has none: then the addresses are freed here.
//
//export offlink_clSVMFree
func offlink_clSVMFree(queue, native uintptr, number uint32, addresses *uintptr, callback, user uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, false}, func(q driver.Queue, s driver.Sync) error {
		own := slices.Clone(wordsAt(addresses, int(number)))
		return afterBarrier(q, s, func() {
			if callback == 0 {
				for _, address := range own {
					offlink_piextUSMFree(0, address)
				}
				return
			}
			dl.Call(callback, native, uintptr(number), uintptr(unsafe.Pointer(unsafe.SliceData(own))), user)
			runtime.KeepAlive(own)
		})
	})
}

// Queries of memory objects (cl.h).
const (
	memoryType       = 0x1100
	memorySize       = cl.MemSize
	memoryFlags      = 0x1101
	memoryHost       = 0x1103
	memoryMaps       = 0x1104
	memoryReferences = 0x1105
	memoryParent     = 0x1107
	memoryOffset     = 0x1108
	memoryUsesSVM    = 0x1109
	memoryProperties = 0x110A
	bufferType       = 0x10F0
)

func (b *buffer) memoryAnswer(handle uintptr, param uint32) answer {
	switch param {
	case memorySize:
		return words64(int(b.size))
	case memoryType:
		return word32(bufferType)
	case memoryOffset:
		return words64(int(b.offset))
	}
	return commonAnswer(handle, param, b.flags, b.host, b.parent, b.count())
}

// commonAnswer answers the queries whose answers buffers and images have alike.
func commonAnswer(handle uintptr, param uint32, flags uint64, host, parent uintptr, maps int) answer {
	switch param {
	case memoryContext:
		return words64(int(contextOf(handle)))
	case memoryFlags:
		return word64(flags)
	case memoryHost:
		return words64(int(host))
	case memoryMaps:
		return word32(uint32(maps))
	case memoryReferences:
		return word32(uint32(usesOf(handle)))
	case memoryParent:
		return words64(int(parent))
	case memoryUsesSVM:
		_, ok := device().Pointer(uint64(host))
		return flag(ok && host != 0)
	case memoryProperties:
		return answer{}
	}
	return nil
}

// Queries of programs and kernels (cl.h).
const (
	programSource      = 0x1164
	programCode        = 0x1169
	kernelArgAccess    = 0x1197
	kernelArgQualifier = 0x1199
	argInfoUnknown     = -19 // CL_KERNEL_ARG_INFO_NOT_AVAILABLE
)

//export offlink_clGetKernelArgInfo
func offlink_clGetKernelArgInfo(handle uintptr, index, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return onKernel(handle, func(k *kernel) error {
		if int64(index) >= int64(len(k.params)) {
			return failure(invalidArgIndex, "kernel %s has %d parameters; there is none of index %d", k.kernel.Name(), len(k.params), index)
		}
		p := k.params[index]
		d := argDescription{address: addressQualifier(p.Kind), access: accessNone}
		if args := k.description().args; int64(index) < int64(len(args)) {
			d = args[index]
		}
		var a answer
		switch {
		case param == cl.KernelArgAddressQualifier:
			a = word32(d.address)
		case param == kernelArgAccess:
			a = word32(d.access)
		case param == kernelArgQualifier:
			a = word64(d.qualifiers)
		case param == cl.KernelArgTypeName && d.namesType:
			a = textAnswer(d.typeName)
		case param == cl.KernelArgName && d.named:
			a = textAnswer(d.name)
		case param == cl.KernelArgTypeName || param == cl.KernelArgName:
			return failure(argInfoUnknown, "the program does not name the parameters of kernel %s", k.kernel.Name())
		}
		return reply(a, param, room, out, size)
	})
}

func addressQualifier(kind driver.ParamKind) uint32 {
	switch kind {
	case driver.ParamBuffer, driver.ParamImage:
		return addressGlobal
	case driver.ParamLocal:
		return addressLocal
	}
	return addressPrivate
}

// offlink_clSetKernelArg takes buffers by their native handles: a parameter that points to
// global memory tells which values are handles.
//
//export offlink_clSetKernelArg
func offlink_clSetKernelArg(handle uintptr, index uint32, size uintptr, value unsafe.Pointer) int32 {
	var kind driver.ParamKind
	code := onKernel(handle, func(k *kernel) error {
		if int64(index) < int64(len(k.params)) {
			kind = k.params[index].Kind
		}
		return nil
	})
	if code != success {
		return code
	}
	switch kind {
	case driver.ParamValue, driver.ParamLocal:
		return setPlain(handle, index, kind, size, value)
	case driver.ParamImage, driver.ParamSampler:
		return setImageArgument(handle, index, kind, size, value)
	}
	if size != unsafe.Sizeof(handle) {
		return perform(func() error {
			return failure(invalidArgSize, "argument %d has %d bytes; it is a buffer", index, size)
		})
	}
	var memory uintptr
	if value != nil && *(*uintptr)(value) != 0 {
		memory = offlink_handle_of(*(*uintptr)(value))
		if memory == 0 {
			return perform(func() error { return failure(invalidMemory, "argument %d is not a buffer of this device", index) })
		}
	}
	return setBuffer(handle, index, &memory)
}

// offlink_clCloneKernel makes a kernel with the arguments of another.
//
//export offlink_clCloneKernel
func offlink_clCloneKernel(handle uintptr, out *uintptr) int32 {
	return onKernel(handle, func(k *kernel) error {
		p, err := linkedProgram(k.program)
		if err != nil {
			return err
		}
		own, err := p.Kernel(k.kernel.Name())
		if err != nil {
			return err
		}
		copied := &kernel{kernel: own, params: own.Params(), program: k.program, args: slices.Clone(k.args), set: slices.Clone(k.set)}
		copied.attach()
		*out = newHandle(copied, contextOf(handle))
		return nil
	})
}

// Queries of sub-groups (cl.h).
const (
	subGroupCount    = 0x2034
	localSizeOfCount = 0x11B8
)

// offlink_clGetKernelSubGroupInfo returns numbers of 64 bits, where the plugin interface
// has 32.
//
//export offlink_clGetKernelSubGroupInfo
func offlink_clGetKernelSubGroupInfo(handle uintptr, param uint32, given uintptr, input *uintptr, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return onKernel(handle, func(k *kernel) error {
		info := k.kernel.Info()
		width := max(info.SubGroup, 1)
		words := wordsAt(input, int(given/unsafe.Sizeof(given)))
		var a answer
		switch param {
		case cl.KernelMaxSubGroupSizeForRange:
			a = words64(width)
		case subGroupCount:
			items := 1
			for _, n := range words {
				items *= int(n)
			}
			a = words64((items + width - 1) / width)
		case localSizeOfCount:
			a = words64(localSizeFor(words, width, info.MaxGroup, int(room/unsafe.Sizeof(room)))...)
		case kernelMaxSubGroups:
			a = words64(info.MaxGroup / width)
		case kernelCompileSubGroups:
			a = words64(0)
		case cl.KernelCompileSubGroupSize:
			a = words64(info.RequiredSubGroup)
		}
		return reply(a, param, room, out, size)
	})
}

// localSizeFor is a local size with so many sub-groups, zeros if there is none.
func localSizeFor(wanted []uintptr, width, most, dimensions int) []int {
	list := slices.Repeat([]int{1}, max(1, min(dimensions, mostDimensions)))
	if len(wanted) == 0 || int(wanted[0])*width > most {
		clear(list)
		return list
	}
	list[0] = int(wanted[0]) * width
	return list
}

// offlink_clSharedAlloc allocates shared memory that belongs to no device of its own.
//
//export offlink_clSharedAlloc
func offlink_clSharedAlloc(out *uintptr, size uintptr) int32 {
	return allocateUSM(out, deviceHandle, driver.SharedMemory, size)
}
