package main

import (
	_ "embed"
	"strings"

	"offlink/cmd/internal/cli"
)

// llvmOptions lists options that llvm-spirv has as it is linked with LLVM: builds that
// pass one set of options to all of LLVM's tools pass them to it, too.
//
//go:embed llvmoptions.txt
var llvmOptions string

// libraryFlags are the options of LLVM's libraries, which say nothing about SPIR-V.
func libraryFlags() (list []cli.Flag) {
	for line := range strings.Lines(llvmOptions) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := cli.Flag{Name: strings.TrimRight(line, "=?"), Hidden: true, Set: ignoredOption}
		if f.Name != line {
			f.Value, f.Optional = "V", strings.HasSuffix(line, "?")
		}
		list = append(list, f)
	}
	return list
}
