package wrapper

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"offlink/wrapper/internal/objfile"
)

// hostFormat is everything that an object format decides about a wrapped
// object, and by which its images are found again. A new format is one more
// value in hostFormats and one row in objfile.
type hostFormat struct {
	object objfile.Format
	// systems are parts of the system in a triple; if environments are given,
	// one of them must be part of it too. The last format has neither.
	systems, environments []string
	// machines are those that objects are written for.
	machines map[objfile.Machine]machineLimits

	sections sectionNames
	// fatPrefixes begin the names of the sections of HIP, whose content is
	// clang's bundles, and of CUDA: fat binaries of linked code and of code to
	// be linked on the device.
	fatPrefixes []string
	// relocatableFat begins the name of the section of CUDA's code that was made to be linked.
	relocatableFat string

	// hostEntries makes the bounds of the table of host entries that kinds
	// other than SYCL need; nil where the format has no such table.
	hostEntries func(b *objectBuilder, bounds []string)
	// x86Argument is the ModRM byte of lea for the register of a function's
	// first argument on x86-64.
	x86Argument byte
}

// sectionNames are the names that a format gives the sections of an object.
type sectionNames struct {
	code, strings, data, relocated, info string
	// The constructor runs at priority 1 and the destructor too: first and
	// last of all (llvm.global_ctors). Linkers order the sections by name.
	// Without a list of destructors the constructor registers the function
	// with __cxa_atexit.
	constructors, destructors string
	bareImages                string // of images without a target
	// images is the section of all image bytes in a format whose names are too
	// short for a kind and a target; else they have a section for each target.
	images    string
	imagesUse objfile.Use
	// features is the section of the note about the features of the code, and plainStack the one without
	// which linkers make the stack of the program executable; "" where a format has neither.
	features, plainStack string
	// irCode is the section of functions in LLVM IR, "" to leave that to LLVM.
	irCode string
}

// machineLimits is how many bytes of images an object can bring into a program.
type machineLimits struct {
	max int64  // the images must stay under it; 0 means no limit
	why string // the reason, as part of a message
	// largeFrom is the size from which images go into large sections: the code
	// of a program must reach across ordinary ones, in 2 GiB. 0 is never.
	largeFrom int64
}

const gib = 1 << 30

