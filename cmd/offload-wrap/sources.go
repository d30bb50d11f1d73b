package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"offlink/wrapper"
)

// source lists what an argument names: a file, the files of a folder, those in
// a wheel.
func (l *lister) source(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return l.folder(name)
	case info.Mode().IsRegular() && isZip(name):
		return l.wheel(name)
	}
	return l.list(name)
}

// zipMagic begins a zip archive with files in it.
const zipMagic = "PK\x03\x04"

func isZip(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(zipMagic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == zipMagic
}

// folder lists the files under a folder that have images, in the order of
// their names. Links are not followed, and files that can have none are passed
// over.
func (l *lister) folder(name string) error {
	before, failed := l.count, false
	err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.Type().IsRegular() {
			return nil
		}
		if err == nil {
			err = l.candidate(path)
		}
		if err != nil {
			failed = true
			l.report(err)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case failed:
		return errFound
	case l.count == before:
		l.none(name)
	}
	return nil
}

// report prints an error that does not end the listing.
func (l *lister) report(err error) {
	if !errors.Is(err, errFound) {
		l.streams.Report(program, err)
	}
}

// candidate lists a file of a folder if it has images.
func (l *lister) candidate(path string) error {
	if isZip(path) {
		return l.zip(path)
	}
	if holds, err := mayHold(path); !holds || err != nil {
		return err
	}
	f, err := l.open(path)
	if errors.Is(err, wrapper.ErrNoImages) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return l.fileOfMany(f)
}

// fileOfMany lists what matches in a file of a folder or an archive, which may
// be nothing.
func (l *lister) fileOfMany(f *wrapper.File) error {
	err := l.file(f)
	if _, ok := errors.AsType[*noMatchError](err); ok {
		return nil
	}
	return err
}

// headSize is how much of a file tells whether it can have images.
const headSize = 4096

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

// wheel lists the files in a wheel or another zip archive that have images.
func (l *lister) wheel(name string) error {
	before := l.count
	err := l.zip(name)
	if err == nil && l.count == before {
		l.none(name)
	}
	return err
}

func (l *lister) zip(name string) error {
	archive, err := zip.OpenReader(name)
	if err != nil {
		return fmt.Errorf("%s: malformed zip archive: %w", name, err)
	}
	defer archive.Close()
	failed := false
	for _, member := range archive.File {
		if err := l.member(name+"!"+member.Name, member); err != nil {
			failed = true
			l.report(err)
		}
	}
	if failed {
		return errFound
	}
	return nil
}

// maxMember bounds what a member of a zip archive may grow to, in a temporary
// file: the largest libraries in wheels have 2 GiB.
const maxMember = 8 << 30

// member lists a member of a zip archive if it has images. It is unpacked into
// a temporary file, as images are read out of mapped files.
func (l *lister) member(name string, member *zip.File) error {
	if !member.Mode().IsRegular() {
		return nil
	}
	packed, err := member.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer packed.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(packed, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return fmt.Errorf("%s: %w", name, err)
	}
	if !wrapper.MayHoldImages(head[:n]) {
		return nil
	}
	limit := int64(maxMember)
	if l.limit > 0 {
		limit = int64(l.limit)
	}
	f, err := wrapper.OpenReader(name, io.MultiReader(bytes.NewReader(head[:n]), packed), limit, l.options())
	if errors.Is(err, wrapper.ErrNoImages) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return l.fileOfMany(f)
}
