package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"offlink/runtime/hostdev"
)

// Stated launches: the comment at the start of a test of Piglit's program-tester
// says how its kernels are launched, and which memory they must leave. The
// format is described in Piglit's tests/cl/doc_program.cl.

// statedTest is a launch with its expected results.
type statedTest struct {
	name, kernel string
	global       []int
	local        []int
	offset       bool // it has a global offset
	in, out      map[int]statedValue
	image        bool // it takes images or samplers
}

// statedValue is the value of an argument.
type statedValue struct {
	element string // a scalar type of OpenCL C
	width   int    // elements of its vectors
	count   int    // vectors in the buffer; 0 of an argument by value
	words   []string
	// The distance that is allowed, in numbers or in units of the last place.
	tolerance float64
	units     bool
}

// statedConfig is the section [config].
type statedConfig struct {
	options   []string
	standard  string
	extension bool // it requires extensions of devices
	fails     bool // the build has to fail
	images    bool
}

// errNoTests is the error for a file that states no launches.
var errNoTests = errors.New("no launches are stated")

// parseStated reads the comment of a test's source.
func parseStated(source string) (statedConfig, []*statedTest, error) {
	config := statedConfig{standard: "CL1.2"}
	_, text, _ := strings.Cut(source, "/*!")
	text, _, ok := strings.Cut(text, "!*/")
	if !ok {
		return config, nil, errNoTests
	}
	base := &statedTest{global: []int{1}}
	var tests []*statedTest
	now := base
	for line, err := range statedLines(text) {
		if err != nil {
			return config, nil, err
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch {
		case line == "[config]":
		case line == "[test]":
			// The lines before the first test are defaults of all.
			next := *base
			next.in, next.out = map[int]statedValue{}, map[int]statedValue{}
			now = &next
			tests = append(tests, now)
		case now == base && config.set(key, value):
		default:
			if err := now.set(key, value); err != nil {
				return config, nil, fmt.Errorf("%s: %w", line, err)
			}
		}
	}
	return config, tests, nil
}

// statedLines yields the lines that are not empty, without comments. A line that ends
// with a backslash continues on the next one.
func statedLines(text string) func(func(string, error) bool) {
	return func(yield func(string, error) bool) {
		scanner := bufio.NewScanner(strings.NewReader(text))
		// Buffers are stated on one line each, longer than a scanner's usual
		// limit.
		scanner.Buffer(nil, 4<<20)
		line := ""
		for scanner.Scan() {
			part, _, _ := strings.Cut(scanner.Text(), "#")
			part, more := strings.CutSuffix(strings.TrimSpace(part), "\\")
			if line += " " + part; more {
				continue
			}
			if line = strings.TrimSpace(line); line != "" && !yield(line, nil) {
				return
			}
			line = ""
		}
		if err := scanner.Err(); err != nil {
			yield("", err)
		}
	}
}

// set takes a line of the section [config]. It returns false for a key that belongs to
// tests, whose defaults may stand there too.
func (c *statedConfig) set(key, value string) bool {
	switch key {
	case "build_options":
		c.options = strings.Fields(value)
	case "clc_version_min":
		c.standard = map[string]string{"20": "CL2.0", "30": "CL3.0"}[value]
		if c.standard == "" {
			c.standard = "CL1.2"
		}
	case "require_device_extensions", "require_platform_extensions", "device_regex":
		c.extension = true
	case "expect_build_fail":
		c.fails = value == "true"
	case "need_image_support":
		c.images = true
	default:
		return false
	}
	return true
}

// set takes a line of a test.
func (s *statedTest) set(key, value string) (err error) {
	switch key {
	case "name":
		s.name = value
	case "kernel_name":
		s.kernel = value
	case "global_size":
		s.global, err = statedSizes(value)
	case "local_size":
		s.local, err = statedSizes(value)
	case "global_offset":
		s.offset = true
	case "arg_in", "arg_out":
		return s.setArgument(key == "arg_out", value)
	}
	return err
}

// statedSizes returns the sizes before the first zero: Piglit always states three
// sizes, and pads with zeros.
func statedSizes(value string) (list []int, err error) {
	for _, field := range strings.Fields(value) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		list = append(list, n)
	}
	return list, nil
}

func (s *statedTest) setArgument(out bool, value string) error {
	fields := strings.Fields(value)
	if len(fields) < 2 {
		return errors.New("want a number and a type")
	}
	number, err := strconv.Atoi(fields[0])
	if err != nil {
		return err
	}
	fields = fields[1:]
	// One argument that is an image makes the whole test one of images, whose
	// arguments are stated in another form.
	if s.image = s.image || fields[0] == "image" || fields[0] == "sampler"; s.image {
		return nil
	}
	buffer := fields[0] == "buffer"
	if buffer && len(fields) > 1 {
		fields = fields[1:]
	}
	v, err := statedType(fields[0], buffer)
	if err != nil {
		return err
	}
	if at := slices.Index(fields, "tolerance"); at > 0 && at+1 < len(fields) {
		v.units = slices.Contains(fields[at:], "ulp")
		if v.tolerance, err = strconv.ParseFloat(fields[at+1], 64); err != nil {
			return err
		}
		fields = fields[:at]
	}
	v.words = fields[1:]
	if out {
		s.out[number] = v
	} else {
		s.in[number] = v
	}
	return nil
}

