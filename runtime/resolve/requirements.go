package resolve

import (
	"encoding/binary"
	"fmt"
	"slices"

	"offlink/props"
	"offlink/runtime/driver"
	"offlink/runtime/registry"
)

// aspects are SYCL's numbers of the aspects that every back end reports of its devices
// (sycl/info/aspects.def). Whether a device has another one that an image requires is not known,
// and left to its compiler.
var aspects = map[uint32]string{
	1: "cpu", 2: "gpu", 3: "accelerator", 5: "fp16", 6: "fp64",
	13: "usm_device_allocations", 14: "usm_host_allocations", 15: "usm_shared_allocations", 17: "usm_system_allocations",
	25: "usm_atomic_host_allocations", 26: "usm_atomic_shared_allocations", 27: "atomic64",
}

// accepts returns nil, or why the device cannot take the image: for its form, or for a
// requirement.
func (q *Request) accepts(img *registry.Image) error {
	if err := q.Accepts(DriverImage(img)); err != nil || q.Info == nil {
		return err
	}
	return unmetRequirement(img.Properties.Get(props.SetDeviceRequirements), q.Info)
}

// unmetRequirement returns the first of an image's requirements (SYCL/device requirements) that
// a device does not meet. A property that the device does not report counts as met.
func unmetRequirement(set *props.Set, device *driver.Info) error {
	if set == nil {
		return nil
	}
	for _, number := range requiredNumbers(set, "aspects", 4) {
		if name := aspects[uint32(number)]; name != "" && !device.HasAspect(name) {
			return fmt.Errorf("it requires the aspect %s, which the device lacks", name)
		}
	}
	if err := unmetGroup(requiredGroup(set), device); err != nil {
		return err
	}
	size, ok := set.Get("reqd_sub_group_size")
	if ok && size.Type() == props.TypeUint32 && device.SubGroupSizes != nil && !slices.Contains(device.SubGroupSizes, int(size.Uint32())) {
		return fmt.Errorf("it requires sub-groups of %d work-items, and the device has %v", size.Uint32(), device.SubGroupSizes)
	}
	return nil
}

// requiredGroup returns the size of work-groups, in the form of 2024 and later or the older one.
func requiredGroup(set *props.Set) []uint64 {
	if sizes := requiredNumbers(set, "reqd_work_group_size_uint64_t", 8); sizes != nil {
		return sizes
	}
	return requiredNumbers(set, "reqd_work_group_size", 4)
}

// unmetGroup compares a required size of work-groups with the limits of the device, of which 0 is
// one that it does not report. The dimensions of the two may be in different orders.
func unmetGroup(sizes []uint64, device *driver.Info) error {
	largest := uint64(slices.Max(device.MaxWorkItems[:]))
	items := uint64(1)
	for _, size := range sizes {
		if largest != 0 && size > largest {
			return fmt.Errorf("it requires work-groups of %d work-items in one dimension, and the device takes %d", size, largest)
		}
		if limit := uint64(device.MaxWorkGroup); limit != 0 && size != 0 && items > limit/size {
			return fmt.Errorf("it requires work-groups of %s work-items, and the device takes %d", spellProduct(sizes), limit)
		}
		items *= size
	}
	return nil
}

func spellProduct(sizes []uint64) (text string) {
	for i, size := range sizes {
		if i > 0 {
			text += " x "
		}
		text += fmt.Sprint(size)
	}
	return text
}

// requiredNumbers returns the little-endian numbers that a property has, each of so many bytes, or
// nil if it is absent or has another form.
func requiredNumbers(set *props.Set, name string, bytes int) (list []uint64) {
	value, ok := set.Get(name)
	if !ok || value.Type() != props.TypeByteArray || len(value.Data())%bytes != 0 {
		return nil
	}
	for data := value.Data(); len(data) > 0; data = data[bytes:] {
		if bytes == 4 {
			list = append(list, uint64(binary.LittleEndian.Uint32(data)))
		} else {
			list = append(list, binary.LittleEndian.Uint64(data))
		}
	}
	return list
}
