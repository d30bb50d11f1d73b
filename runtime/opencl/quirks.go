package opencl

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"

	"offlink/lazyregexp"
)

// quirk is a behavior of a known driver that contradicts its own answers, or is a fault.
// Each row says in which versions it was seen; the answers of other versions are believed.
type quirk struct {
	name     string
	platform func() *regexp.Regexp // of the platform's name
	version  func() *regexp.Regexp // of the platform's version, or the driver's
	why      string
	set      func(d *Device, a *abilities, version []string)
}

// quirks is the one place that names particular drivers. quirks_test.go has the versions,
// and its TestQuirks tries the installed drivers.
var quirks = []quirk{
	{
		name: "intel-exit", platform: lazyregexp.New(`^Intel\(R\) OpenCL`), version: lazyregexp.New(`^20(2[1-9])\.`),
		why: "unknown extensions and instructions make the driver call exit (2021.12 to 2026.22)",
		set: func(_ *Device, a *abilities, _ []string) { a.known = true },
	},
	{
		name: "intel-versions-1.3", platform: lazyregexp.New(`^Intel\(R\) OpenCL`), version: lazyregexp.New(`^(2021\.1[23]|2022\.1[45]|2024\.16)\.`),
		why: "the driver lists SPIR-V 1.0 alone and takes up to 1.3 (2021.12 to 2022.15 and 2024.16, of the releases 2021.4 to 2023.2)",
		set: func(d *Device, _ *abilities, _ []string) { d.listVersions(3) },
	},
	{
		name: "intel-versions-1.4", platform: lazyregexp.New(`^Intel\(R\) OpenCL`), version: lazyregexp.New(`^(2023\.16|2024\.17)\.`),
		why: "the driver lists SPIR-V 1.0 alone and takes up to 1.4 (2023.16 and 2024.17, of the releases 2024.0 and 2024.1)",
		set: func(d *Device, _ *abilities, _ []string) { d.listVersions(4) },
	},
	{
		name: "intel-failures", platform: lazyregexp.New(`^Intel\(R\) OpenCL`), version: lazyregexp.New(`^20(2[2-9])\.`),
		why: "the driver uses freed memory where two events fail that a command waits for, and in an out-of-order queue after one that failed (2022.14 to 2026.22)",
		set: func(_ *Device, a *abilities, _ []string) { a.diesOfFailures = true },
	},
	{
		name: "pocl-bitcode", platform: lazyregexp.New(`^Portable Computing Language`), version: lazyregexp.New(`PoCL (?:[1-3]\.|[45]\..*, SPIR,).*LLVM (\d+)`),
		why: "PoCL up to 3.1, and 4 and 5 of some distributions, is built without SPIR-V and takes the bitcode of its own LLVM, linked, if it was built with SPIR: SPIR-V is translated to it",
		set: func(d *Device, a *abilities, version []string) {
			llvm, _ := strconv.Atoi(version[1])
			a.takeBitcode(d, llvm)
		},
	},
	{
		name: "pocl-variables", platform: lazyregexp.New(`^Portable Computing Language`), version: lazyregexp.New(`PoCL [1-3]\.`),
		why: "PoCL up to 3.1 gives each kernel its own copy of a program-scope variable, and aborts on function pointers and recursion",
		set: func(_ *Device, a *abilities, _ []string) {
			a.noVariables = "PoCL up to 3.1 gives each kernel a copy of its own"
			a.noFunctionPointers, a.noRecursion = true, true
		},
	},
	{
		name: "pocl-callbacks", platform: lazyregexp.New(`^Portable Computing Language`), version: lazyregexp.New(`PoCL [1-6]\.`),
		why: "PoCL up to 6.0 calls no callback for an event that failed",
		set: func(_ *Device, a *abilities, _ []string) { a.silentFailures = true },
	},
	{
		name: "pocl-failures", platform: lazyregexp.New(`^Portable Computing Language`), version: lazyregexp.New(`PoCL [1-6]\.`),
		why: "PoCL up to 6.0 aborts where an event fails while another ends that the same command waits for, and never ends a command that is enqueued after an event that has failed",
		set: func(_ *Device, a *abilities, _ []string) { a.diesOfFailures, a.failsAlone = true, true },
	},
	{
		name: "oclgrind-bitcode", platform: lazyregexp.New(`^Oclgrind`), version: lazyregexp.New(`Oclgrind (1\d|2[01])\.`),
		why: "Oclgrind up to 21.10 takes the bitcode of LLVM 14 with typed pointers, and finds unresolved symbols at the launch only",
		set: func(d *Device, a *abilities, _ []string) { a.takeBitcode(d, 14) },
	},
	{
		name: "oclgrind-threads", platform: lazyregexp.New(`^Oclgrind`), version: lazyregexp.New(`Oclgrind (1\d|2[01])\.`),
		why: "Oclgrind up to 21.10 aborts when two threads run kernels at once",
		set: func(d *Device, _ *abilities, _ []string) { d.api = d.api.OneAtATime() },
	},
	{
		name: "oclgrind-events", platform: lazyregexp.New(`^Oclgrind`), version: lazyregexp.New(`Oclgrind (1\d|2[01])\.`),
		why: "Oclgrind up to 21.10 runs commands in clFlush, which then waits for events of the host that nobody can end",
		set: func(_ *Device, a *abilities, _ []string) {
			a.noHostEvents = "Oclgrind up to 21.10 waits for them in clFlush"
		},
	},
	{
		name: "oclgrind-pointers", platform: lazyregexp.New(`^Oclgrind`), version: lazyregexp.New(`Oclgrind (1\d|2[01])\.`),
		why: "Oclgrind up to 21.10 crashes when it builds a module with function pointers",
		set: func(_ *Device, a *abilities, _ []string) { a.noFunctionPointers = true },
	},
	{
		name: "rusticl-binary", platform: lazyregexp.New(`^rusticl`), version: lazyregexp.New(`^22\.`),
		why: "rusticl of Mesa 22 takes SPIR-V in binaries of its own only, and aborts on variables that change and on function pointers",
		set: func(_ *Device, a *abilities, _ []string) {
			a.noSPIRV, a.wrapIL = "", wrapRusticl
			a.refusesVariables, a.noFunctionPointers = true, true
			a.noVariables = "rusticl of Mesa 22 has no program-scope variables that change"
		},
	},
	{
		name: "rusticl-events", platform: lazyregexp.New(`^rusticl`), version: lazyregexp.New(`^22\.`),
		why: "rusticl of Mesa 22 never ends a command that waits for an event which failed",
		set: func(_ *Device, a *abilities, _ []string) {
			a.noHostEvents = "rusticl of Mesa 22 never ends the commands after one that failed"
		},
	},
	{
		name: "rusticl-linker", platform: lazyregexp.New(`^rusticl`), version: lazyregexp.New(`^2[3-9]\.`),
		why: "rusticl links with SPIRV-Tools, which refuses modules of different versions of SPIR-V (25.0)",
		set: func(_ *Device, a *abilities, _ []string) { a.buildsWhole, a.specConstants = true, false },
	},
	{
		name: "rusticl-variables", platform: lazyregexp.New(`^rusticl`), version: lazyregexp.New(`^2[3-9]\.`),
		why: "rusticl aborts on program-scope variables that change and have an initializer (25.0)",
		set: func(_ *Device, a *abilities, _ []string) {
			a.refusesVariables, a.noVariables = true, "rusticl has no program-scope variables that change"
		},
	},
	{
		name: "rusticl-pointers", platform: lazyregexp.New(`^rusticl`), version: lazyregexp.New(`^2[3-9]\.`),
		why: "rusticl validates modules by the rules of SPIR-V without SPV_INTEL_function_pointers (25.0)",
		set: func(_ *Device, a *abilities, _ []string) { a.noFunctionPointers = true },
	},
	{
		name: "rusticl-failures", platform: lazyregexp.New(`^rusticl`), version: lazyregexp.New(`^2[3-5]\.`),
		why: "a queue of rusticl fails every command after one that waited for an event which failed (24.0 and 25.0), out-of-order ones too, and runs some of them all the same (24.0)",
		set: func(_ *Device, a *abilities, _ []string) {
			a.noHostEvents = "a queue of rusticl of Mesa 23 to 25 fails every command after one that failed"
		},
	},
}

