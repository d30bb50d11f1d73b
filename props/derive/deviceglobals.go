package derive

import (
	"fmt"
	"strconv"

	"offlink/ir"
	"offlink/ir/sycl"
	"offlink/props"
)

// uniqueID returns the name by which the host finds a variable.
func (i *image) uniqueID(id ir.ValueID) string {
	unique, _ := i.Module.Attribute(id, sycl.AttributeUniqueID)
	return unique
}

// deviceGlobals gives the size in bytes of each device_global variable that
// the image has, and whether one image only may have it, by unique id: the
// host's variable and the device's are different symbols.
func (i *image) deviceGlobals() error {
	for id, v := range i.eachVariable {
		if !i.Graph.IsDeviceGlobal(id) {
			continue
		}
		if err := i.deviceGlobal(id, v); err != nil {
			return err
		}
	}
	return nil
}

// deviceGlobal writes the entry of one variable: two 32-bit words, its size and 1 if
// its value belongs to the image.
func (i *image) deviceGlobal(id ir.ValueID, v *ir.GlobalValue) error {
	size, err := i.attributeNumber(id, sycl.AttributeDeviceGlobalSize, i.Graph.DeviceGlobalSize(id))
	if err != nil {
		return err
	}
	scope := uint32(0)
	if i.Graph.HasImageScope(id) {
		scope = 1
	}
	unique := i.uniqueID(id)
	if unique == "" {
		return fmt.Errorf("the device_global variable @%s has no attribute %q, by which the host names it", v.Name, sycl.AttributeUniqueID)
	}
	i.putProperty(props.SetDeviceGlobals, unique, props.Uint32s(size, scope))
	return nil
}

// attributeNumber returns the number that is the text of an attribute. One that is missing or not a number is an error, as 0 would have the runtime
// allocate nothing.
func (i *image) attributeNumber(id ir.ValueID, attribute, text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("@%s: the attribute %q is %q, want a number", i.valueOf(id).Name, attribute, text)
	}
	return uint32(n), nil
}

// hostPipes gives the size in bytes of an element of each host pipe.
func (i *image) hostPipes() error {
	for id := range i.eachVariable {
		if _, ok := i.Module.Attribute(id, sycl.AttributeHostPipe); !ok {
			continue
		}
		text, _ := i.Module.Attribute(id, sycl.AttributeHostPipeSize)
		size, err := i.attributeNumber(id, sycl.AttributeHostPipeSize, text)
		if err != nil {
			return err
		}
		i.putProperty(props.SetHostPipes, i.uniqueID(id), props.Uint32s(size))
	}
	return nil
}
