package irfile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"

	"offlink/ir/bitcode"
	"offlink/spirv"
)

// foreign are beginnings of files that are often given in place of LLVM IR,
// with their names. The numbers are those of the formats' documents.
var foreign = []struct{ magic, what string }{
	{elf.ELFMAG, "an ELF file"},
	{"!<arch>\n", "an archive (ar)"},
	{"!<thin>\n", "a thin archive (ar)"},
	{"MZ", "a Windows program or library (PE)"},
	{"\xcf\xfa\xed\xfe", "a Mach-O file"},
	{"\xce\xfa\xed\xfe", "a Mach-O file"},
	{"\xca\xfe\xba\xbe", "a universal Mach-O file"},
	{"\x64\x86", "a COFF object"},
	{string(binary.LittleEndian.AppendUint32(nil, spirv.Magic)), "SPIR-V"},
	{string(binary.BigEndian.AppendUint32(nil, spirv.Magic)), "SPIR-V"},
	{"__CLANG_OFFLOAD_BUNDLE__", "a bundle of clang-offload-bundler"},
	{"CCOB", "a compressed bundle of clang-offload-bundler"},
	{"\x10\xff\x10\xad", "an OffloadBinary"},
	{"CPCH", "a precompiled header or AST of clang"},
	{"\x1f\x8b", "a gzip file"},
	{"\x28\xb5\x2f\xfd", "a zstd file"},
	{"\xfd7zXZ", "an xz file"},
	{"BZh", "a bzip2 file"},
	{"PK\x03\x04", "a zip file"},
	{"\xff\xfe", "UTF-16 text"},
	{"\xfe\xff", "UTF-16 text"},
	{"#!", "a script"},
	{"#include", "C or C++ source"},
	{"[Code", "a table of device images"},
	{"[SYCL/", "property sets"},
}

// checkIR returns an error that names the format of a file whose beginning shows
// that it is not LLVM IR.
func checkIR(data []byte) error {
	if bitcode.IsBitcode(data) {
		return nil
	}
	for _, f := range foreign {
		if bytes.HasPrefix(data, []byte(f.magic)) {
			return fmt.Errorf("%s, not LLVM IR%s", f.what, remedyFor(f.what))
		}
	}
	if i := bytes.IndexByte(data[:min(len(data), firstBlock)], 0); i >= 0 && !bytes.ContainsAny(data[:i], ";@=\"") {
		return fmt.Errorf("binary data, not LLVM IR")
	}
	return nil
}

// remedyFor tells how to get LLVM IR from a file of that format.
func remedyFor(what string) string {
	switch {
	case what == "SPIR-V":
		return ": 'llvm-spirv -r' makes LLVM IR of it"
	case what == "C or C++ source":
		return ": 'clang -emit-llvm -c' makes LLVM IR of it"
	case strings.Contains(what, "table"), strings.Contains(what, "property"), strings.Contains(what, "script"), strings.Contains(what, "text"):
		return ""
	}
	return ": name the module that the device compiler wrote"
}
