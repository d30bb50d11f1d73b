package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"offlink/runtime/cache"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	"offlink/spirv"
)

// Recorded launches: the arguments of a kernel that a program launched on an OpenCL
// device, and the memory that the kernel left there. Each is a file of JSON; names of files in it are
// relative to its folder.

// recordedLaunch is such a file.
type recordedLaunch struct {
	Kernel string
	// Code is the file of the program: SPIR-V, or OpenCL C, which is compiled with
	// Options, those of clBuildProgram.
	Code, Options string

	Global, Local, Offset []int // Local and Offset may be null
	Args                  []recordedArg
	Buffers               []recordedBuffer
}

// recordedArg is one of part of a buffer (its number plus one, and the byte At which
// the part begins), the bytes of a value with the addresses in it, the size of local
// memory, a sampler.
type recordedArg struct {
	Buffer  int
	At      int64
	Bytes   []byte
	Patches []patch
	Local   int
	Sampler *recordedSampler
}

// recordedSampler is a sampler with the numbers of OpenCL (cl.h).
type recordedSampler struct {
	Normalized         bool
	Addressing, Filter uint32
}

// recordedBuffer is memory as it was before and after the launch, in files, with the
// addresses in it, which are not compared. That of an image has texels without gaps.
type recordedBuffer struct {
	Before, After string
	Patches       []patch
	Image         *recordedImage
}

// recordedImage is an image with the numbers of OpenCL (cl.h).
type recordedImage struct {
	Type, Order, Channel         uint32
	Width, Height, Depth, Layers int
}

// maxRecorded bounds the bytes of a launch's file and of each buffer.
const maxRecorded = 1 << 30

// readLaunch reads a recorded launch, and compiles its program with the clang.
func readLaunch(clang, file string) (*job, error) {
	text, err := readBounded(file)
	if err != nil {
		return nil, err
	}
	var l recordedLaunch
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields() // a field that is left out changes the launch
	if err := decoder.Decode(&l); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	dir := filepath.Dir(file)
	code, err := l.compile(clang, filepath.Join(dir, l.Code))
	if err != nil {
		return nil, err
	}
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, err
	}
	j := &job{
		candidate: candidate{name: l.Kernel, family: l.Kernel, file: file}, Kernel: l.Kernel,
		Global: l.Global, Local: l.Local, Offset: l.Offset, code: code, module: m,
	}
	for _, b := range l.Buffers {
		if err := j.addRecorded(dir, b); err != nil {
			return nil, err
		}
	}
	return j, j.addRecordedArgs(l.Args)
}

func readBounded(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxRecorded || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: it is too large, or no regular file", file)
	}
	return os.ReadFile(file)
}

// compile makes SPIR-V of the program.
func (l *recordedLaunch) compile(clang, code string) ([]byte, error) {
	isModule, err := startsWithMagic(code)
	if err != nil {
		return nil, err
	}
	if isModule {
		return readBounded(code)
	}
	return new(kernelPackage).compileSource(clang, filepath.Dir(code), code, clangOptions(l.Options)...)
}

// clangOptions are the options of clBuildProgram that change the code, as clang takes
// them. Without an option, clBuildProgram takes the source for OpenCL C 1.2. Programs rely
// on inline functions that drivers emit in every module, as GNU C once did.
func clangOptions(text string) []string {
	list := []string{"-cl-std=CL1.2", "-fgnu89-inline"}
	fields := splitOptions(text)
	for i := 0; i < len(fields); i++ {
		switch f := fields[i]; {
		case (f == "-D" || f == "-I") && i+1 < len(fields):
			i++
			list = append(list, f+fields[i])
		case strings.HasPrefix(f, "-D"), strings.HasPrefix(f, "-I"), f == "-w":
			list = append(list, f)
		case strings.HasPrefix(f, "-cl-") && !strings.HasPrefix(f, "-cl-nv-") && !strings.HasPrefix(f, "-cl-intel-"):
			list = append(list, f)
		}
	}
	return list
}

// splitOptions splits options at spaces outside of quotes.
func splitOptions(text string) (list []string) {
	var quote rune
	var now strings.Builder
	started := false
	for _, c := range text {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, started = c, true
		case quote == 0 && strings.ContainsRune(" \t\n\r", c):
			if started {
				list = append(list, now.String())
			}
			now.Reset()
			started = false
		default:
			now.WriteRune(c)
			started = true
		}
	}
	if started {
		list = append(list, now.String())
	}
	return list
}

// addRecorded adds a buffer or an image.
func (j *job) addRecorded(dir string, r recordedBuffer) (err error) {
	b := &buffer{}
	if b.Data, err = readBounded(filepath.Join(dir, r.Before)); err != nil {
		return err
	}
	if b.recorded, err = readBounded(filepath.Join(dir, r.After)); err != nil {
		return err
	}
	if len(b.recorded) != len(b.Data) {
		return fmt.Errorf("%s: %d bytes; %s has %d", r.After, len(b.recorded), r.Before, len(b.Data))
	}
	if r.Image != nil {
		if b.image, err = r.Image.desc(); err != nil {
			return err
		}
		b.layout = texelLayout(b.image.Format.Type)
	}
	b.Patches = r.Patches
	j.Buffers = append(j.Buffers, b)
	return nil
}

