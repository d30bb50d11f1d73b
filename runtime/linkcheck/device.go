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

// code is a form of code that devices take.
type code struct {
	format string
	target func(string) bool
}

func oneOf(names ...string) func(string) bool {
	return func(target string) bool { return slices.Contains(names, target) }
}

// known is the devices by the names of selectors, with the code that the back ends take. Those
// without a back end are for plugins of DPC++'s runtime (piextDeviceSelectBinary).
var known = []struct {
	name string
	typ  driver.Type
	code []code
}{
	{"host:cpu", driver.CPU, []code{{"spirv", driver.SPIRVTarget}}},
	{"opencl:cpu", driver.CPU, []code{{"spirv", driver.SPIRVTarget}, {"native", oneOf("spir64_x86_64")}}},
	{"opencl:gpu", driver.GPU, []code{{"spirv", driver.SPIRVTarget}, {"native", oneOf("spir64_gen")}}},
	{"opencl:fpga", driver.Accelerator, []code{{"spirv", driver.SPIRVTarget}, {"native", oneOf("spir64_fpga")}}},
	{"level_zero:gpu", driver.GPU, []code{{"spirv", driver.SPIRVTarget}}},
	{"cuda:gpu", driver.GPU, []code{{"none", driver.CUDATarget}, {"native", driver.CUDATarget}}},
	{"hip:gpu", driver.GPU, []code{{"none", oneOf("amdgcn", "llvm_amdgcn")}, {"native", oneOf("amdgcn", "llvm_amdgcn")}}},
	{"native_cpu:cpu", driver.CPU, []code{{"none", oneOf("native_cpu")}, {"native", oneOf("native_cpu")}}},
}

// linking are the extension strings for linking: back ends link SPIR-V, and code for NVIDIA's
// GPUs, which needs no string. Code that was compiled for a device ahead of time they take alone.
var linking = []string{driver.LinkExtension("spir64")}

// targets are the targets of images for which a check can be made, with the type of device.
var targets = map[string]driver.Type{
	"spir64": "", "spir64_x86_64": driver.CPU, "spir64_gen": driver.GPU, "spir64_fpga": driver.Accelerator,
	"nvptx64": driver.GPU, "llvm_nvptx64": driver.GPU, "amdgcn": driver.GPU, "llvm_amdgcn": driver.GPU, "native_cpu": driver.CPU,
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
			return &Device{k.name, k.typ, linking, accepts(k.name, k.code)}, nil
		}
	}
	if typ, ok := targets[name]; ok {
		return &Device{name, typ, linking, func(img driver.Image) error {
			if img.Target != name {
				return fmt.Errorf("%s takes no code for %s", name, img.Target)
			}
			return nil
		}}, nil
	}
	return nil, fmt.Errorf("no device or target has that name; the devices are %s, the targets those of images, such as spir64", strings.Join(DeviceNames(), ", "))
}

// accepts is the Accepts of a device that takes some forms of code.
func accepts(device string, list []code) func(driver.Image) error {
	return func(img driver.Image) error {
		anyFormat := false
		for _, c := range list {
			if c.target(img.Target) && c.format == img.Format {
				return nil
			}
			anyFormat = anyFormat || c.target(img.Target)
		}
		switch {
		case !anyFormat:
			return fmt.Errorf("%s takes no code for %s", device, img.Target)
		case img.Target == "":
			return fmt.Errorf("%s takes no code in %s without a target", device, img.Format)
		}
		return fmt.Errorf("%s takes no code for %s in %s", device, img.Target, img.Format)
	}
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
		list = append(list, &Device{kind.Target, "", linking, accepts(kind.Target, []code{{kind.Format, oneOf(kind.Target)}})})
	}
	return list
}