// statedType reads int, float4, and in buffers ushort8[3].
func statedType(name string, buffer bool) (v statedValue, err error) {
	v.width = 1
	if buffer {
		var count string
		name, count, _ = strings.Cut(strings.TrimSuffix(name, "]"), "[")
		if v.count, err = strconv.Atoi(count); err != nil || v.count < 1 || v.count > 1<<20 {
			return v, fmt.Errorf("a buffer of %q elements", count)
		}
	}
	v.element = strings.TrimRight(name, "0123456789")
	if digits := name[len(v.element):]; digits != "" {
		if v.width, err = strconv.Atoi(digits); err != nil || v.width > 16 {
			return v, fmt.Errorf("unknown type %s", name)
		}
	}
	if statedWidths[v.element] == 0 {
		return v, fmt.Errorf("unknown type %s", name)
	}
	return v, nil
}

var statedWidths = map[string]int{
	"bool": 4, "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8,
	"half": 2, "float": 4, "double": 8, "size_t": 8,
}

func (v *statedValue) isFloat() bool {
	return v.element == "half" || v.element == "float" || v.element == "double"
}

// each calls visit with the byte offset of each element and the word for it. The words
// are one for each element, one vector for all, or one for all; "repeat" cycles
// through any other number. A vector of three takes the room of four.
func (v *statedValue) each(visit func(at int, word string) error) error {
	size, stride := statedWidths[v.element], v.width
	if stride == 3 {
		stride = 4
	}
	words := v.words
	repeat := len(words) > 0 && words[0] == "repeat"
	if repeat {
		words = words[1:]
	}
	if len(words) == 0 || words[0] == "NULL" || words[0] == "random" {
		return nil
	}
	for i := range max(v.count, 1) * v.width {
		if i >= len(words) && !repeat && len(words) != v.width && len(words) != 1 {
			return fmt.Errorf("%d values where %d are wanted", len(words), max(v.count, 1)*v.width)
		}
		if err := visit((i/v.width*stride+i%v.width)*size, words[i%len(words)]); err != nil {
			return err
		}
	}
	return nil
}

// bytes is the memory of the value.
func (v *statedValue) bytes() ([]byte, error) {
	stride := v.width
	if stride == 3 {
		stride = 4
	}
	size := statedWidths[v.element]
	data := make([]byte, max(v.count, 1)*stride*size)
	err := v.each(func(at int, word string) error {
		bits, err := v.number(word)
		putNumber(data[at:], size, bits)
		return err
	})
	return data, err
}

// number is the bits of a word.
func (v *statedValue) number(word string) (uint64, error) {
	// Without an exponent, hexadecimal digits are the bits of a float.
	bits := strings.HasPrefix(strings.ToLower(word), "0x") && !strings.Contains(word, "p")
	if v.isFloat() && !bits {
		f, err := strconv.ParseFloat(word, 64)
		if word == "-nan" {
			f, err = math.Copysign(math.NaN(), -1), nil
		}
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return 0, err
		}
		switch v.element {
		case "half":
			return nearestHalf(f), nil
		case "float":
			return uint64(math.Float32bits(float32(f))), nil
		}
		return math.Float64bits(f), nil
	}
	if n, err := strconv.ParseInt(word, 0, 64); err == nil {
		return uint64(n), nil
	}
	// Numbers beyond the signed range are unsigned ones.
	n, err := strconv.ParseUint(word, 0, 64)
	return n, err
}

// job makes the launch. An argument that is only an output gets zeroed memory of its
// size.
func (s *statedTest) job(c candidate) (*job, error) {
	if c.readCode == nil {
		return nil, fmt.Errorf("there is no kernel %s", s.kernel)
	}
	code, err := c.readCode()
	if err != nil {
		return nil, err
	}
	j := &job{candidate: c, Kernel: c.name, code: code, Global: s.global, Local: s.local}
	if s.local == nil && strings.Contains(c.name, "_local_") {
		// The work-items of a group would share the variable that each has its
		// result in.
		j.Local = slices.Repeat([]int{1}, len(s.global))
	}
	for i := 0; ; i++ {
		in, isIn := s.in[i]
		out, isOut := s.out[i]
		if !isIn && !isOut {
			return j, nil
		}
		if !isIn {
			in = out
			in.words = nil
		}
		data, err := in.bytes()
		if err != nil {
			return nil, err
		}
		switch {
		case in.count == 0:
			j.Args = append(j.Args, argument{Bytes: data})
		case len(in.words) > 0 && in.words[0] == "NULL":
			j.Args = append(j.Args, argument{Local: len(data)}) // memory without contents: local
		default:
			// Some of Piglit's kernels read beyond the stated elements, or have more
			// work-items than that.
			data = append(data, make([]byte, alignUp(2*len(data), 64)-len(data))...)
			j.Args = append(j.Args, argument{Buffer: len(j.Buffers) + 1})
			j.Buffers = append(j.Buffers, &buffer{Data: data})
		}
	}
}

