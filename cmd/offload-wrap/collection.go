package main

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
)

// collection is the files of a folder or of an archive that can have images, by
// their names in it.
type collection map[string]func() (*wrapper.File, error)

// openCollection returns the files of a folder or an archive, and a function that closes
// the archive. It returns nil for any other file.
func (l *inflation) openCollection(name string) (collection, func() error, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil: // the file is opened again, with an error that says more
		return nil, nil, nil
	case info.IsDir():
		files, err := l.folderFiles(name)
		return files, func() error { return nil }, err
	case info.Mode().IsRegular() && cli.IsZip(name):
		return l.archiveFiles(name)
	}
	return nil, nil, nil
}

// folderFiles returns the files below a folder that can hold images, by their paths in
// it. Files are opened one by one when they are compared: a folder can have thousands.
// Links are not followed, so that a folder that links to itself comes to an end.
func (l *inflation) folderFiles(name string) (collection, error) {
	files := make(collection)
	err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		holds, err := mayHold(path)
		if !holds || err != nil {
			return err
		}
		own, err := filepath.Rel(name, path)
		files[filepath.ToSlash(own)] = func() (*wrapper.File, error) {
			f, err := l.openWrapped(path)
			if errors.Is(err, wrapper.ErrNoImages) {
				return nil, nil
			}
			return f, err
		}
		return err
	})
	return files, err
}

// archiveFiles returns the members of an archive, which are unpacked when they are
// compared. Members whose contents hold no images come as nil.
func (l *inflation) archiveFiles(name string) (collection, func() error, error) {
	archive, err := openArchive(name)
	if err != nil {
		return nil, nil, err
	}
	files := make(collection)
	for _, m := range archive.File {
		files[m.Name] = func() (*wrapper.File, error) { return l.unpackMember(name+cli.MemberMark+m.Name, m) }
	}
	return files, archive.Close, nil
}

// compareCollections compares the files with the same name in two folders or archives. done
// says that both are folders or archives. Files without images do not count.
func (d *differ) compareCollections(nameA, nameB string) (done bool, err error) {
	a, closeA, err := d.openCollection(nameA)
	if a == nil || err != nil {
		return false, err
	}
	defer closeA()
	b, closeB, err := d.openCollection(nameB)
	if b == nil || err != nil {
		return false, err
	}
	defer closeB()
	// The union in the order of names, so that the output does not depend on the folders'.
	names := maps.Clone(a)
	maps.Copy(names, b)
	var all []difference
	for _, name := range slices.Sorted(maps.Keys(names)) {
		found, err := d.compareOfBoth(name, a[name], b[name])
		if err != nil {
			return true, err
		}
		all = append(all, found...)
	}
	return true, d.finishDiff(all)
}

// compareOfBoth compares the files of a name, of which one may be missing.
func (d *differ) compareOfBoth(name string, openA, openB func() (*wrapper.File, error)) ([]difference, error) {
	a, errA := openFound(openA)
	b, errB := openFound(openB)
	defer closeFound(a)
	defer closeFound(b)
	if err := cmp.Or(errA, errB); err != nil {
		return nil, err
	}
	switch {
	case a == nil && b == nil:
		return nil, nil
	case b == nil:
		return []difference{{File: name, What: "file", Detail: "only the first has it: " + countImages(len(a.Images()))}}, nil
	case a == nil:
		return []difference{{File: name, What: "file", Detail: "only the second has it: " + countImages(len(b.Images()))}}, nil
	}
	found, err := d.compareOpen(a, b)
	return describeDifferences(name, found), err
}

// openFound opens the file of a name, nil where one side lacks it or where it has no
// images.
func openFound(open func() (*wrapper.File, error)) (*wrapper.File, error) {
	if open == nil {
		return nil, nil
	}
	return open()
}

// closeFound is Close for a file that may be nil.
func closeFound(f *wrapper.File) {
	if f != nil {
		f.Close()
	}
}
