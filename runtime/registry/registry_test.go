package registry

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
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
		{lib, "f", nil}, // an exported function is not a kernel
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

// TestAgainstRebuilding adds and removes at random, and compares each snapshot
// with one that was made anew; old snapshots do not change.
func TestAgainstRebuilding(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var r Registry
	var live []*Registration
	type taken struct {
		snapshot *Snapshot
		want     string
	}
	var old []taken
	for step := range 400 {
		if len(live) > 0 && random.IntN(5) < 2 {
			i := random.IntN(len(live))
			r.Remove(live[i])
			r.Remove(live[i])
			live = slices.Delete(live, i, i+1)
		} else {
			var images []*devimg.Image
			for range random.IntN(4) {
				var exported []string
				if random.IntN(3) > 0 {
					exported = []string{fmt.Sprint("f", random.IntN(20))}
				}
				images = append(images, image([]string{fmt.Sprint("k", random.IntN(20)), fmt.Sprint("f", random.IntN(20))}, exported...))
			}
			live = append(live, r.Add(Owner{uint64(random.IntN(5)), "o"}, images))
		}
		var want []*Image
		for _, reg := range live {
			want = append(want, reg.Images...)
		}
		s := r.Snapshot()
		if got := content(s); got != rebuilt(want) {
			t.Fatalf("step %d:\n%s\nwant\n%s", step, got, rebuilt(want))
		}
		if step%20 == 0 {
			old = append(old, taken{s, content(s)})
		}
	}
	for i, o := range old {
		if got := content(o.snapshot); got != o.want {
			t.Errorf("snapshot %d changed:\n%s\nit was\n%s", i, got, o.want)
		}
	}
}

// content has everything that a snapshot tells.
func content(s *Snapshot) string {
	text := ids(s.Images) + "unlisted " + ids(s.Unlisted())
	for _, name := range s.KernelNames() {
		text += "kernel " + name + ids(s.Kernel(Owner{}, name))
	}
	for _, name := range s.ExportNames() {
		text += "export " + name + ids(s.Exporters(name))
	}
	return text
}

// rebuilt is content of the images, found without an index.
func rebuilt(images []*Image) string {
	var unlisted []*Image
	kernels, exports := map[string][]*Image{}, map[string][]*Image{}
	for _, img := range images {
		for _, name := range img.Kernels() {
			kernels[name] = append(kernels[name], img)
		}
		set := img.Properties.Get(props.SetExportedSymbols)
		for _, name := range set.Names() {
			exports[name] = append(exports[name], img)
		}
		if set == nil {
			unlisted = append(unlisted, img)
		}
	}
	text := ids(images) + "unlisted " + ids(unlisted)
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		text += "kernel " + name + ids(kernels[name])
	}
	for _, name := range slices.Sorted(maps.Keys(exports)) {
		text += "export " + name + ids(exports[name])
	}
	return text
}

func ids(images []*Image) string {
	text := ""
	for _, img := range images {
		text += fmt.Sprintf(" %d", img.ID)
	}
	return text + "\n"
}

// manyImages has ten symbols an image.
func manyImages(n int) []*devimg.Image {
	list := make([]*devimg.Image, n)
	for i := range list {
		var entries, exported []string
		for j := range 5 {
			entries = append(entries, fmt.Sprintf("_ZTS6KernelILi%dELi%dEE", i, j))
			exported = append(exported, fmt.Sprintf("_Z8functionILi%dELi%dEEvPi", i, j))
		}
		list[i] = image(append(entries, exported...), exported...)
	}
	return list
}

func BenchmarkRegister(b *testing.B) {
	images := manyImages(10000)
	b.Run("10000 images, 100000 symbols", func(b *testing.B) {
		for b.Loop() {
			var r Registry
			for i, img := range images {
				r.Add(Owner{uint64(i), "lib"}, []*devimg.Image{img})
			}
			r.Snapshot()
		}
	})
	var r Registry
	r.Add(Owner{1, "app"}, images)
	r.Snapshot()
	one := manyImages(1)
	b.Run("one library more", func(b *testing.B) {
		for b.Loop() {
			reg := r.Add(Owner{2, "lib"}, one)
			r.Snapshot()
			r.Remove(reg)
			r.Snapshot()
		}
	})
}
