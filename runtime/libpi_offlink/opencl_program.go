package main

import "C" // for the exports

import (
	"slices"
	"strings"

	"offlink/runtime/internal/dl"
)

// Builds of programs as OpenCL has them, whose arguments the plugin interface takes unchecked.

const invalidLinkerOptions = -67

// offlink_clCheckBuild returns the code for the arguments that the functions of builds have in
// common: a program or a context, devices of it by their native handles, and a function of the
// host with its argument.
//
//export offlink_clCheckBuild
func offlink_clCheckBuild(handle uintptr, count uint32, devices *uintptr, ended, user uintptr) int32 {
	return perform(func() error {
		owner := handle
		if _, err := objectOf[*deviceContext](handle); err != nil {
			if _, err := objectOf[*program](handle); err != nil {
				return err
			}
			owner = contextOf(handle)
		}
		if (count == 0) != (devices == nil) || ended == 0 && user != 0 {
			return failure(invalidValue, "a list of devices without its length, or an argument without its function")
		}
		known := devicesOf(owner)
		for _, native := range wordsAt(devices, int(count)) {
			if own := offlink_handle_of(native); own == 0 || !slices.Contains(known, int(own)) {
				return failure(invalidDevice, "%#x is not a device of the context", native)
			}
		}
		return nil
	})
}

// offlink_clCompileProgram compiles a program with headers, which are programs with a source.
//
//export offlink_clCompileProgram
func offlink_clCompileProgram(handle, options uintptr, count uint32, programs, names *uintptr) int32 {
	headers := map[string][]byte{}
	code := perform(func() error {
		if (count == 0) != (programs == nil) || (count == 0) != (names == nil) {
			return failure(invalidValue, "headers without their names or number")
		}
		texts := wordsAt(names, int(count))
		for i, native := range wordsAt(programs, int(count)) {
			p, err := objectOf[*program](offlink_handle_of(native))
			if err != nil {
				return err
			}
			if p.source == nil || texts[i] == 0 {
				return failure(invalidValue, "header %d has no name, or its program has no source", i)
			}
			headers[dl.String(texts[i])] = p.source
		}
		return nil
	})
	if code != success {
		return code
	}
	return compileProgram(handle, dl.String(options), headers)
}

// linkerOptions are those of OpenCL: the device's links need none of them.
var linkerOptions = []string{
	createLibrary, "-enable-link-options", "-cl-denorms-are-zero", "-cl-no-signed-zeroes", "-cl-no-signed-zeros", "-cl-unsafe-math-optimizations",
	"-cl-finite-math-only", "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp",
}

const createLibrary = "-create-library"

// offlink_clLinkProgram links compiled programs, to a library if the options say so.
//
//export offlink_clLinkProgram
func offlink_clLinkProgram(contextHandle, options uintptr, count uint32, list, out *uintptr) int32 {
	words := strings.Fields(dl.String(options))
	for _, word := range words {
		if !slices.Contains(linkerOptions, word) {
			return perform(func() error { return failure(invalidLinkerOptions, "the linker option %s is not one of OpenCL", word) })
		}
	}
	return linkPrograms(contextHandle, dl.String(options), slices.Contains(words, createLibrary), wordsAt(list, int(count)), out)
}