// Kinds of images as numbers of OpenCL (cl_mem_object_type, CL_MEM_OBJECT_IMAGE...).
const (
	object2D = 0x10F1 + iota
	object3D
	object2DArray
	object1D
	object1DArray
	object1DBuffer
)

// imageObjects are the kinds of recorded images.
var imageObjects = map[uint32]driver.ImageKind{
	object2D: driver.Image2D, object3D: driver.Image3D, object2DArray: driver.Image2DArray, object1D: driver.Image1D, object1DArray: driver.Image1DArray,
}

func (r *recordedImage) desc() (*driver.ImageDesc, error) {
	kind, ok := imageObjects[r.Type]
	if !ok {
		return nil, fmt.Errorf("images of the type %#x are not supported", r.Type)
	}
	return &driver.ImageDesc{
		Kind: kind, Format: driver.ImageFormat{Order: driver.ChannelOrder(r.Order), Type: driver.ChannelType(r.Channel)},
		Width: r.Width, Height: r.Height, Depth: r.Depth, Layers: r.Layers,
	}, nil
}

// texelLayout is the layout of one channel, as far as results that are near are told
// from others.
func texelLayout(t driver.ChannelType) layout {
	switch t {
	case driver.Float:
		return scalarLayout(4, true)
	case driver.HalfFloat:
		return scalarLayout(2, true)
	}
	return scalarLayout(1, false)
}

func (j *job) addRecordedArgs(args []recordedArg) error {
	params := j.paramTypes()
	if len(params) != len(args) {
		return fmt.Errorf("%s has %d parameters; %d arguments are recorded", j.name, len(params), len(args))
	}
	for i, b := range j.Buffers {
		if err := j.checkPatches(b.Patches, len(b.Data)); err != nil {
			return fmt.Errorf("buffer %d: %w", i, err)
		}
		b.clearAddresses(b.recorded)
	}
	for i, a := range args {
		if a.Buffer < 0 || a.Buffer > len(j.Buffers) {
			return fmt.Errorf("argument %d: there is no buffer %d", i, a.Buffer)
		}
		if err := j.checkPatches(a.Patches, len(a.Bytes)); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
		arg := argument{Buffer: a.Buffer, At: a.At, Bytes: a.Bytes, Patches: a.Patches, Local: a.Local}
		t := j.module.Def(params[i])
		switch {
		case a.Sampler != nil:
			arg.sampler = a.Sampler.sampler()
		case a.Buffer > 0 && t.Op == spirv.OpTypePointer:
			if b := j.Buffers[a.Buffer-1]; b.layout.size == 0 {
				b.layout = layoutOf(j.module, spirv.ID(t.Words[2]))
			}
		case isNullPointer(a) && t.Op == spirv.OpTypePointer && canBeNull(spirv.StorageClass(t.Words[1])):
			arg = argument{Null: true}
		}
		j.Args = append(j.Args, arg)
	}
	return nil
}

// checkPatches checks addresses in memory of a number of bytes.
func (j *job) checkPatches(patches []patch, size int) error {
	for _, p := range patches {
		if p.Offset < 0 || p.Offset > size-8 || p.Buffer < 0 || p.Buffer >= len(j.Buffers) {
			return fmt.Errorf("the address of buffer %d at byte %d of %d", p.Buffer, p.Offset, size)
		}
	}
	return nil
}

// isNullPointer reports whether an argument for a pointer is null: programs give eight
// zeros, or no value, as for local memory.
func isNullPointer(a recordedArg) bool {
	return a.Buffer == 0 && (a.Local == 8 || bytes.Equal(a.Bytes, make([]byte, 8)))
}

// canBeNull reports whether a parameter of a pointer type takes an address: it is the size of
// local memory, or the bytes of a value, for the others.
func canBeNull(storage spirv.StorageClass) bool {
	return storage != spirv.StorageWorkgroup && storage != spirv.StorageFunction
}

// CL_FILTER_NEAREST and CL_FILTER_LINEAR.
const (
	filterNearest = 0x1140
	filterLinear  = 0x1141
)

// paramTypes returns the types of the kernel's parameters.
func (j *job) paramTypes() (list []spirv.ID) {
	for _, f := range j.module.Functions() {
		if f.ID() == j.entryPoint() {
			for _, p := range f.Params {
				list = append(list, p.Type())
			}
		}
	}
	return list
}

// replayExecutors are those that have to leave the bytes that WebAssembly leaves.
func replayExecutors(store *cache.Cache) []executor {
	return append([]executor{interpreter, nativeCode(store)}, givenWidths()...)
}