// listVersions has a device that lists one version of SPIR-V take those up to 1.MINOR.
func (d *Device) listVersions(minor int) {
	if len(d.info.ILVersions) != 1 {
		return // it lists them itself
	}
	d.info.ILVersions = nil
	for i := range minor + 1 {
		d.info.ILVersions = append(d.info.ILVersions, fmt.Sprintf("SPIR-V_1.%d", i))
	}
}

// takeBitcode has SPIR-V translated to the bitcode of an LLVM version, where a
// translator is installed. A driver that was built without SPIR takes no bitcode: PoCL 3.0
// of PyPI reads a null build log when it is given some.
func (a *abilities) takeBitcode(d *Device, llvm int) {
	if !d.info.HasExtension("cl_khr_spir") {
		a.noSPIRV = "it takes neither SPIR-V nor LLVM bitcode: the driver was built without them (it lacks cl_khr_spir)"
		return
	}
	a.bitcode, a.linksHere = true, true
	if d.driver.options.Translator == "" {
		a.noSPIRV = fmt.Sprintf("it takes LLVM %d bitcode and no SPIR-V; with OFFLINK_LLVM_SPIRV naming an llvm-spirv of LLVM %d or older SPIR-V is translated", llvm, llvm)
		return
	}
	a.noSPIRV, a.translateTo = "", llvm
}

// wrapRusticl returns a program binary of rusticl of Mesa 22: version, size, type 1 (a
// compiled object), then the module.
func wrapRusticl(code []byte) []byte {
	const version, object = 1, 1
	b := binary.LittleEndian.AppendUint32(nil, version)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(code)))
	b = binary.LittleEndian.AppendUint32(b, object)
	return append(b, code...)
}

func (d *Device) applyQuirks(a *abilities) {
	for _, q := range quirks {
		if !q.platform().MatchString(d.platform.name) {
			continue
		}
		for _, text := range []string{d.platform.version, d.info.DriverVersion, d.info.Version} {
			if version := q.version().FindStringSubmatch(text); version != nil {
				q.set(d, a, version)
				a.quirks = append(a.quirks, q.name)
				break
			}
		}
	}
	if alter := d.driver.options.alter; alter != nil {
		alter(a)
	}
}

// Quirks are the names of the rows of the table of known drivers' gaps that
// apply to the device.
func (d *Device) Quirks() []string { return d.able.quirks }
