package hostdev

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"offlink/lazy"
)

// Processor is a level of processors that native images are compiled for.
type Processor struct {
	// Name is the one that -march of gcc and clang takes.
	Name   string
	GOARCH string
	// flags are the features by the names of Linux's /proc/cpuinfo.
	flags []string
}

// Processors are the levels, those of one architecture from the least one up. The levels
// of x86-64 are those of the System V ABI's supplement, without the first one, which
// lacks instructions that round.
var Processors = []Processor{
	{"x86-64-v2", "amd64", x86v2},
	{"x86-64-v3", "amd64", slices.Concat(x86v2, x86v3)},
	{"x86-64-v4", "amd64", slices.Concat(x86v2, x86v3, x86v4)},
	{"armv8-a", "arm64", nil},
	{"armv8.2-a", "arm64", []string{"atomics", "asimdrdm", "crc32"}},
}

var (
	x86v2 = []string{"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"}
	x86v3 = []string{"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}
	x86v4 = []string{"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
)

// processorFeatures are those of this machine, nil where they are not known.
var processorFeatures = lazy.Value[[]string]{New: func() []string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(info)) {
		name, list, _ := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); name == "flags" || name == "Features" {
			return strings.Fields(list)
		}
	}
	return nil
}}

// processorLacks tells why code for a level does not run here.
func processorLacks(name string) error {
	at := slices.IndexFunc(Processors, func(p Processor) bool { return p.Name == name })
	if at < 0 {
		return fmt.Errorf("it is for the processor %q, which this version does not know", name)
	}
	if len(Processors[at].flags) == 0 {
		return nil
	}
	have := processorFeatures.Get()
	if have == nil {
		return errors.New("the processor's features are not known on this system")
	}
	var missing []string
	for _, flag := range Processors[at].flags {
		if !slices.Contains(have, flag) {
			missing = append(missing, flag)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("it is for %s, and this processor lacks %s", name, strings.Join(missing, ", "))
	}
	return nil
}
