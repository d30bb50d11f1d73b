package resolve

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/props"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/registry"
	"offlink/wrapper/devimg"
)

// withoutTables makes an image as of compilers that write no tables of symbols.
func withoutTables(img *devimg.Image) { img.Properties = new(props.Sets) }

// exporterOf links the kernel k and returns the owner of the second image, or the error.
func exporterOf(r *Resolver, s *registry.Snapshot) string {
	link, err := r.Link(s, Request{Kernel: "k", Accepts: acceptSPIRV, Extensions: linking})
	if err != nil {
		return err.Error()
	}
	return link.Images[1].Owner.Name
}

// TestUnlistedImages: images without tables are found by their code, as they come and go, also
// one that is damaged or among many.
func TestUnlistedImages(t *testing.T) {
	var reg registry.Registry
	var r Resolver
	app := newImage(drivertest.Code{Kernels: []string{"k"}, Imports: []string{"f"}})
	whole := drivertest.SPIRV(drivertest.Code{Exports: []string{"f"}})
	damaged := newImage(drivertest.Code{}, withoutTables)
	damaged.Code = devimg.Bytes(whole[:len(whole)-2])
	with := func(name string) *devimg.Image {
		return newImage(drivertest.Code{Kernels: []string{"k" + name}, Exports: []string{"f"}}, withoutTables)
	}
	register := func(id uint64, name string, images ...*devimg.Image) *registry.Registration {
		return reg.Add(registry.Owner{ID: id, Name: name}, images)
	}
	register(1, "app", app)
	register(2, "damaged", damaged)
	if got := exporterOf(&r, reg.Snapshot()); !strings.Contains(got, "imported by app") || !strings.Contains(got, "damaged: image 0 (spir64, spirv): not valid SPIR-V") {
		t.Errorf("no image: %s", got)
	}
	first := register(3, "first", with("1"))
	second := register(4, "second", with("2"))
	if got := exporterOf(&r, reg.Snapshot()); got != "first" {
		t.Errorf("two images: %s", got)
	}
	reg.Remove(first)
	r.Forget(first.Images)
	if got := exporterOf(&r, reg.Snapshot()); got != "second" {
		t.Errorf("after the first has gone: %s", got)
	}
	register(5, "third", with("3"))
	reg.Remove(second)
	r.Forget(second.Images)
	if got := exporterOf(&r, reg.Snapshot()); got != "third" {
		t.Errorf("after the second has gone: %s", got)
	}
}

// TestManyUnlisted: among many images without tables, each is read once for its names, and an
// error counts those that have nothing to do with it.
func TestManyUnlisted(t *testing.T) {
	const many = 50
	files := []file{{"app", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"k"}, Imports: []string{"f"}})}}}
	var counted []*countingCode
	for i := range many {
		img := newImage(drivertest.Code{Kernels: []string{fmt.Sprint("other", i)}}, withoutTables)
		code := &countingCode{Code: img.Code}
		img.Code = code
		counted = append(counted, code)
		files = append(files, file{fmt.Sprint("file", i), []*devimg.Image{img}})
	}
	files = append(files, file{"nvidia", []*devimg.Image{newImage(drivertest.Code{Exports: []string{"f"}}, target("nvptx64"))}})
	s := snapshot(files)
	for _, c := range counted {
		c.whole = 0 // as registering reads them
	}
	var r Resolver
	for range 3 {
		got := exporterOf(&r, s)
		if !strings.Contains(got, fmt.Sprintf("%d images do not export it", many+1)) ||
			!strings.Contains(got, "nvidia: image 0 (nvptx64, spirv): cannot be linked with code for spir64") || strings.Count(got, "\n") != 2 {
			t.Fatalf("the error is %q", got)
		}
	}
	for i, c := range counted {
		if c.whole != 1 {
			t.Errorf("image %d was read %d times; want 1", i, c.whole)
		}
	}
}

// TestUnlistedVariable: variables are in no table, so all images are asked for one.
func TestUnlistedVariable(t *testing.T) {
	s := snapshot([]file{
		{"app", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"k"}, VariableImports: []string{"v"}})}},
		{"other", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"other"}, Exports: []string{"v2"}})}},
		{"lib", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"lib"}, VariableExports: []string{"v"}})}},
	})
	if got := exporterOf(new(Resolver), s); got != "lib" {
		t.Errorf("got %s", got)
	}
}

// TestDuplicatesWithoutTables: definitions that differ are told of where neither image has a table.
func TestDuplicatesWithoutTables(t *testing.T) {
	one := newImage(drivertest.Code{Kernels: []string{"a"}, Exports: []string{"f"}}, withoutTables)
	two := newImage(drivertest.Code{Kernels: []string{"b"}, Exports: []string{"g", "f"}, Calls: true}, withoutTables)
	s := snapshot([]file{
		{"app", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"k"}, Imports: []string{"f"}})}},
		{"one", []*devimg.Image{one}},
		{"two", []*devimg.Image{two}},
	})
	var r Resolver
	link, err := r.Link(s, Request{Kernel: "k", Accepts: func(driver.Image) error { return nil }, Extensions: linking})
	if err != nil {
		t.Fatal(err)
	}
	if list := r.Duplicates(s, link); len(list) != 1 || list[0].Images[1].Owner.Name != "two" {
		t.Errorf("the duplicates are %v", list)
	}
}

// TestListedFirst: where an image lists the symbol, the code of those without a table is not read.
func TestListedFirst(t *testing.T) {
	other := newImage(drivertest.Code{Kernels: []string{"other"}}, withoutTables)
	code := &countingCode{Code: other.Code}
	other.Code = code
	s := snapshot([]file{
		{"app", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"k"}, Imports: []string{"f"}})}},
		{"other", []*devimg.Image{other}},
		{"lib", []*devimg.Image{newImage(drivertest.Code{Exports: []string{"f"}})}},
	})
	code.whole = 0 // as registering reads them
	var r Resolver
	link, err := r.Link(s, Request{Kernel: "k", Accepts: acceptSPIRV, Extensions: linking})
	if err != nil {
		t.Fatal(err)
	}
	r.Duplicates(s, link)
	if code.whole != 0 {
		t.Errorf("an image without a table was read %d times; want 0", code.whole)
	}
}

// TestCubins: PTX and cubins that were made for linking serve each other, and cubins that were
// linked serve nobody.
func TestCubins(t *testing.T) {
	read := func(name string) *devimg.Image {
		code, err := os.ReadFile(filepath.Join("..", "..", "ptx", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		img := &devimg.Image{Target: "nvptx64", Code: devimg.Bytes(code), HasEntries: true}
		if strings.HasSuffix(name, ".cubin") {
			img.Format = devimg.FormatNative
		}
		return img
	}
	for _, app := range []string{"uses.ptx", "uses.cubin"} {
		for _, lib := range []string{"library.ptx", "library.cubin", "whole.cubin"} {
			img := read(app)
			img.Entries = []string{"k"}
			s := snapshot([]file{{"app", []*devimg.Image{img}}, {"lib", []*devimg.Image{read(lib)}}})
			link, err := new(Resolver).Link(s, Request{Kernel: "k", Accepts: func(driver.Image) error { return nil }, Extensions: []string{"pi_ext_nvptx64_linking"}})
			switch {
			case lib == "whole.cubin":
				if err == nil || !strings.Contains(err.Error(), "lib_") {
					t.Errorf("%s, %s: %v", app, lib, err)
				}
			case err != nil:
				t.Errorf("%s, %s: %v", app, lib, err)
			case len(link.Images) != 2:
				t.Errorf("%s, %s: %d images", app, lib, len(link.Images))
			}
		}
	}
}
