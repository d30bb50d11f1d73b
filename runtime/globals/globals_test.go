package globals

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/props"
	"offlink/runtime/registry"
	"offlink/wrapper/devimg"
)

// images registers an image for each description of x.
func images(values ...props.Value) []*registry.Image {
	var list []*devimg.Image
	for _, v := range values {
		img := &devimg.Image{Target: "spir64", Format: devimg.FormatSPIRV, Code: devimg.Bytes(nil), Properties: new(props.Sets)}
		img.Properties.Put(props.SetDeviceGlobals, "x", v)
		list = append(list, img)
	}
	var r registry.Registry
	return r.Add(registry.Owner{ID: 1, Name: "lib"}, list).Images
}

func described(size uint32, scope byte) props.Value {
	return props.Bytes([]byte{byte(size), byte(size >> 8), 0, 0, scope})
}

func TestEitherOrder(t *testing.T) {
	for _, hostFirst := range []bool{true, false} {
		var d Database
		list := images(described(300, 0), props.Bytes([]byte{44, 1, 0, 0, 0, 0, 0, 0}))
		if hostFirst {
			d.AddHost(0x1000, "x")
		}
		if err := d.AddImages(list); err != nil {
			t.Fatal(err)
		}
		if !hostFirst {
			d.AddHost(0x1000, "x")
		}
		want := Variable{ID: "x", Number: 1, Size: 300, Host: 0x1000}
		for name, get := range map[string]func() (Variable, error){
			"ByID":   func() (Variable, error) { return d.ByID("x") },
			"ByHost": func() (Variable, error) { return d.ByHost(0x1000) },
		} {
			v, err := get()
			if len(v.Images) != 2 || err != nil {
				t.Errorf("%s: %d images, %v", name, len(v.Images), err)
			}
			v.Images = nil
			if diff := cmp.Diff(want, v); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		d.RemoveImages(map[*registry.Image]bool{list[0]: true, list[1]: true})
		if v, err := d.ByID("x"); err != nil || len(v.Images) != 0 || d.IsGone("x", 1) {
			t.Errorf("after its images went: %+v, %v", v, err)
		}
		d.RemoveHost(0x1000)
		d.RemoveHost(0x1000)
		if _, err := d.ByID("x"); !errors.Is(err, ErrUnknown) || len(d.IDs()) != 0 {
			t.Errorf("after all went: %v", err)
		}
		if _, err := d.ByHost(0x1000); !errors.Is(err, ErrUnknown) {
			t.Errorf("after all went: %v", err)
		}
		if err := d.AddImages(list); err != nil || !d.IsGone("x", 1) || d.IsGone("x", 2) {
			t.Errorf("the one that comes back is not another one: %v", err)
		}
	}
}

func TestRefusals(t *testing.T) {
	var d Database
	if err := d.AddImages(images(described(4, 1), described(8, 1))); err == nil || !strings.Contains(err.Error(), "4 and 8 bytes") {
		t.Errorf("two sizes: %v", err)
	}
	for _, v := range []props.Value{props.Uint32(4), props.Bytes([]byte{1, 2, 3})} {
		if err := d.AddImages(images(v)); err == nil {
			t.Errorf("%v was taken for a description", v)
		}
	}
	v, _ := d.ByID("x")
	for _, c := range []struct{ offset, size int64 }{{-1, 1}, {0, 5}, {5, 0}, {1 << 62, 1 << 62}, {0, -1}} {
		if err := v.CheckRange(c.offset, c.size, ErrCopyTo); !errors.Is(err, ErrCopyTo) {
			t.Errorf("%d bytes at %d: %v", c.size, c.offset, err)
		}
	}
	if err := v.CheckRange(4, 0, ErrCopyTo); err != nil {
		t.Error(err)
	}
	if _, err := v.OnlyImage(); err != nil {
		t.Errorf("one image: %v", err)
	}
	v.Images = append(v.Images, v.Images...)
	if _, err := v.OnlyImage(); !errors.Is(err, ErrManyImage) {
		t.Errorf("two images: %v", err)
	}
	v.Images = nil
	if _, err := v.OnlyImage(); !errors.Is(err, ErrNoImage) {
		t.Errorf("no image: %v", err)
	}
	if err := v.CheckRange(0, 4, ErrCopyTo); err != nil {
		t.Errorf("its images have gone: %v", err)
	}
	d.AddHost(0x2000, "unused")
	unused, _ := d.ByHost(0x2000)
	if err := unused.CheckRange(0, 4, ErrCopyTo); !errors.Is(err, ErrNoImage) {
		t.Errorf("the host's object alone: %v", err)
	}
}

// TestUnknownNames: the error for a wrong name has the names that are right.
func TestUnknownNames(t *testing.T) {
	var d Database
	refusal := func() string {
		_, err := d.ByID("wrong")
		return fmt.Sprint(err)
	}
	if got, want := refusal(), "device global wrong: it is not registered, nor is any other"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	for i := range maxKnown {
		d.AddHost(uint64(i+1), fmt.Sprintf("v%02d", i))
	}
	all := "v00, v01, v02, v03, v04, v05, v06, v07, v08, v09"
	if got, want := refusal(), "device global wrong: it is not registered; those that are: "+all; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	d.AddHost(100, "w")
	_, err := d.ByHost(200)
	if got, want := fmt.Sprint(err), "device global at 0xc8: it is not registered; those that are: "+all+", ... (11 in all)"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}
