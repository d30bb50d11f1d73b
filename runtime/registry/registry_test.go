package registry

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/props"
	"offlink/wrapper/devimg"
)

// image returns an image with those entries, of which it exports some.
func image(entries []string, exported ...string) *devimg.Image {
	img := &devimg.Image{Target: "spir64", Code: devimg.Bytes([]byte{3, 2, 0x23, 7}), Entries: entries, HasEntries: true}
	if exported != nil {
		img.Properties = new(props.Sets)
		for _, name := range exported {
			img.Properties.Put(props.SetExportedSymbols, name, props.Uint32(1))
		}
	}
	return img
}

func describe(images []*Image) []string {
	var all []string
	for _, img := range images {
		all = append(all, img.String())
	}
	return all
}

func TestKernelsByOwner(t *testing.T) {
	app, lib, other := Owner{1, "app"}, Owner{2, "lib"}, Owner{3, "other"}
	var r Registry
	r.Add(app, []*devimg.Image{image([]string{"k"}), image([]string{"k", "l"})})
	r.Add(lib, []*devimg.Image{image([]string{"k", "f"}, "f")})
	s := r.Snapshot()
	for _, c := range []struct {
		owner Owner
		name  string
		want  []string
	}{
		{app, "k", []string{"app: image 0 (spir64, spirv)", "app: image 1 (spir64, spirv)"}},
		{lib, "k", []string{"lib: image 0 (spir64, spirv)"}},
		{lib, "l", []string{"app: image 1 (spir64, spirv)"}},
		{other, "l", []string{"app: image 1 (spir64, spirv)"}},
		{lib, "f", nil}, // an exported function is no kernel
	} {
		if diff := cmp.Diff(c.want, describe(s.Kernel(c.owner, c.name))); diff != "" {
			t.Errorf("Kernel(%v, %q): %s", c.owner, c.name, diff)
		}
	}
	if diff := cmp.Diff([]string{"k", "l"}, s.KernelNames()); diff != "" {
		t.Error(diff)
	}
}

func TestExportedElsewhereIsStillAKernel(t *testing.T) {
	var r Registry
	r.Add(Owner{1, "a"}, []*devimg.Image{image([]string{"k"}, "k")})
	r.Add(Owner{2, "b"}, []*devimg.Image{image([]string{"k"})})
	got := describe(r.Snapshot().Kernel(Owner{}, "k"))
	if diff := cmp.Diff([]string{"b: image 0 (spir64, spirv)"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSnapshotOutlivesRemoval(t *testing.T) {
	lib := Owner{1, "lib"}
	var r Registry
	reg := r.Add(lib, []*devimg.Image{image([]string{"f"}, "f")})
	before := r.Snapshot()
	r.Remove(reg)
	r.Remove(reg)
	if len(before.Exporters("f")) != 1 {
		t.Error("the snapshot changed")
	}
	if after := r.Snapshot(); len(after.Exporters("f")) != 0 || len(after.Images) != 0 {
		t.Errorf("after Remove: %v", after.Images)
	}
	again := r.Add(lib, []*devimg.Image{image(nil)})
	if again.Images[0].Index != 0 {
		t.Errorf("index %d after the library was loaded again; want 0", again.Images[0].Index)
	}
}

func TestUnlisted(t *testing.T) {
	var r Registry
	r.Add(Owner{1, "a"}, []*devimg.Image{image([]string{"k"}), image([]string{"f"}, "f")})
	got := describe(r.Snapshot().Unlisted())
	if diff := cmp.Diff([]string{"a: image 0 (spir64, spirv)"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestConcurrent is for the race detector: libraries come and go while others
// ask.
func TestConcurrent(t *testing.T) {
	var r Registry
	var wg sync.WaitGroup
	for g := range 4 {
		owner := Owner{uint64(g), fmt.Sprint("lib", g)}
		wg.Go(func() {
			for range 200 {
				reg := r.Add(owner, []*devimg.Image{image([]string{"k"}), image([]string{"f"}, "f")})
				s := r.Snapshot()
				if own := s.Kernel(owner, "k"); len(own) != 1 || own[0].Owner != owner {
					t.Errorf("%v: %v", owner, own)
				}
				r.Remove(reg)
			}
		})
	}
	wg.Wait()
	if left := r.Snapshot().Images; len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
