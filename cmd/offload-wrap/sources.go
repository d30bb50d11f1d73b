package main

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
)

// listSource lists an argument: a file, the files of a folder, or those in a
// wheel.
func (l *lister) listSource(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return l.listArchived(name, err)
	case info.IsDir():
		return l.listFolder(name)
	case info.Mode().IsRegular() && cli.IsZip(name):
		return l.listWheel(name)
	}
	return l.listFile(name)
}

// listArchived lists a file of an archive if the name is that of one. Otherwise the file is
// missing, and it returns that error.
func (l *lister) listArchived(name string, missing error) error {
	archive, member, ok := cli.CutMember(name)
	if !ok {
		return missing
	}
	f, err := l.openMember(archive, member)
	if err != nil {
		return err
	}
	defer f.Close()
	return l.listImages(f)
}

// listFolder lists the files under a folder that have images, in the order of
// their names. Links are not followed, and files that can have none are passed
// over.
func (l *lister) listFolder(name string) error {
	before, failed := l.count, false
	err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.Type().IsRegular() {
			return nil
		}
		if err == nil {
			err = l.listCandidate(path)
		}
		if err != nil {
			failed = true
			l.reportError(err)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case failed:
		return errFound
	case l.count == before:
		l.reportNone(name)
	}
	return nil
}

// reportError prints an error that does not end the listing.
func (l *lister) reportError(err error) {
	if !errors.Is(err, errFound) {
		l.streams.Report(program, err)
	}
}

// listCandidate lists a file of a folder if it has images.
func (l *lister) listCandidate(path string) error {
	if cli.IsZip(path) {
		return l.listZip(path)
	}
	if holds, err := mayHold(path); !holds || err != nil {
		return err
	}
	f, err := l.openWrapped(path)
	if errors.Is(err, wrapper.ErrNoImages) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return l.fileOfMany(f)
}

// fileOfMany lists the images of a file of a folder or an archive. It is not an
// error if none of them matches.
func (l *lister) fileOfMany(f *wrapper.File) error {
	err := l.listImages(f)
	if _, ok := errors.AsType[*noMatchError](err); ok {
		return nil
	}
	return err
}

// headSize is the number of bytes of a file that are read to see whether it can have images.
const headSize = 4096

// mayHold reports whether a file of a folder can have images, by its first
// bytes: a package has thousands of files that have none.
func mayHold(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, err
	}
	return wrapper.MayHoldImages(head[:n]), nil
}

// listWheel lists the files in a wheel or another zip archive that have images.
func (l *lister) listWheel(name string) error {
	before := l.count
	err := l.listZip(name)
	if err == nil && l.count == before {
		l.reportNone(name)
	}
	return err
}

// listZip lists the members of a wheel. A member that cannot be read is
// reported, and the rest is listed.
func (l *lister) listZip(name string) error {
	archive, err := openArchive(name)
	if err != nil {
		return err
	}
	defer archive.Close()
	failed := false
	for _, member := range archive.File {
		if err := l.listMember(name+cli.MemberMark+member.Name, member); err != nil {
			failed = true
			l.reportError(err)
		}
	}
	if failed {
		return errFound
	}
	return nil
}

// listMember lists a member of a zip archive if it has images.
func (l *lister) listMember(name string, member *zip.File) error {
	f, err := l.unpackMember(name, member)
	if f == nil || err != nil {
		return err
	}
	defer f.Close()
	return l.fileOfMany(f)
}
