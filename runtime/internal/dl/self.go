package dl

import (
	"os"
	"path/filepath"
	"reflect"
)

// OwnFolder is the folder of the program or shared library that this code is
// part of, "" where no file is known.
func OwnFolder() string {
	if Supported {
		if file := fileOfAddress(reflect.ValueOf(OwnFolder).Pointer()); filepath.IsAbs(file) {
			return filepath.Dir(file)
		}
	}
	file, err := os.Executable()
	if err != nil {
		return ""
	}
	return filepath.Dir(file)
}

// FileOf is the file of the library that an address is in, "" if it is in none
// or the system does not report it.
func FileOf(address uintptr) string { return fileOfAddress(address) }
