package main

import "C" // for the exports

import (
	"slices"
	"unsafe"

	"offlink/runtime/driver"
)

// mutableCommand is a cl_mutable_command_khr (cl_khr_command_buffer_mutable_dispatch 0.9.5): a
// launch of a command buffer whose arguments and range the host may change between uses. It
// lives as long as the command buffer.
type mutableCommand struct {
	buffer     uintptr
	kernel     uintptr // a copy of the host's, which has the arguments
	given      uintptr // the host's kernel
	launch     *recordedLaunch
	properties []uint64 // with the 0 at their end
}

// Codes, properties and queries of mutable commands.
const (
	invalidMutableCommand = -1141

	mutableFieldsProperty  = 0x12B1
	mutableAssertsProperty = 0x12B8

	mutableQueue      = 0x12A0
	mutableBuffer     = 0x12A1
	mutableProperties = 0x12A2
	mutableKernel     = 0x12A3
	mutableDimensions = 0x12A4
	mutableOffset     = 0x12A5
	mutableGlobal     = 0x12A6
	mutableLocal      = 0x12A7
	mutableType       = 0x12AD

	// CL_MUTABLE_DISPATCH_..._KHR: offset, global and local size, arguments, execution info.
	mutableCapabilities = 1<<5 - 1

	ndRangeKernel = 0x11F0 // CL_COMMAND_NDRANGE_KERNEL
)

// offlink_clMakeMutable makes the last command of a command buffer, a launch of the copy of a
// kernel, one that can be changed.
//
//export offlink_clMakeMutable
func offlink_clMakeMutable(handle, kernelHandle, given uintptr, properties *uint64, out *uintptr) int32 {
	return onCommandBuffer(handle, func(b *commandBuffer) error {
		m := &mutableCommand{buffer: handle, kernel: kernelHandle, given: given, launch: b.recorder.steps[len(b.recorder.steps)-1].launch}
		if properties != nil {
			m.properties = pairs(properties)
		}
		*out = newHandle(m, 0)
		b.uses = append(b.uses, *out)
		return nil
	})
}

// offlink_clCheckCommandProperties returns an error for properties of a command that are not known.
//
//export offlink_clCheckCommandProperties
func offlink_clCheckCommandProperties(properties *uint64) int32 {
	return perform(func() error {
		for pair := range slices.Chunk(pairs(properties), 2) {
			if len(pair) == 2 && pair[0] != mutableFieldsProperty && pair[0] != mutableAssertsProperty {
				return failure(invalidValue, "a command with the property %#x", pair[0])
			}
		}
		return nil
	})
}

// onMutable calls f with a command, under the lock of its command buffer.
func onMutable(handle uintptr, f func(m *mutableCommand, b *commandBuffer) error) int32 {
	m, err := objectOf[*mutableCommand](handle)
	if err != nil {
		return perform(func() error { return failure(invalidMutableCommand, "%v", err) })
	}
	return onCommandBuffer(m.buffer, func(b *commandBuffer) error { return f(m, b) })
}

// offlink_clBeginMutation returns the kernel that takes the new arguments of a command, which
// begins with those of the last change.
//
//export offlink_clBeginMutation
func offlink_clBeginMutation(buffer, handle uintptr, out *uintptr) int32 {
	return onMutable(handle, func(m *mutableCommand, b *commandBuffer) error {
		switch {
		case m.buffer != buffer:
			return failure(invalidMutableCommand, "the command is of another command buffer")
		case !b.finalized || !b.mutable:
			return failure(invalidOperation, "the command buffer is not finalized, or was not made to be changed")
		}
		k, err := objectOf[*kernel](m.kernel)
		if err != nil {
			return err
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.args = slices.Clone(m.launch.args)
		*out = m.kernel
		return nil
	})
}

// offlink_clEndMutation has the next uses of the command buffer launch the kernel with its
// arguments, and with a range that differs where the host says so.
//
//export offlink_clEndMutation
func offlink_clEndMutation(handle uintptr, dimensions uint32, offset, global, local *uintptr) int32 {
	return onMutable(handle, func(m *mutableCommand, _ *commandBuffer) error {
		k, err := objectOf[*kernel](m.kernel)
		if err != nil {
			return err
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		rng := m.launch.rng
		if dimensions != 0 && int(dimensions) != len(rng.Global) {
			return failure(invalidValue, "a range of %d dimensions for a launch of %d", dimensions, len(rng.Global))
		}
		for _, part := range []struct {
			given *uintptr
			to    *[]int
		}{{offset, &rng.Offset}, {global, &rng.Global}, {local, &rng.Local}} {
			if part.given != nil {
				*part.to = sizes(part.given, uint32(len(rng.Global)))
			}
		}
		if err := k.checkLocal(&rng); err != nil {
			return err
		}
		m.launch.rng, m.launch.args = rng, slices.Clone(k.args)
		return nil
	})
}

//export offlink_clGetMutableCommandInfo
func offlink_clGetMutableCommandInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return onMutable(handle, func(m *mutableCommand, b *commandBuffer) error {
		return reply(m.answerTo(param, b.queue), param, room, out, size)
	})
}

func (m *mutableCommand) answerTo(param uint32, queue uintptr) answer {
	rng := &m.launch.rng
	switch param {
	case mutableQueue:
		return words64(int(queue))
	case mutableBuffer:
		return words64(int(m.buffer))
	case mutableProperties:
		return propertyList(m.properties)
	case mutableKernel:
		return words64(int(m.given))
	case mutableDimensions:
		return word32(uint32(len(rng.Global)))
	case mutableOffset:
		return sizesAnswer(rng.Offset, rng)
	case mutableGlobal:
		return sizesAnswer(rng.Global, rng)
	case mutableLocal:
		return sizesAnswer(rng.Local, rng)
	case mutableType:
		return word32(ndRangeKernel)
	}
	return nil
}

// sizesAnswer is a part of a range, zeros for one that the host left out.
func sizesAnswer(list []int, rng *driver.Range) answer {
	if list == nil {
		list = make([]int, len(rng.Global))
	}
	return words64(list...)
}
