package registry

import (
	"testing"

	"offlink/wrapper/devimg"
)

// TestNamesOfOneHash has references whose hashes are equal though their names are
// not: the image tells which it is.
func TestNamesOfOneHash(t *testing.T) {
	first := &Image{Image: image([]string{"wanted", "other"}), ID: 1}
	second := &Image{Image: image([]string{"other"}), ID: 2}
	var index nameIndex
	index.addName("wanted", first, 0)
	i, j, hash := hashName("wanted")
	s := index.ownShard(i, j)
	s.references = append(s.references, reference{1, hash, 1}, reference{2, hash, 0})
	n := names{&index, []*Image{first, second}, entryName}
	if list := n.imagesNamed("wanted"); len(list) != 1 || list[0] != first {
		t.Errorf("wanted: %v", describeImages(list))
	}
	index.removeName("wanted", 1, 1)
	if list := n.imagesNamed("wanted"); list != nil {
		t.Errorf("after it went: %v", describeImages(list))
	}
}

// TestNameTwiceInImage has an image once, however often it has a name.
func TestNameTwiceInImage(t *testing.T) {
	var r Registry
	reg := r.Add(Owner{1, "a"}, []*devimg.Image{image([]string{"k", "k"})})
	s := r.Snapshot()
	if got := s.Kernel(Owner{}, "k"); len(got) != 1 || len(s.KernelNames()) != 1 {
		t.Errorf("%v, names %q", describeImages(got), s.KernelNames())
	}
	r.Remove(reg)
	if got := r.Snapshot().Kernel(Owner{}, "k"); got != nil {
		t.Errorf("after it went: %v", describeImages(got))
	}
}

func describeImages(images []*Image) (ids []uint64) {
	for _, img := range images {
		ids = append(ids, img.ID)
	}
	return ids
}
