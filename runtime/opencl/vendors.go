package opencl

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// systemVendors is where the loader looks for the files that name drivers.
const systemVendors = "/etc/OpenCL/vendors"

// maxVendorFile bounds the part of such a file that is read: one line.
const maxVendorFile = 4 << 10

// VendorProblems returns why drivers that the loader was told to load cannot be loaded, as
// the loader leaves them out silently; it must have found no device. vendors is the value of
// OCL_ICD_VENDORS: a folder, a file that names a driver, or a driver; the system's folder if it
// is empty. Drivers that are named without a folder are not checked: the loader looks them up.
func VendorProblems(vendors string) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	folder := vendors
	if folder == "" {
		folder = systemVendors
	}
	info, err := os.Stat(folder)
	switch {
	case err != nil && vendors == "":
		return nil // no driver is installed
	case err != nil:
		return fmt.Errorf("OCL_ICD_VENDORS: %w", err)
	case info.IsDir():
		return folderProblems(folder)
	}
	if err := vendorProblem(folder); err != nil {
		return err
	}
	return fmt.Errorf("OCL_ICD_VENDORS is the file %s, by which the loader found no device: the one of ocl-icd takes a file, the one of Khronos (in Intel's packages) only a folder of .icd files, and libraries in OCL_ICD_FILENAMES", vendors)
}

func folderProblems(folder string) error {
	entries, err := os.ReadDir(folder)
	errs := []error{err}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".icd" {
			errs = append(errs, vendorProblem(filepath.Join(folder, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// vendorProblem looks at a file that names a driver, or at a driver.
func vendorProblem(path string) error {
	if filepath.Ext(path) != ".icd" {
		return libraryProblem(path)
	}
	text, err := readStart(path, maxVendorFile)
	if err != nil {
		return err
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	name := strings.TrimSpace(string(line))
	if !filepath.IsAbs(name) {
		return nil
	}
	if err := libraryProblem(name); err != nil {
		return fmt.Errorf("%s: the driver that it names: %w", path, err)
	}
	return nil
}

// libraryProblem returns an error for a file that cannot be a shared library. It does not
// open the file as one, which would run its code.
func libraryProblem(path string) error {
	start, err := readStart(path, len(elf.ELFMAG))
	if err == nil && string(start) != elf.ELFMAG {
		err = fmt.Errorf("%s is not a shared library", path)
	}
	return err
}

// readStart reads at most size bytes of a regular file.
func readStart(path string, size int) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, size)
	n, err := f.Read(data)
	if n > 0 || info.Size() == 0 {
		err = nil
	}
	return data[:n], err
}
