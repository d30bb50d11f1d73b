package linkcheck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/props"
	"offlink/runtime/drivertest"
	"offlink/runtime/registry"
	"offlink/wrapper/devimg"
)

// edit changes an image after it was made.
type edit func(*devimg.Image)

func target(name string) edit { return func(img *devimg.Image) { img.Target = name } }

func format(f devimg.Format) edit { return func(img *devimg.Image) { img.Format = f } }

func native(img *devimg.Image) { img.Target, img.Format = "spir64_x86_64", devimg.FormatNative }

// virtual adds the set s to the virtual functions that an image has or uses.
func virtual(key string) edit {
	return func(img *devimg.Image) {
		img.Properties.Put(props.SetVirtualFunctions, key, props.Bytes([]byte("s")))
	}
}

// global adds a device global of some bytes.
func global(id string, size byte, imageScope byte) edit {
	return func(img *devimg.Image) {
		img.Properties.Put(props.SetDeviceGlobals, id, props.Bytes([]byte{size, 0, 0, 0, imageScope, 0, 0, 0}))
	}
}

func image(c drivertest.Code, edits ...edit) *devimg.Image {
	img := &devimg.Image{Target: "spir64", Code: devimg.Bytes(drivertest.SPIRV(c)), HasEntries: true, Properties: new(props.Sets)}
	img.Entries = append(append(img.Entries, c.Kernels...), c.Exports...)
	img.Properties.Open(props.SetExportedSymbols)
	for _, name := range c.Exports {
		img.Properties.Put(props.SetExportedSymbols, name, props.Uint32(1))
	}
	for _, name := range c.Imports {
		img.Properties.Put(props.SetImportedSymbols, name, props.Uint32(1))
	}
	for _, e := range edits {
		e(img)
	}
	return img
}

type file struct {
	name   string
	images []*devimg.Image
}

func snapshot(files []file) *registry.Snapshot {
	var r registry.Registry
	for i, f := range files {
		r.Add(registry.Owner{ID: uint64(i), Name: f.name}, f.images)
	}
	return r.Snapshot()
}

func needs(names ...string) drivertest.Code {
	return drivertest.Code{Kernels: []string{"k"}, Imports: names}
}

func has(names ...string) drivertest.Code { return drivertest.Code{Exports: names} }

func broken(img *devimg.Image) {
	img.Format = devimg.FormatSPIRV
	img.Code = devimg.Bytes([]byte("no code"))
}

// service is a kernel of DPC++'s runtime.
const service = "__sycl_service_kernel__Copier"

