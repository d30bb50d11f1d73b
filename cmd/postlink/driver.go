package main

import (
	"fmt"

	"offlink/cmd/internal/cli"
	"offlink/ir"
	"offlink/ir/sycl"
)

// The options that the drivers of DPC++ and icx write on their lines, and those
// that every LLVM tool has, as far as nothing here depends on them.

// driverFlags adds these options. They are hidden, because drivers and not users write
// them.
func (o *options) driverFlags(f *cli.FlagSet) {
	hidden := func(set func(string) error, value string, names ...string) {
		for _, name := range names {
			f.Flags = append(f.Flags, cli.Flag{Name: name, Value: value, Usage: "accepted", Hidden: true, Set: set})
		}
	}
	// On every line for SPIR-V, whether there is ESIMD code or not.
	hidden(o.chooseAction(&o.lowerESIMD), "", "lower-esimd")
	// About ESIMD lowering, and the levels of its optimisation.
	hidden(ignoredOption, "", "lower-esimd-force-stateless-mem", "force-disable-esimd-opt", "O0", "O1", "O2", "O3", "Os", "Oz")
	hidden(o.setRDC, "", "sycl-rdc")
	hidden(setJSON, "", "json")
	// Of icx, for OpenMP code in the same module.
	hidden(ignoredOption, "", "ompoffload-link-entries", "ompoffload-sort-entries", "ompoffload-make-globals-static",
		"ompoffload-link-modules", "ompoffload-explicit-simd")
	// Of LLVM's libraries.
	hidden(ignoredOption, "", "color", "time-passes", "opaque-pointers", "stats", "stats-json", "track-memory", "time-trace", "verify-each",
		"print-options", "print-all-options", "disable-symbolication", "sort-timers", "debug", "enable-name-compression")
	hidden(ignoredOption, "FILE", "info-output-file", "crash-diagnostics-dir", "time-trace-file")
}

// setRDC accepts -sycl-rdc, which says whether code of other objects may be linked. Here
// -device-image-dependencies decides that.
func (o *options) setRDC(string) error {
	o.hasRDC = true
	return nil
}

// setJSON takes the format of property sets: 0 is the text that there is.
func setJSON(value string) error {
	if value == "true" {
		return fmt.Errorf("-json: property sets are written as text only: leave it out, or write -json=0")
	}
	return nil
}

// setIDQueriesRange takes the type that holds every work-item id, which the driver's command
// line promises.
func (o *options) setIDQueriesRange(arg string) error {
	ranges := map[string]uint32{"int": 0, "uint": 1, "size_t": 2}
	number, ok := ranges[arg]
	if !ok {
		return fmt.Errorf("-id-queries-range=%s: use int, uint or size_t", arg)
	}
	o.derive.IDQueriesRange = number
	return nil
}

// checkLowering refuses -lower-esimd for a module with ESIMD code, which takes a
// compiler's passes. Drivers pass the option on every line, so that it must be
// accepted for other modules.
func checkLowering(m *ir.Module, o *options) error {
	if !o.lowerESIMD {
		return nil
	}
	for i := range m.Values {
		v := &m.Values[i]
		if _, esimd := v.Attached(sycl.KindExplicitSIMD); esimd && v.Kind == ir.Function && !v.Declaration {
			return fmt.Errorf("-lower-esimd: %s is ESIMD code, which %s does not lower: run 'sycl-post-link -lower-esimd -ir-output-only' of a DPC++ toolchain first, and take its output as the input without -lower-esimd", cli.ReadableName(v.Name), program)
		}
	}
	return nil
}
