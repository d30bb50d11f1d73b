package main

import (
	"io"
	"slices"

	"offlink/runtime/devicelib"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
	"offlink/spirv"
	"offlink/wrapper"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// fileImages is the images of a file, to find those that an image imports from.
type fileImages struct {
	snapshot *registry.Snapshot
	resolver resolve.Resolver
}

func newFileImages(name string, located []wrapper.Located) *fileImages {
	var images []*devimg.Image
	for i := range located {
		images = append(images, container.Lazy(&located[i].Image))
	}
	var r registry.Registry
	r.Add(registry.Owner{Name: name}, images)
	return &fileImages{snapshot: r.Snapshot()}
}

// importedBy is imported for one image.
func (f *fileImages) importedBy(i int) func(driver.Device) ([]driver.Module, error) {
	return func(d driver.Device) ([]driver.Module, error) { return f.imported(i, d) }
}

// imported returns the code of the images that image i needs besides itself, those of the
// device library included, as a launch would find them.
func (f *fileImages) imported(i int, device driver.Device) (list []driver.Module, err error) {
	info := device.Info()
	request := resolve.Request{
		Accepts: device.Accepts, DeviceType: info.Type, Extensions: info.Extensions,
		Native:  func(symbol string) bool { return devicelib.Native(symbol, info.Extensions) },
		Library: devicelib.Image,
	}
	needed := []*registry.Image{f.snapshot.Images[i]}
	defer func() { f.resolver.ForgetCode(needed) }()
	for at := 0; at < len(needed); at++ {
		imports, err := f.resolver.Imports(f.snapshot, needed[at], request)
		if err != nil {
			return nil, err
		}
		for _, im := range imports {
			if im.Exporter != nil && !slices.Contains(needed, im.Exporter) {
				needed = append(needed, im.Exporter)
			}
		}
	}
	for _, img := range needed[1:] {
		code, err := devimg.ReadCode(img.Code)
		if err != nil {
			return nil, err
		}
		list = append(list, driver.Module{Name: img.String(), Image: resolve.DriverImage(img), Code: code})
	}
	return list, nil
}

// linkedCode reads the code of the kernel's image, linked with that of the images which
// it imports from, so that every device gets the same module.
func (c candidate) linkedCode() ([]byte, error) {
	code, err := c.readCode()
	if err != nil || c.imported == nil {
		return code, err
	}
	devices, err := hostdev.New(hostdev.Options{Output: io.Discard}).Devices()
	if err != nil {
		return nil, err
	}
	more, err := c.imported(devices[0])
	if err != nil || len(more) == 0 {
		return code, err
	}
	var inputs []spirv.Input
	for _, m := range append([]driver.Module{{Name: "image", Code: code}}, more...) {
		module, err := spirv.Parse(m.Code)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, spirv.Input{Name: m.Name, Module: module})
	}
	// The devices provide the rest.
	linked, err := spirv.Link(inputs, spirv.LinkOptions{KeepExports: true, AllowUnresolved: true})
	if err != nil {
		return nil, err
	}
	return linked.Bytes(), nil
}
