package toolchain

import (
	"fmt"
	"strings"
)

// Name is the name of a tool, as LLVM and SPIRV-Tools spell it.
type Name string

// The tools.
const (
	LLVMAs    Name = "llvm-as"
	LLVMDis   Name = "llvm-dis"
	Opt       Name = "opt"
	LLC       Name = "llc"
	LLVMSPIRV Name = "llvm-spirv"
	SPIRVVal  Name = "spirv-val"
	SPIRVOpt  Name = "spirv-opt"
)

// Tool is a tool that was found.
type Tool struct {
	Name Name
	Path string
	// LLVM is the newest LLVM whose IR the tool reads, as a major version; 0
	// for tools that read no LLVM IR.
	LLVM int
	// Translator is the build of llvm-spirv, as there are several for one version.
	Translator Translator
}

// String returns the path, and the version if it is known.
func (t Tool) String() string {
	if t.LLVM == 0 {
		return t.Path
	}
	return fmt.Sprintf("%s (LLVM %d)", t.Path, t.LLVM)
}

// Translator is a build of llvm-spirv. The builds take different command lines.
type Translator uint8

// The builds of llvm-spirv.
const (
	// Khronos is a build of SPIRV-LLVM-Translator for one LLVM release, as
	// Debian's llvm-spirv-15. It takes --version.
	Khronos Translator = iota
	// DPCPP is the one in PyPI's dpcpp-llvm-spirv, made from DPC++'s sources
	// between two LLVM releases. It has neither --help nor --version.
	DPCPP
)

// Accepts reports whether the tool reads IR of that LLVM version. Typed pointers were removed
// in LLVM 17, but newer tools still read them from bitcode, which LLVM upgrades.
func (t Tool) Accepts(llvm int) bool { return llvm <= t.LLVM }

// remedies says for each tool which package brings it.
var remedies = map[Name]string{
	LLVMAs:    "install Debian's llvm-22 (apt-get install llvm-22)",
	LLVMDis:   "install Debian's llvm-22 (apt-get install llvm-22)",
	Opt:       "install Debian's llvm-22 (apt-get install llvm-22)",
	LLC:       "install Debian's llvm-22 (apt-get install llvm-22)",
	LLVMSPIRV: "install PyPI's dpcpp-llvm-spirv 2024.2.0 (python3 -m pip install dpcpp-llvm-spirv==2024.2.0; reads LLVM 14 to 19) or Debian's llvm-spirv-15 (apt-get install llvm-spirv-15; reads LLVM 14 and 15, typed pointers)",
	SPIRVVal:  "install Debian's spirv-tools (apt-get install spirv-tools)",
	SPIRVOpt:  "install Debian's spirv-tools (apt-get install spirv-tools)",
}

// MissingError reports that no tool of a name serves.
type MissingError struct {
	Tool Name
	// Want names the versions that serve: "LLVM 17 to 19"; empty for any.
	Want string
	// Seen are the tools that were found and do not serve.
	Seen []Tool
	// Remedy names the package to install, empty for the newest.
	Remedy string
}

func (e *MissingError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no %s", e.Tool)
	if e.Want != "" {
		b.WriteString(" of " + e.Want)
	}
	b.WriteString(" was found")
	for i, t := range e.Seen {
		sep := ", "
		if i == 0 {
			sep = " (only "
		}
		b.WriteString(sep + t.String())
	}
	if len(e.Seen) > 0 {
		b.WriteByte(')')
	}
	remedy := e.Remedy
	if remedy == "" {
		remedy = remedies[e.Tool]
	}
	fmt.Fprintf(&b, ": give its path with --%s=PATH, or %s", e.Tool, remedy)
	return b.String()
}
