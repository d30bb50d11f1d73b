package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"

	"offlink/cmd/internal/cli"
	"offlink/runtime/devicefile"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// The images of files in Python wheels, for launches, which load no library: the files are
// read one after the other, and nothing is unpacked into a folder (wheel.go does that).

// cutWheel splits the name of a wheel, or WHEEL!MEMBER; the archive is "" for other names.
func cutWheel(name string) (archive, member string) {
	if info, err := os.Stat(name); err == nil {
		if info.Mode().IsRegular() && cli.IsZip(name) {
			return name, ""
		}
		return "", ""
	}
	archive, member, _ = cli.CutMember(name)
	return archive, member
}

// openWheel calls use with the images of each file of a wheel, or of the member alone if it is
// not "".
func (f *imageFiles) openWheel(name, member string, use func(name string, images []*devimg.Image)) error {
	archive, err := zip.OpenReader(name)
	if err != nil {
		return fmt.Errorf("%s: malformed zip archive: %w", name, err)
	}
	defer archive.Close()
	left, used := int64(maxUnpacked), false
	for _, m := range archive.File {
		if member != "" && m.Name != member {
			continue
		}
		shown := name + cli.MemberMark + m.Name
		images, err := f.readMember(shown, m, left)
		if err != nil {
			return err
		}
		if len(images) > 0 {
			use(shown, images)
			used = true
			left -= int64(m.UncompressedSize64)
		}
	}
	switch {
	case used:
		return nil
	case member != "":
		return fmt.Errorf("%s%s%s: no such file in the wheel, or one without device images; 'offload-wrap list %s' names those that have some", name, cli.MemberMark, member, name)
	}
	return fmt.Errorf("%s: no file in it has device images", name)
}

// readMember reads the images of a file of a wheel with at most limit bytes. It has none if the file
// is not of a kind that carries images.
func (f *imageFiles) readMember(name string, member *zip.File, limit int64) ([]*devimg.Image, error) {
	contents, err := wrapper.OpenMember(member)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if contents == nil {
		return nil, nil
	}
	defer contents.Close()
	file, err := wrapper.OpenReader(name, contents, limit, wrapper.ReadOptions{})
	if errors.Is(err, wrapper.ErrNoImages) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	images, err := devicefile.Images(file, f.read)
	if len(images) == 0 || err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f.files = append(f.files, file)
	return images, nil
}