func TestCheck(t *testing.T) {
	app := file{"app", []*devimg.Image{image(needs("f"))}}
	lib := file{"lib", []*devimg.Image{image(has("f"))}}
	for _, c := range []struct {
		name   string
		files  []file
		nearby []file
		// notFound is a library that the program needs and that was not found.
		notFound string
		device   string
		want     []string // severity, kind, symbol, and the start of the message
	}{
		{name: "linked", files: []file{app, lib}},
		{name: "for a device", files: []file{app, lib}, device: "opencl:gpu"},
		{name: "nothing has it", files: []file{app}, want: []string{"error unresolved f: f, imported by app: image 0 (spir64, spirv), is exported by no image"}},
		{
			name:  "a specialization constant that is left",
			files: []file{{"app", []*devimg.Image{image(needs("_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_"))}}},
			want:  []string{"error unresolved _Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_: _Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_, imported by app: image 0 (spir64, spirv), reads a specialization constant"},
		},
		{
			name: "a function of the device library", files: []file{{"app", []*devimg.Image{image(needs("__mulsc3", "sinf"))}}},
		},
		{
			name: "of two images that lack it one problem", files: []file{app, {"other", app.images}},
			want: []string{"error unresolved f: f, imported by app: image 0 (spir64, spirv) and other: image 0 (spir64, spirv), is exported"},
		},
		{
			name: "for another target", files: []file{app, {"lib", []*devimg.Image{image(has("f"), target("spir64_gen"))}}},
			want: []string{"error unfit f: f, imported by app: image 0 (spir64, spirv), is exported by images that do not serve:\n  lib: image 0 (spir64_gen, spirv): cannot be linked with code for spir64 in spirv"},
		},
		{
			name: "in another format", files: []file{app, {"lib", []*devimg.Image{image(has("f"), format(devimg.FormatNative))}}},
			want: []string{"error unfit f: f, imported by app: image 0 (spir64, spirv), is exported by images that do not serve:\n  lib: image 0 (spir64, native)"},
		},
		{
			name: "in a file that is not loaded", files: []file{app}, nearby: []file{lib},
			want: []string{"error not-loaded f: f, imported by app: image 0 (spir64, spirv), is exported by lib: image 0 (spir64, spirv), which the program does not load"},
		},
		{
			name: "in a file that is not found", files: []file{app}, nearby: []file{lib}, notFound: "lib",
			want: []string{"error not-loaded f: f, imported by app: image 0 (spir64, spirv), is exported by lib: image 0 (spir64, spirv), which the program needs and does not find: add its folder to LD_LIBRARY_PATH"},
		},
		{
			name: "the device takes no image", files: []file{app, lib}, device: "cuda",
			want: []string{"error refused k: kernel k: no image that has it can be used"},
		},
		{
			name: "code that was compiled ahead of time is not linked", device: "opencl:cpu",
			files: []file{{"app", []*devimg.Image{image(needs("f"), native)}}, {"lib", []*devimg.Image{image(has("f"), native)}}},
			want: []string{"error no-linking f: f, imported by app: image 0 (spir64_x86_64, native) from lib: image 0 (spir64_x86_64, native): " +
				"opencl:cpu does not link images of target spir64_x86_64 (pi_ext_spirv64_x86_64_linking)"},
		},
		{
			name:  "on no device",
			files: []file{{"app", []*devimg.Image{image(needs("f"), native)}}, {"lib", []*devimg.Image{image(has("f"), native)}}},
			want:  []string{"error no-linking f: f, imported by app: image 0 (spir64_x86_64, native) from lib: image 0 (spir64_x86_64, native): no device links"},
		},
		{
			name:  "virtual functions of code that was compiled ahead of time",
			files: []file{{"app", []*devimg.Image{image(needs(), native, virtual("uses-virtual-functions-set"))}}, {"lib", []*devimg.Image{image(has("f"), native, virtual("virtual-functions-set"))}}},
			want:  []string{"error no-linking the virtual functions of set s: kernel k needs the virtual functions of set s"},
		},
		{
			name: "SPIR-V for a triple", files: []file{{"app", []*devimg.Image{image(needs("f"), target("spir64-unknown-unknown"))}}, {"lib", []*devimg.Image{image(has("f"), target("spir64-unknown-unknown"))}}},
			device: "host",
		},
		{
			name: "SPIR-V for another target", files: []file{{"app", []*devimg.Image{image(needs(), target("spir64_x86_64"))}}}, device: "opencl:cpu",
			want: []string{"error refused k: kernel k: no image that has it can be used on this device:\n  app: image 0 (spir64_x86_64, spirv): opencl:cpu takes no code for spir64_x86_64 in spirv"},
		},
		{
			name:  "two kernels of a name, one of which has a conflict",
			files: []file{{"app", []*devimg.Image{image(needs("f"))}}, {"one", []*devimg.Image{image(has("f"))}}, {"two", []*devimg.Image{image(drivertest.Code{Kernels: []string{"k"}, Imports: []string{"f", "g"}}), image(drivertest.Code{Exports: []string{"g", "f"}, Calls: true})}}},
			want: []string{
				"error conflict f: two: kernel k needs two images that define f differently: one: image 0 (spir64, spirv) and two: image 1",
				"warning duplicate f",
			},
		},
		{
			name:  "definitions that differ",
			files: []file{app, lib, {"two", []*devimg.Image{image(drivertest.Code{Exports: []string{"e", "f"}, Calls: true})}}},
			want:  []string{"warning duplicate f: f is defined differently by lib: image 0 (spir64, spirv), which serves, and by two: image 0"},
		},
		{
			name: "definitions that differ, of which a kernel takes the second with another symbol",
			files: []file{
				{"app", []*devimg.Image{image(needs("g", "f"))}},
				lib,
				{"two", []*devimg.Image{image(drivertest.Code{Exports: []string{"g", "f"}, Calls: true})}},
			},
			want: []string{"warning duplicate f: f is defined differently by lib: image 0 (spir64, spirv), which serves, and by two: image 0 (spir64, spirv), which serves for kernel k; give"},
		},
		{name: "definitions that are equal", files: []file{app, lib, {"two", lib.images}}},
		{
			name: "a kernel twice", files: []file{{"app", []*devimg.Image{image(needs()), image(drivertest.Code{Kernels: []string{"k"}, Exports: []string{"e"}, Calls: true})}}},
			want: []string{"warning kernel-twice k: kernel k is in app: image 0 (spir64, spirv) and, defined differently, in app: image 1 (spir64, spirv): a launch takes the last"},
		},
		{
			name:  "a kernel of DPC++'s runtime in two forms",
			files: []file{{"app", []*devimg.Image{image(drivertest.Code{Kernels: []string{service}}), image(drivertest.Code{Kernels: []string{service}, Exports: []string{"e"}, Calls: true})}}},
		},
		{
			name:  "device globals that differ",
			files: []file{{"app", []*devimg.Image{image(needs(), global("v", 8, 0))}}, {"lib", []*devimg.Image{image(has("f"), global("v", 4, 0))}}},
			want:  []string{"error device-global : device global v: app: image 0 (spir64, spirv) and lib: image 0 (spir64, spirv) differ in its size or scope (8 and 4 bytes)"},
		},
		{
			name:  "device globals of image scope in two images",
			files: []file{{"app", []*devimg.Image{image(needs(), global("v", 8, 1)), image(has("f"), global("v", 8, 1))}}},
			want:  []string{"warning device-global v: device global v has image scope and is in app: image 0"},
		},
		{
			name: "code that cannot be read", files: []file{{"app", []*devimg.Image{image(needs(), broken)}}},
			want: []string{"error damaged : app: image 0 (spir64, spirv): not valid SPIR-V"},
		},
	} {
		p := Program{Loaded: snapshot(c.files), NotFound: map[string]bool{c.notFound: true}}
		if c.nearby != nil {
			p.Nearby = snapshot(c.nearby)
		}
		var device *Device
		if c.device != "" {
			var err error
			if device, err = FindDevice(c.device); err != nil {
				t.Fatal(err)
			}
		}
		checkProblems(t, c.name, Check(p, device).Problems, c.want)
	}
}