// replayLaunches runs recorded launches in all executors of the embedded device, and
// compares their memory with each other, bit by bit, and with the recorded one.
func replayLaunches(o options, files []string) (differ bool, err error) {
	store, release, err := openStore()
	if err != nil {
		return false, err
	}
	defer release()
	r, executors := newReport(o), replayExecutors(store)
	for _, file := range files {
		j, err := readLaunch(o.clang, file)
		if err != nil {
			r.addVerdict(candidate{name: file, family: file}, verdictFault, err.Error())
			differ = true
			continue
		}
		if !r.replay(j, executors) {
			differ = true
		}
	}
	r.printSummary()
	return differ || r.counts[verdictDiffers] > 0, nil
}

// compiledSteps is how many steps compiled code may take for one of the interpreter
// and of the checked mode, which are as much slower.
const compiledSteps = 100

// replay runs one launch everywhere. It returns false for a launch that fails, or on
// which the executors do not agree.
func (r *report) replay(j *job, executors []executor) (same bool) {
	j.steps = compiledSteps * r.options.steps
	if err := j.runHere(); err != nil {
		r.addVerdict(j.candidate, verdictFault, fmt.Sprintf("%s: %v", j.file, err))
		return false
	}
	same = true
	own := j.results()
	for _, e := range executors {
		if j.steps = compiledSteps * r.options.steps; e.options.Interpret {
			j.steps = r.options.steps
		}
		err := j.runOn(e.options)
		switch {
		case errors.Is(err, hostdev.ErrBudget):
			fmt.Printf("%s: %s: not run to its end, %v\n", j.file, e.name, err)
		case err != nil || !slices.EqualFunc(own, j.results(), bytes.Equal) && !j.dependsOnOrder():
			fmt.Printf("executors differ: %s, %s: %s: %v\n", j.file, j.name, e.name, err)
			same = false
		}
	}
	j.setResults(own)
	j.steps = r.options.steps
	if found, err := j.findingsOf(); err != nil {
		fmt.Printf("%s: the checked mode: %v\n", j.file, err)
	} else if found != nil {
		fmt.Printf("%s: the checked mode finds: %v\n", j.file, found)
	}
	j.setResults(own)
	j.steps = compiledSteps * r.options.steps
	v, detail := j.compareRecorded()
	r.addVerdict(j.candidate, v, j.file+": "+detail)
	return same
}

// findingsOf returns the findings of the checked mode, nil if there are none.
func (j *job) findingsOf() (*hostdev.CheckError, error) {
	found, _, err := j.runChecked()
	return found, err
}

// compareRecorded compares the results with the recorded ones.
func (j *job) compareRecorded() (verdict, string) {
	v := verdictEqual
	for i, b := range j.Buffers {
		if bytes.Equal(b.recorded, b.result) {
			continue
		}
		at, ok := b.nearlyEqual(b.recorded)
		switch {
		case ok:
			v = max(v, verdictNear)
		case b.roundedAlike():
			v = verdictRounded
		case j.dependsOnOrder():
			return verdictOrder, j.rangeText()
		default:
			end := min(at+8, len(b.result))
			return verdictDiffers, fmt.Sprintf("%s: buffer %d at byte %d: %x here, %x recorded", j.rangeText(), i, at, b.result[at:end], b.recorded[at:end])
		}
	}
	return v, j.rangeText()
}

func (j *job) rangeText() string {
	return fmt.Sprintf("global %v, local %v, offset %v", j.Global, j.Local, j.Offset)
}

// roundedAlike reports whether all floats of the buffer differ by no more than a small
// part of the largest: a compiler may contract a product and a sum to one operation
// with one rounding (FP_CONTRACT of OpenCL C is on), and sums add up such differences.
func (b *buffer) roundedAlike() bool {
	size := 0
	for _, f := range b.layout.fields {
		if !f.float || size != 0 && f.size != size {
			size = 0
			break
		}
		size = f.size
	}
	switch {
	case size == 4 || size == 8:
		return b.alikeAs(size)
	case b.layout.size <= 1: // bytes, whose type the translator did not find
		return b.alikeAs(4) || b.alikeAs(8)
	}
	return false
}

// alikeAs is roundedAlike for floats of a size.
func (b *buffer) alikeAs(size int) bool {
	largest, apart := 0.0, 0.0
	for at := 0; at+size <= len(b.result); at += size {
		x, y := floatAt(b.result[at:], size), floatAt(b.recorded[at:], size)
		if x == y || x != x && y != y {
			continue
		}
		apart = max(apart, math.Abs(x-y))
		largest = max(largest, math.Abs(x), math.Abs(y))
	}
	return !math.IsInf(apart, 0) && apart <= largest*map[int]float64{4: 0x1p-13, 8: 0x1p-40}[size]
}

func floatAt(b []byte, size int) float64 {
	if size == 8 {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}
