package wrapper

import (
	"fmt"
	"io"
	"os"
	"slices"

	"offlink/filemap"
)

// Remove writes a copy of the file to w without the images of those numbers.
// Their code is zeroed; the other images of their descriptors move up. Several
// are removed one after another, from the last on, by way of temporary files.
func (f *File) Remove(w io.Writer, images ...int) error {
	images = slices.Sorted(slices.Values(images))
	images = slices.Compact(images)
	slices.Reverse(images)
	if len(images) == 0 {
		return fmt.Errorf("%s: no image to remove", f.name)
	}
	current := f
	for _, i := range images[:len(images)-1] {
		next, err := current.withoutImage(i)
		if current != f {
			current.Close()
		}
		if err != nil {
			return err
		}
		current = next
	}
	if current != f {
		defer current.Close()
	}
	return current.removeImage(w, images[len(images)-1])
}

func (f *File) removeImage(w io.Writer, i int) error {
	return f.editImage(w, i, EditOptions{}, func(img *Located) (rope, error) { return img.part.removeImage(img) })
}

// withoutImage returns the file without an image, under its own name.
func (f *File) withoutImage(i int) (*File, error) {
	scratch, err := filemap.CreateNameless("", "offload-wrap-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(scratch.Name()) // where an open file cannot be removed
	defer scratch.Close()           // The mapping stays.
	if err := f.removeImage(scratch, i); err != nil {
		return nil, err
	}
	size, err := scratch.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	rest := &File{name: f.name, options: f.options}
	if err := rest.readMapped(scratch, size); err != nil {
		return nil, fmt.Errorf("%s: without image %d: %w", f.name, i, err)
	}
	return rest, nil
}
