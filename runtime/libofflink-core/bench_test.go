package main

import (
	"os"
	"testing"

	"offlink/props"
	"offlink/runtime"
	"offlink/runtime/cache"
	"offlink/runtime/hostdev"
	"offlink/runtime/registry"
	"offlink/wrapper/devimg"
)

// newLaunchLoop returns the Go half of offlink_launch on the embedded device, and
// its session, which the caller closes.
func newLaunchLoop(b testing.TB) (*session, func() error) {
	b.Helper()
	s := newSession(func(*cache.Cache, func(string)) []runtime.Backend {
		return []runtime.Backend{fakeBackend(hostdev.New(hostdev.Options{}))}
	})
	for name, exports := range map[string]string{"app": "", "lib": "LibDeviceFunc"} {
		code, err := os.ReadFile("../drivertest/testdata/" + name + ".spv")
		if err != nil {
			b.Fatal(err)
		}
		img := &devimg.Image{Target: "spir64", Format: devimg.FormatSPIRV, Entries: []string{name}, Properties: new(props.Sets), Code: devimg.Bytes(code)}
		img.Properties.Open(props.SetExportedSymbols)
		if exports != "" {
			img.Properties.Put(props.SetExportedSymbols, exports, props.Uint32(1))
		}
		s.runtime.Register(registry.Owner{ID: 1, Name: name}, []*devimg.Image{img})
	}
	device, _, err := s.openDevice("")
	if err != nil {
		b.Fatal(err)
	}
	k, _, err := s.openKernel(device, 0, runtime.KernelRef{Name: "app"})
	if err != nil {
		b.Fatal(err)
	}
	buffer, _, err := s.createBuffer(device, 32, nil)
	if err != nil {
		b.Fatal(err)
	}
	r := &launchRequest{}
	yield := func() {}
	return s, func() error {
		r.forgetLaunch()
		r.yield = yield
		r.sizes[0][0] = 8
		r.size.Global = r.sizes[0][:1]
		r.args = append(r.args, argument{kind: argBuffer, buffer: buffer})
		_, err := s.launchKernel(k, r)
		return err
	}
}

// BenchmarkLaunch is the Go half of offlink_launch on the embedded device.
func BenchmarkLaunch(b *testing.B) {
	s, launch := newLaunchLoop(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := launch(); err != nil {
			b.Fatal(err)
		}
	}
	s.closeAll()
}