func checkProblems(t *testing.T, name string, problems []Problem, want []string) {
	t.Helper()
	var got []string
	for i, p := range problems {
		text := fmt.Sprintf("%s %s %s: %s", p.Severity, p.Kind, p.Symbol, p.Message)
		if i < len(want) && strings.HasPrefix(text, want[i]) {
			text = want[i]
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestImports: a symbol is resolved within its target.
func TestImports(t *testing.T) {
	files := []file{
		{"app", []*devimg.Image{image(needs("f")), image(needs("f"), target("nvptx64"))}},
		{"lib", []*devimg.Image{image(has("f"), target("nvptx64")), image(has("f"))}},
	}
	r := Check(Program{Loaded: snapshot(files)}, nil)
	var got []string
	for _, img := range r.Images {
		for _, i := range img.Imports {
			got = append(got, fmt.Sprintf("%s %d %s => %s %d", img.File, img.Ref.Image, i.Symbol, i.From.File, i.From.Image))
		}
	}
	if diff := cmp.Diff([]string{"app 0 f => lib 1", "app 1 f => lib 0"}, got); diff != "" || r.Errors() != 0 {
		t.Errorf("%v\n%s", r.Problems, diff)
	}
}

func TestFindDevice(t *testing.T) {
	for name, want := range map[string]string{"opencl:gpu": "opencl:gpu", "host": "host:cpu", "spir64_gen": "spir64_gen", "cuda": "cuda:gpu"} {
		if d, err := FindDevice(name); err != nil || d.Name != want {
			t.Errorf("FindDevice(%q) = %v, %v; want %s", name, d, err, want)
		}
	}
	if _, err := FindDevice("opengl"); err == nil {
		t.Error("opengl is a device")
	}
}
