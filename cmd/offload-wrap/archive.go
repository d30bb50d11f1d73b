package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
)

// openSource opens a file, or the file in a wheel that "WHEEL!MEMBER" names. A
// wheel alone stands for the one file in it that has images.
func (l *inflation) openSource(name string) (*wrapper.File, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		if archive, member, ok := cli.CutMember(name); ok {
			return l.openMember(archive, member)
		}
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a folder; 'offload-wrap list %s' names the files of it that have device images", name, quoteWord(name))
	case info.Mode().IsRegular() && cli.IsZip(name):
		return l.openOnlyMember(name)
	}
	return l.openWrapped(name)
}

// ownName is the name of a file without that of the archive that it is in.
func ownName(name string) string {
	if _, member, ok := cli.CutMember(name); ok {
		return member
	}
	return name
}

// openArchive opens a zip archive for reading.
func openArchive(name string) (*zip.ReadCloser, error) {
	archive, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("%s: malformed zip archive: %w", name, err)
	}
	return archive, nil
}

// openMember opens a file of an archive by its name there.
func (l *inflation) openMember(name, member string) (*wrapper.File, error) {
	archive, err := openArchive(name)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	for _, m := range archive.File {
		if m.Name != member {
			continue
		}
		f, err := l.unpackMember(name+cli.MemberMark+member, m)
		if f == nil && err == nil {
			err = fmt.Errorf("%s%s%s: %w", name, cli.MemberMark, member, wrapper.ErrNoImages)
		}
		return f, err
	}
	return nil, fmt.Errorf("%s: has no file %s; 'offload-wrap list %s' names those that have device images", name, member, quoteWord(name))
}

// openOnlyMember opens the one file of an archive that has images.
func (l *inflation) openOnlyMember(name string) (only *wrapper.File, err error) {
	archive, err := openArchive(name)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	for _, m := range archive.File {
		f, err := l.unpackMember(name+cli.MemberMark+m.Name, m)
		if f == nil && err == nil {
			continue
		}
		if err == nil && only != nil {
			err = fmt.Errorf("%s: several files in it have device images: name one, as in %s; list names all", name, quoteWord(only.Name()))
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			if only != nil {
				only.Close()
			}
			return nil, err
		}
		only = f
	}
	if only == nil {
		return nil, fmt.Errorf("%s: no file in it has device images", name)
	}
	return only, nil
}

// maxMember bounds the size of a member of a zip archive that is unpacked into a temporary
// file: the largest libraries in wheels have 2 GiB.
const maxMember = 8 << 30

// unpackMember opens a member of a zip archive; nil if it has no images. It is
// unpacked into a temporary file, as images are read out of mapped files.
func (l *inflation) unpackMember(name string, member *zip.File) (*wrapper.File, error) {
	contents, err := wrapper.OpenMember(member)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if contents == nil {
		return nil, nil
	}
	defer contents.Close()
	limit := int64(maxMember)
	if l.limit > 0 {
		limit = int64(l.limit)
	}
	f, err := wrapper.OpenReader(name, contents, limit, l.readOptions())
	if errors.Is(err, wrapper.ErrNoImages) {
		return nil, nil
	}
	return f, err
}

// refuseArchive returns an error for a file in an archive, which is not edited in place: a
// wheel records the digest of each file.
func refuseArchive(name string) error {
	archive, _, member := cli.CutMember(name)
	if !member {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || !cli.IsZip(name) {
			return nil
		}
		archive = name
	}
	return fmt.Errorf("%s: files in wheels and zip archives are not edited, as a wheel records their digests: unpack it ('wheel unpack %s'), edit the file, and pack the folder again ('wheel pack')", name, quoteWord(archive))
}