// compare returns an error with the first place where the memory that the job left
// differs from the stated one.
func (s *statedTest) compare(j *job) error {
	for i, a := range j.Args {
		want, ok := s.out[i]
		if !ok || a.Buffer == 0 {
			continue
		}
		got := j.Buffers[a.Buffer-1].result
		size := statedWidths[want.element]
		err := want.each(func(at int, word string) error {
			bits, err := want.number(word)
			if err != nil || at+size > len(got) {
				return errors.Join(err, errors.New("a result that does not fit the buffer"))
			}
			if is := littleEndian(got[at : at+size]); !want.near(is, bits&(1<<(8*size-1)<<1-1)) && !s.isMistaken(at/size) {
				return fmt.Errorf("argument %d: element %d is %#x; want %#x (%s)", i, at/size, is, bits, word)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mistaken has the index of a vector whose result Piglit states contrary to Annex F of
// C, which OpenCL follows, or as if denormals were zero. Keys are whole names of tests,
// or the function before the type. copysign of a number and NaN is a number,
// fmod(3, inf) is 3, pow(x, -inf) is 0, tgamma(0) and 4/0 are infinite, and 0 plus the
// denormal with the bits 64 is that denormal.
var mistaken = map[string]int{"copysign": 5, "fmod": 5, "pow": 5, "tgamma": 3, "fdiv 4.0, y": 10, "add integer 64": 0}

func (s *statedTest) isMistaken(element int) bool {
	if at, ok := mistaken[s.name]; ok {
		return element == at
	}
	function, typ, _ := strings.Cut(s.name, " ")
	width, err := strconv.Atoi(strings.TrimLeft(typ, "abcdefghijklmnopqrstuvwxyz"))
	at, ok := mistaken[function]
	return ok && err == nil && width > 0 && element/width == at
}

// near reports whether a result is within the stated tolerance. Two NaNs are equal.
func (v *statedValue) near(got, want uint64) bool {
	size := statedWidths[v.element]
	switch {
	case got == want:
		return true
	case !v.isFloat():
		shift := 64 - 8*size
		return math.Abs(float64(int64(got<<shift)>>shift)-float64(int64(want<<shift)>>shift)) <= v.tolerance
	case v.units:
		return ulpDistance(got, want, size) <= uint64(v.tolerance)
	}
	x, y := statedFloat(got, size), statedFloat(want, size)
	return x != x && y != y || x == y || math.Abs(x-y) <= v.tolerance
}

func statedFloat(bits uint64, size int) float64 {
	switch size {
	case 2:
		return halfNumber(uint16(bits))
	case 4:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// nearestHalf converts a number to the nearest half, ties to even.
func nearestHalf(f float64) uint64 {
	sign := uint64(0)
	if math.Signbit(f) {
		sign = 1 << 15
	}
	switch size := math.Abs(f); {
	case f != f:
		return 0x7e00
	// 65520 is half a step above 65504, the greatest half: from there on the nearest
	// is infinity.
	case size >= 65520:
		return sign | 0x7c00
	case size < 0x1p-14: // denormals are multiples of the least; the next number is 0x400
		return sign | uint64(math.RoundToEven(size*0x1p24))
	default:
		fraction, exponent := math.Frexp(size)
		return sign | halfBits(math.Ldexp(math.RoundToEven(fraction*2048), exponent-11))
	}
}

// halfNumber is the number that a half stands for.
func halfNumber(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	sign := 1 - 2*float64(bits>>15)
	switch {
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		return math.Inf(int(sign))
	case exponent == 0:
		return sign * fraction * 0x1p-24
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// runEverywhere runs the job in the interpreter, as WebAssembly and as native code
// where there is a C compiler, and reports whether all leave the same bytes.
func (j *job) runEverywhere(native hostdev.Options) error {
	if err := j.runOn(hostdev.Options{Interpret: true}); err != nil {
		return err
	}
	first := j.results()
	for name, o := range map[string]hostdev.Options{"WebAssembly": {}, "native code": native} {
		if name == "native code" && native.Cache == nil {
			continue
		}
		if err := j.runOn(o); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for i, b := range j.Buffers {
			if !bytes.Equal(first[i], b.result) {
				return fmt.Errorf("%s leaves other bytes in buffer %d than the interpreter", name, i)
			}
		}
	}
	return nil
}
