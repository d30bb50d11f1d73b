package main

/*
#cgo CFLAGS: -I${SRCDIR}/../libofflink -I${SRCDIR}/../../include
#include "mailbox.h"
*/
import "C"

import (
	"unsafe"

	"offlink/runtime"
	"offlink/runtime/driver"
)

// deviceList lists the selectors of all devices.
func deviceList(s *session, c *C.struct_offlink_call) error {
	devices, err := s.runtime.Devices()
	if err != nil {
		return err
	}
	var list []string
	for _, d := range devices {
		s.growth.noteStep(d, driverOpened)
		list = append(list, d.String())
	}
	array, err := stringArray(list)
	if err == nil {
		c.names, c.count = array, C.size_t(len(list))
	}
	return err
}

func queryDevice(s *session, c *C.struct_offlink_call) (err error) {
	d, err := lookupHandle[*runtime.Device](&s.handles, uint64(c.object), "device")
	if err != nil {
		return err
	}
	c.address, err = fillBlock(func(b *block) { fillDevice(b, d) })
	return err
}

func fillDevice(b *block, d *runtime.Device) {
	i := d.Info()
	to := (*C.offlink_device_info)(b.takeRoom(unsafe.Sizeof(C.offlink_device_info{})))
	if to == nil {
		// fillBlock runs this twice: first without memory, to count the bytes,
		// and then into it. The block is one allocation, which C frees at once.
		to = new(C.offlink_device_info)
	}
	to.size = C.size_t(unsafe.Sizeof(*to))
	fillDeviceTexts(b, to, d, &i)
	fillDeviceSizes(b, to, &i)
	to.vendor_id, to.compute_units = C.uint32_t(i.VendorID), C.uint32_t(i.ComputeUnits)
	to.clock_mhz, to.address_bits = C.uint32_t(i.ClockMHz), C.uint32_t(i.AddressBits)
	v := i.VectorWidths
	for _, width := range []struct {
		to *C.uint32_t
		n  int
	}{
		{&to.vector_char, v.Char},
		{&to.vector_short, v.Short},
		{&to.vector_int, v.Int},
		{&to.vector_long, v.Long},
		{&to.vector_half, v.Half},
		{&to.vector_float, v.Float},
		{&to.vector_double, v.Double},
	} {
		*width.to = C.uint32_t(width.n)
	}
	to.half_config, to.single_config, to.double_config = C.uint32_t(i.Half), C.uint32_t(i.Single), C.uint32_t(i.Double)
	to.timer_resolution = C.uint32_t(i.TimerResolution)
	to.big_endian, to.host_unified = C.uint32_t(cBool(i.BigEndian)), C.uint32_t(cBool(i.HostUnified))
	to.local_is_dedicated = C.uint32_t(cBool(i.LocalIsDedicated))
	to.error_correction, to.out_of_order = C.uint32_t(cBool(i.ErrorCorrection)), C.uint32_t(cBool(i.OutOfOrder))
}

func fillDeviceTexts(b *block, to *C.offlink_device_info, d *runtime.Device, i *driver.Info) {
	to.selector, to.backend, to._type = b.putText(d.String()), b.putText(d.Backend), b.putText(string(i.Type))
	to.name, to.vendor, to.version = b.putText(i.Name), b.putText(i.Vendor), b.putText(i.Version)
	to.driver_version = b.putText(i.DriverVersion)
	to.platform, to.platform_version = b.putText(i.Platform), b.putText(i.PlatformVersion)
	to.formats, to.il_versions = b.putTexts(i.Formats), b.putTexts(i.ILVersions)
	to.extensions, to.aspects = b.putTexts(i.Extensions), b.putTexts(i.Aspects)
}

