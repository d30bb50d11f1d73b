package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"offlink/runtime/cache"
	"offlink/runtime/driver"
	"offlink/runtime/resolve"
)

// version is set by the linker (-X offlink/runtime.version=...).
var version string

// ownBuild returns a digest that identifies this build of offlink: another one may build
// programs differently.
var ownBuild = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return buildDigest(info, version)
})

// buildDigest is the same for devrun and for the C library of one build, which find each
// other's programs: the settings and modules of commands alone do not count.
func buildDigest(info *debug.BuildInfo, version string) string {
	list := []string{version, info.GoVersion, info.Main.Version}
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "GO") || strings.HasPrefix(s.Key, "vcs.") {
			list = append(list, s.Key+"="+s.Value)
		}
	}
	for _, m := range info.Deps {
		if !strings.HasPrefix(m.Path, "github.com/spf13/") { // the options of commands
			list = append(list, m.Path+" "+m.Version)
		}
	}
	return cache.Digest([]byte(strings.Join(list, "\n")))
}

// cacheInputs returns everything that the program depends on, in the order of the link. It
// is nil if the program is not kept, with the reason in b.uncached. The names of files do
// not count.
func (b *builder) cacheInputs() (cache.Inputs, error) {
	_, loads := b.device.Device.(driver.BinaryLoader)
	switch {
	case b.runtime.options.Cache == nil:
		b.uncached = "SYCL_CACHE_PERSISTENT is not set"
		return nil, nil
	case !loads || b.startsNative():
		b.uncached = fmt.Sprintf("%v cannot store programs", b.device)
		return nil, nil
	}
	i := b.device.Info()
	in := cache.Inputs{
		{Name: "offlink", Value: ownBuild()},
		{Name: "back end", Value: b.device.Backend},
		{Name: "platform", Value: i.Platform + " " + i.PlatformVersion},
		{Name: "device", Value: i.Vendor + " " + i.Name + " " + i.Version},
		{Name: "driver", Value: i.DriverVersion},
		{Name: "link options", Value: b.runtime.options.linkOptions(b.link.Images[0])},
	}
	size := int64(0)
	for n, img := range b.link.Images {
		code, err := b.link.Code(n)
		if err != nil {
			return nil, err
		}
		size += int64(len(code))
		name := fmt.Sprintf("image %d", n)
		in = append(in,
			cache.Input{Name: name, Value: cache.Digest(code)},
			cache.Input{Name: name + " target", Value: img.Target + " " + resolve.DriverImage(img).Format},
			cache.Input{Name: name + " options", Value: b.runtime.options.compileOptions(img)},
			cache.Input{Name: name + " hints", Value: fmt.Sprintf("%+v", b.runtime.options.compileHints(img))},
			cache.Input{Name: name + " specialization constants", Value: b.specs[n]})
	}
	if !b.runtime.options.Cache.StoresImages(size) {
		b.uncached = fmt.Sprintf("the device images have %d bytes, outside SYCL_CACHE_MIN_DEVICE_IMAGE_SIZE to SYCL_CACHE_MAX_DEVICE_IMAGE_SIZE", size)
		return nil, nil
	}
	return in, nil
}

// loadCached returns the program from the cache, nil if it has none that the device
// takes.
func (b *builder) loadCached(ctx context.Context, in cache.Inputs) driver.Program {
	if in == nil {
		return nil
	}
	binary, ok := b.runtime.options.Cache.Get(in)
	if !ok {
		return nil
	}
	p, err := b.device.Device.(driver.BinaryLoader).LoadBinary(ctx, binary)
	if err != nil {
		return nil // the device takes its own binary no more: it is built again
	}
	return p
}

// keepBinary stores a program that was built.
func (b *builder) keepBinary(in cache.Inputs, p driver.Program) {
	source, ok := p.(driver.BinaryProgram)
	if in == nil || !ok {
		return
	}
	if binary, err := source.Binary(); err == nil {
		b.runtime.options.Cache.Put(in, binary)
	}
}

// CacheInputs returns the inputs that a kernel's program has in the persistent
// cache; it is an error if the program is not kept.
func (r *Runtime) CacheInputs(d *Device, ref KernelRef) (cache.Inputs, error) {
	b, err := r.newBuilder(d, ref)
	if err != nil {
		return nil, err
	}
	in, err := b.cacheInputs()
	if err == nil && in == nil {
		err = errors.New(b.uncached)
	}
	return in, err
}
