package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"offlink/spirv"
)

//go:embed opencl.py
var otherHalf []byte

// runElsewhere runs the jobs on the OpenCL device: dir/N.json becomes
// dir/N.result or dir/N.error. Jobs of one module share a file.
func runElsewhere(o options, dir string, jobs []*job) error {
	script := filepath.Join(dir, "opencl.py")
	if err := os.WriteFile(script, otherHalf, 0o666); err != nil {
		return err
	}
	for i, j := range jobs {
		j.base = filepath.Join(dir, strconv.Itoa(i))
		sum := sha256.Sum256(j.code)
		j.Code = filepath.Join(dir, hex.EncodeToString(sum[:])+".spv")
		if j.hasVariables() {
			j.Code = j.base + ".spv" // a kernel before would have changed them
		}
		if err := os.WriteFile(j.Code, j.code, 0o666); err != nil {
			return err
		}
		text, err := json.Marshal(j)
		if err != nil {
			return err
		}
		if err := os.WriteFile(j.base+".json", text, 0o666); err != nil {
			return err
		}
	}
	cmd := exec.Command(o.python, script, dir)
	cmd.Env = append(os.Environ(), "OCL_ICD_VENDORS="+o.icd)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// hasVariables reports whether the module has variables in global memory, which a
// program keeps from launch to launch.
func (j *job) hasVariables() bool {
	return slices.ContainsFunc(j.module.Globals(), func(in *spirv.Instruction) bool {
		return in.Op == spirv.OpVariable && spirv.StorageClass(in.Words[2]) == spirv.StorageCrossWorkgroup
	})
}

type verdict int

const (
	verdictEqual verdict = iota
	verdictNear
	verdictRounded // differs by roundings that add up
	verdictOrder   // differs, but so do runs here with another order of work-items
	verdictUndefined
	verdictFaulty // differs, and the checked mode finds faults of the kernel with these arguments
	verdictDiffers
	verdictFault   // the embedded device stops it with all arguments
	verdictRefused // the other device does not run it
	verdicts
)

var verdictNames = [verdicts]string{"equal", "equal to some units of the last place", "equal but for roundings that add up", "depend on the order of work-items", "differ where OpenCL leaves the result open", "differ, and the checked mode tells why", "differ", "stopped by the embedded device", "not run by the other device"}

// maxUnits is the most units in the last place by which floats may differ: the devices'
// mathematical functions differ.
const maxUnits = 16

func (j *job) compareResults() (verdict, string) {
	data, err := os.ReadFile(j.base + ".result")
	if err != nil {
		reason, err := os.ReadFile(j.base + ".error")
		if err != nil {
			return verdictRefused, "it ended without a result"
		}
		return verdictRefused, strings.TrimSpace(string(reason))
	}
	v, detail := verdictEqual, j.String()
	for i, b := range j.Buffers {
		theirs := data[:len(b.Data)]
		data = data[len(b.Data):]
		if bytes.Equal(theirs, b.result) {
			continue
		}
		if at, ok := b.nearlyEqual(theirs); !ok {
			if j.dependsOnOrder() {
				return verdictOrder, detail
			}
			if found := j.findings(); found != "" {
				return verdictFaulty, fmt.Sprintf("%v: %s", j, found)
			}
			return verdictDiffers, fmt.Sprintf("%v: buffer %d at byte %d: %x here, %x there", j, i, at, b.result[at:at+8], theirs[at:at+8])
		}
		v = verdictNear
	}
	return v, detail
}

// nearlyEqual compares floats by their distance and the rest by their bytes.
func (b *buffer) nearlyEqual(theirs []byte) (at int, ok bool) {
	size := b.layout.size
	if size == 0 {
		return 0, false
	}
	for start := 0; start+size <= len(theirs); start += size {
		for _, f := range b.layout.fields {
			at := start + f.offset
			x, y := b.result[at:at+f.size], theirs[at:at+f.size]
			switch around := at &^ 7; {
			case bytes.Equal(x, y):
			case f.float && ulpDistance(littleEndian(x), littleEndian(y), f.size) <= maxUnits:
			case !f.float && nearFloats(upTo8(b.result[around:]), upTo8(theirs[around:])):
			default:
				return max(min(at, len(theirs)-8), 0), false
			}
		}
	}
	return 0, true
}

func upTo8(b []byte) []byte { return b[:min(8, len(b))] }

// nearFloats reports whether eight bytes, or the last ones of a buffer, are nearly the same
// as a double, or as floats: translators do not find the types of all pointers, and make them
// pointers to bytes. Denormals do not count, as their bits look like small integers.
func nearFloats(x, y []byte) bool {
	near := func(x, y []byte, fraction int) bool {
		normal := littleEndian(x)<<1>>(fraction+1) != 0
		return bytes.Equal(x, y) || normal && ulpDistance(littleEndian(x), littleEndian(y), len(x)) <= maxUnits
	}
	switch len(x) {
	case 8:
		return near(x, y, 52) || near(x[:4], y[:4], 23) && near(x[4:], y[4:], 23)
	case 4:
		return near(x, y, 23)
	}
	return bytes.Equal(x, y)
}

func littleEndian(b []byte) (v uint64) {
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}

// ulpDistance returns how many steps of floats two are apart, 0 for two NaNs. It maps the
// sign and magnitude of the bits to integers in the order of the floats.
func ulpDistance(a, b uint64, size int) uint64 {
	sign := uint64(1) << (8*size - 1)
	exponent := map[int]uint64{2: 0x7c00, 4: 0x7f800000, 8: 0x7ff << 52}[size]
	if a&^sign > exponent && b&^sign > exponent {
		return 0
	}
	order := func(v uint64) int64 {
		if v&sign != 0 {
			return -int64(v &^ sign)
		}
		return int64(v)
	}
	d := order(a) - order(b)
	if d < 0 {
		d = -d
	}
	if d < 0 {
		return math.MaxUint64
	}
	return uint64(d)
}

// report counts the verdicts, of kernels and of families, and prints them.
type report struct {
	options  options
	counts   [verdicts]int
	families map[string]map[verdict]bool
}

func newReport(o options) *report {
	return &report{options: o, families: map[string]map[verdict]bool{}}
}

func (r *report) addVerdict(c candidate, v verdict, detail string) {
	if v == verdictDiffers && r.options.undefined.MatchString(c.name) {
		v = verdictUndefined
	}
	r.counts[v]++
	if r.families[c.family] == nil {
		r.families[c.family] = map[verdict]bool{}
	}
	r.families[c.family][v] = true
	if v == verdictDiffers || r.options.verbose {
		fmt.Printf("%s: %s: %s\n", verdictNames[v], c.name, detail)
	}
}

func (r *report) printSummary() {
	kernels := 0
	for v, n := range r.counts {
		kernels += n
		if n > 0 {
			families := 0
			for _, seen := range r.families {
				if seen[verdict(v)] {
					families++
				}
			}
			fmt.Printf("%6d kernels of %d families: %s\n", n, families, verdictNames[v])
		}
	}
	fmt.Printf("%6d kernels of %d families in all\n", kernels, len(r.families))
}