// The formats. Limits follow from how far code reaches data in the code model
// that compilers use by default (psABIs of x86-64, AArch64 and RISC-V), and
// from the widths of fields.
var (
	elfFormat = hostFormat{
		object: objfile.ELF,
		machines: map[objfile.Machine]machineLimits{
			objfile.X86_64:  {largeFrom: 1 * gib},
			objfile.AArch64: {max: 4 * gib, why: "its small code model reaches less than 4 GiB"},
			objfile.RISCV64: {max: 2 * gib, why: "its code model (medany) reaches less than 2 GiB"},
			objfile.I386:    {max: 2 * gib, why: "the format's offsets and the machine's addresses hold less than 2 GiB"},
		},
		sections: sectionNames{
			code: ".text.startup", strings: ".rodata.str1.1", data: ".rodata", relocated: ".data.rel.ro",
			info: ".tgtimg", constructors: ".init_array.1", destructors: ".fini_array.1",
			bareImages: ".rodata.images", imagesUse: objfile.UseData, irCode: ".text.startup",
			features: ".note.gnu.property", plainStack: ".note.GNU-stack",
		},
		fatPrefixes: []string{".hip_fat", ".nv_fatb", "__nv_relfatbin"}, relocatableFat: "__nv_relfatbin",
		hostEntries: (*objectBuilder).addLinkerEntries,
		x86Argument: x86RDI,
	}
	coffFormat = hostFormat{
		object:   objfile.COFF,
		systems:  windowsSystems,
		machines: coffLimits,
		sections: sectionNames{
			code: ".text.startup", strings: ".rdata", data: ".rdata", relocated: ".rdata",
			info: ".tgtimg", constructors: ".CRT$XCA00001", destructors: ".CRT$XTA00001",
			bareImages: ".rdata$images", imagesUse: objfile.UseData, irCode: ".text.startup",
		},
		fatPrefixes: []string{".hip_fat", ".nv_fatb", "__nv_relf"}, relocatableFat: "__nv_relf", // COFF cuts names
		hostEntries: (*objectBuilder).addSortedEntries,
		x86Argument: x86RCX,
	}
	// mingwFormat differs from COFF in its lists, which count down and run
	// from the end.
	mingwFormat = hostFormat{
		object:       objfile.COFF,
		systems:      windowsSystems,
		environments: []string{"gnu", "mingw", "cygwin"},
		machines:     coffLimits,
		sections: sectionNames{
			code: ".text.startup", strings: ".rdata", data: ".rdata", relocated: ".rdata",
			info: ".tgtimg", constructors: ".ctors.65534", destructors: ".dtors.65534",
			bareImages: ".rdata$images", imagesUse: objfile.UseData, irCode: ".text.startup",
		},
		fatPrefixes: coffFormat.fatPrefixes, relocatableFat: coffFormat.relocatableFat,
		hostEntries: (*objectBuilder).addSortedEntries,
		x86Argument: x86RCX,
	}
	machoFormat = hostFormat{
		object:  objfile.MachO,
		systems: []string{"darwin", "macos", "ios"},
		machines: map[objfile.Machine]machineLimits{
			objfile.X86_64:  {max: 2 * gib, why: "its code model reaches less than 2 GiB"},
			objfile.AArch64: {max: 4 * gib, why: "the file offsets of Mach-O sections hold less than 4 GiB"},
		},
		sections: sectionNames{
			code: "__TEXT,__text", strings: "__DATA,__const", data: "__DATA,__const", relocated: "__DATA,__const",
			info: "__DATA,__tgtimg", constructors: "__DATA,__mod_init_func",
			images: "__DATA,__offload_img", imagesUse: objfile.UseRetainedData,
		},
		fatPrefixes: []string{"__HIP,__hip_fatbin", "__NV_CUDA,__nv_fatbin", "__NV_CUDA,__nv_relfatbin", "__NV_CUDA,__fatbin"}, relocatableFat: "__NV_CUDA,__nv_relfatbin",
		x86Argument: x86RDI,
	}

	windowsSystems = []string{"windows", "win32", "mingw", "cygwin", "uefi"}
	coffLimits     = map[objfile.Machine]machineLimits{
		objfile.X86_64:  {max: 2 * gib, why: "a Windows program or library is smaller than 2 GiB"},
		objfile.AArch64: {max: 2 * gib, why: "a Windows program or library is smaller than 2 GiB"},
	}
)

// hostFormats are tried in this order: a triple that names no other system is
// ELF.
var hostFormats = []*hostFormat{&mingwFormat, &coffFormat, &machoFormat, &elfFormat}

// formatOf returns the format of the system in a triple.
func formatOf(system string) *hostFormat {
	for _, f := range hostFormats {
		if (f.systems == nil || containsAny(system, f.systems)) && (f.environments == nil || containsAny(system, f.environments)) {
			return f
		}
	}
	return &elfFormat
}

// writtenObjects lists the object formats, with the machines of each, for messages.
func writtenObjects() string {
	var list []string
	for _, f := range slices.Backward(hostFormats) {
		var machines []string
		for _, m := range slices.Sorted(maps.Keys(f.machines)) {
			machines = append(machines, m.String())
		}
		row := fmt.Sprintf("%s (%s)", f.object, strings.Join(machines, ", "))
		if !slices.Contains(list, row) { // COFF has two formats
			list = append(list, row)
		}
	}
	return strings.Join(list, ", ")
}

// containsAny reports whether one of the parts is in the text.
func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
