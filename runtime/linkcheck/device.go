package linkcheck

import (
	"fmt"
	"slices"
	"strings"

	"offlink/runtime/driver"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
)

// Device has the answers of a device that a launch needs. The device itself need not be
// there.
type Device struct {
	Name       string
	Type       driver.Type
	Extensions []string
	Accepts    func(driver.Image) error
}

// known is the devices by the names of selectors. The targets are those that
// the back ends of DPC++'s runtime take (piextDeviceSelectBinary).
var known = []struct {
	name    string
	typ     driver.Type
	targets []string
	formats []string
}{
	{"host:cpu", driver.CPU, []string{"spir64"}, []string{"spirv"}},
	{"opencl:cpu", driver.CPU, []string{"spir64", "spir64_x86_64"}, []string{"spirv", "native"}},
	{"opencl:gpu", driver.GPU, []string{"spir64", "spir64_gen"}, []string{"spirv", "native"}},
	{"opencl:fpga", driver.Accelerator, []string{"spir64", "spir64_fpga"}, []string{"spirv", "native"}},
	{"level_zero:gpu", driver.GPU, []string{"spir64", "spir64_gen"}, []string{"spirv", "native"}},
	{"cuda:gpu", driver.GPU, []string{"nvptx64", "llvm_nvptx64"}, []string{"native", "llvmbc", "none"}},
	{"hip:gpu", driver.GPU, []string{"amdgcn", "llvm_amdgcn"}, []string{"native", "none"}},
	{"native_cpu:cpu", driver.CPU, []string{"native_cpu"}, []string{"native", "none"}},
}

// DeviceNames lists the names that FindDevice takes besides targets.
func DeviceNames() (list []string) {
	for _, k := range known {
		list = append(list, k.name)
	}
	return list
}

// FindDevice returns the device of a selector, such as opencl:gpu, or one that
// takes exactly one target, such as spir64_gen.
func FindDevice(name string) (*Device, error) {
	for _, k := range known {
		if k.name == name || strings.HasPrefix(k.name, name+":") {
			return newDevice(k.name, k.typ, k.targets, k.formats), nil
		}
	}
	for _, k := range known {
		if slices.Contains(k.targets, name) {
			return newDevice(name, k.typ, []string{name}, nil), nil
		}
	}
	return nil, fmt.Errorf("no device or target has that name; the devices are %s, the targets those of images, such as spir64", strings.Join(DeviceNames(), ", "))
}

// newDevice returns a device that takes images of the targets in the formats; nil formats
// stand for any.
func newDevice(name string, typ driver.Type, targets, formats []string) *Device {
	d := &Device{Name: name, Type: typ}
	for _, target := range targets {
		if extension := driver.LinkExtension(target); extension != "" {
			d.Extensions = append(d.Extensions, extension)
		}
	}
	d.Accepts = func(img driver.Image) error {
		switch {
		case !slices.Contains(targets, img.Target):
			return fmt.Errorf("%s takes no code for %s", name, img.Target)
		case formats != nil && !slices.Contains(formats, img.Format):
			return fmt.Errorf("%s takes no code in %s", name, img.Format)
		}
		return nil
	}
	return d
}

// eachTarget returns a device for each pair of target and format that images
// have, in their order.
func eachTarget(images []*registry.Image) (list []*Device) {
	seen := make(map[driver.Image]bool)
	for _, img := range images {
		kind := resolve.DriverImage(img)
		if seen[kind] {
			continue
		}
		seen[kind] = true
		list = append(list, newDevice(kind.Target, "", []string{kind.Target}, []string{kind.Format}))
	}
	return list
}
