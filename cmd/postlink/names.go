package main

import (
	"path/filepath"
	"strconv"
	"strings"

	"offlink/split"
)

// Names of the files of a run: <folder>/<stem of the first -o><suffix>_<N>.<extension>.

// baseName returns the last part of path without its last extension.
func baseName(path string) string {
	base := filepath.Base(path)
	if i := strings.LastIndexByte(base, '.'); i >= 0 && base != "." && base != ".." {
		return base[:i]
	}
	return base
}

// defaultOutput is the output, in the current folder, where -o is not given.
func (o *options) defaultOutput() string {
	switch {
	case !o.split.Single:
		return baseName(o.input) + ".files"
	case o.text:
		return baseName(o.input) + ".out.ll"
	}
	return baseName(o.input) + ".out.bc"
}

// codeExtension is the extension of the files of modules.
func (o *options) codeExtension() string {
	switch {
	case o.spirv.wanted:
		return "spv"
	case o.spirv.ptx:
		return "ptx"
	case o.text:
		return "ll"
	}
	return "bc"
}

// fileName returns the name of one file of image number n. The folder is
// spelled as on the command line, as tables are.
func (o *options) fileName(n int, suffix, extension string) string {
	first := o.outputs[0].file
	name := baseName(first) + suffix + "_" + strconv.Itoa(n) + "." + extension
	dir := o.outDir
	if dir == "" {
		dir = first[:len(first)-len(filepath.Base(first))]
	}
	if dir != "" && !strings.HasSuffix(dir, "/") {
		dir += "/"
	}
	return dir + name
}

// groupSuffix distinguishes the files of images of ESIMD code.
func groupSuffix(g *split.Group) string {
	if g.Part == split.PartESIMD {
		return "_esimd"
	}
	return ""
}