func fillDeviceSizes(b *block, to *C.offlink_device_info, i *driver.Info) {
	to.global_memory, to.local_memory = C.uint64_t(i.GlobalMemory), C.uint64_t(i.LocalMemory)
	to.max_allocation, to.constant_memory = C.uint64_t(i.MaxAllocation), C.uint64_t(i.ConstantMemory)
	to.cache_size, to.printf_buffer = C.uint64_t(i.CacheSize), C.uint64_t(i.PrintfBuffer)
	to.max_work_group = C.size_t(i.MaxWorkGroup)
	for n := range i.MaxWorkItems {
		to.max_work_items[n], to.max_groups[n] = C.size_t(i.MaxWorkItems[n]), C.size_t(i.MaxGroups[n])
	}
	to.max_sub_groups, to.max_parameters = C.size_t(i.MaxSubGroups), C.size_t(i.MaxParameterSize)
	to.sub_group_sizes, to.sub_group_size_count = b.putSizes(i.SubGroupSizes), C.size_t(len(i.SubGroupSizes))
	to.memory_alignment, to.cache_line = C.size_t(i.MemoryAlignment), C.size_t(i.CacheLine)
}

func queryKernel(s *session, c *C.struct_offlink_call) error {
	k, err := lookupHandle[*kernel](&s.handles, uint64(c.object), "kernel")
	if err != nil {
		return err
	}
	c.address, err = fillBlock(func(b *block) { fillKernel(b, k) })
	return err
}

func fillKernel(b *block, k *kernel) {
	to := (*C.offlink_kernel_info)(b.takeRoom(unsafe.Sizeof(C.offlink_kernel_info{})))
	if to == nil {
		to = new(C.offlink_kernel_info)
	}
	i := k.Info()
	to.size, to.name = C.size_t(unsafe.Sizeof(*to)), b.putText(k.Name)
	for n, size := range i.RequiredGroup {
		to.required_group[n] = C.size_t(size)
	}
	to.max_group, to.preferred_multiple = C.size_t(i.MaxGroup), C.size_t(i.PreferredMultiple)
	to.local_memory, to.private_memory = C.uint64_t(i.LocalMemory), C.uint64_t(i.PrivateMemory)
	to.sub_group, to.required_sub_group = C.size_t(i.SubGroup), C.size_t(i.RequiredSubGroup)
	to.parameter_count = C.size_t(len(k.Params))
	// The list has pointers and not structs, so that a later version may append fields
	// to a parameter.
	list := b.takeRoom(uintptr(len(k.Params)) * unsafe.Sizeof(uintptr(0)))
	to.parameters = (**C.offlink_parameter)(list)
	for n := range k.Params {
		parameter := fillParameter(b, &k.Params[n])
		if list != nil {
			*(**C.offlink_parameter)(unsafe.Add(list, uintptr(n)*unsafe.Sizeof(parameter))) = parameter
		}
	}
}

// parameterKinds are the kinds of offlink.h.
var parameterKinds = map[driver.ParamKind]C.int{
	driver.ParamValue:  C.OFFLINK_ARG_VALUE,
	driver.ParamBuffer: C.OFFLINK_ARG_BUFFER,
	driver.ParamLocal:  C.OFFLINK_ARG_LOCAL,
	driver.ParamOther:  C.OFFLINK_ARG_OTHER,

	// The C interface has no images yet.
	driver.ParamImage:   C.OFFLINK_ARG_OTHER,
	driver.ParamSampler: C.OFFLINK_ARG_OTHER,
	driver.ParamUnknown: C.OFFLINK_ARG_UNKNOWN,
}

func fillParameter(b *block, p *runtime.Param) *C.offlink_parameter {
	described := C.offlink_parameter{
		kind: parameterKinds[p.Kind], removed: cBool(p.Removed), size: C.size_t(p.Size),
		_type: b.putText(p.Type), name: b.putText(p.Name),
	}
	return putStruct(b, &described)
}

// functionPointer stores a pointer to a function for a kernel.
func functionPointer(s *session, c *C.struct_offlink_call) error {
	k, err := lookupHandle[*kernel](&s.handles, uint64(c.object), "kernel")
	if err != nil {
		return err
	}
	pointer, err := k.FunctionPointer(C.GoString(c.text))
	c.number = C.uint64_t(pointer)
	return err
}
