package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	"offlink/spirv"
)

// job is one launch: its input, and the results of the embedded device. The other half,
// a program in Python that drives OpenCL, reads the exported fields as JSON.
type job struct {
	candidate `json:"-"`

	Kernel  string
	Code    string // a file
	Global  []int
	Local   []int
	Offset  []int
	Args    []argument
	Buffers []*buffer

	steps  int64 // the budget of a launch; 0: maxSteps
	code   []byte
	module *spirv.Module
	plan   plan
	base   string // of the names of the other half's files
}

// argument is one of a buffer (its number plus one; 0 is none) from a byte on, bytes with
// the addresses of buffers patched in, the size of local memory, a null pointer, or a
// sampler.
type argument struct {
	Buffer  int
	At      int64
	Bytes   []byte
	Patches []patch
	Local   int
	Null    bool
	Sampler *recordedSampler `json:",omitempty"`
	sampler *driver.Sampler
}

// patch is the address of a byte of a buffer, at an offset in bytes.
type patch struct{ Offset, Buffer, At int }

// buffer is memory that the kernel gets.
type buffer struct {
	Data    []byte
	Patches []patch
	Image   *recordedImage `json:",omitempty"`
	layout  layout
	result  []byte
	memory  driver.Memory

	image    *driver.ImageDesc // nil: not an image
	recorded []byte            // the memory that another device left
}

// bufferSize is the bytes of a buffer; -buffer sets it.
var bufferSize = 32 << 10

const (
	localBytes = 8 << 10
	maxBuffers = 64
)

// planJob finds arguments with which the kernel runs to its end, preferably ones with
// which it changes memory.
func planJob(c candidate) (*job, error) {
	code, err := c.linkedCode()
	if err != nil {
		return nil, err
	}
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, err
	}
	var idle *job
	for _, p := range plans {
		j := &job{candidate: c, Kernel: c.name, code: code, module: m, plan: p}
		if err = j.makeUp(); err != nil {
			return nil, err
		}
		if err = j.runHere(); err != nil {
			continue
		}
		if j.wroteAnything() {
			return j, nil
		}
		idle = j
	}
	if idle != nil {
		return idle, nil
	}
	return nil, err
}

// makeUp makes the range and the arguments of the kernel's parameters.
func (j *job) makeUp() error {
	id := j.entryPoint()
	j.Global, j.Local = []int{64}, []int{16}
	if j.global != nil && j.local != nil {
		j.Global, j.Local = j.global, j.local
	}
	for _, mode := range j.module.ExecutionModes(id) {
		if mode.Mode == spirv.ExecutionModeLocalSize {
			j.Global, j.Local = nil, nil
			for i, n := range mode.Words {
				j.Local = append(j.Local, int(n))
				j.Global = append(j.Global, int(n)*(2-min(i, 1)))
			}
		}
	}
	for _, f := range j.module.Functions() {
		if f.ID() != id {
			continue
		}
		for _, param := range f.Params {
			if err := j.addArgument(param.Type(), param.Result()); err != nil {
				return err
			}
		}
		j.widenRange()
	}
	return nil
}

// entryPoint is the function of the kernel, 0 if the module does not have it.
func (j *job) entryPoint() (id spirv.ID) {
	for _, e := range j.module.EntryPoints() {
		if e.Name == j.name {
			id = e.Function
		}
	}
	return id
}

func (j *job) addArgument(id, param spirv.ID) error {
	t := j.module.Def(id)
	switch t.Op {
	case spirv.OpTypePointer:
	case spirv.OpTypeImage:
		return j.addImage(t, param)
	case spirv.OpTypeSampler:
		j.addSampler()
		return nil
	default:
		j.Args = append(j.Args, j.bytesOf(layoutOf(j.module, id)))
		return nil
	}
	elem := spirv.ID(t.Words[2])
	switch spirv.StorageClass(t.Words[1]) {
	case spirv.StorageFunction:
		j.Args = append(j.Args, j.bytesOf(layoutOf(j.module, elem)))
	case spirv.StorageWorkgroup:
		j.Args = append(j.Args, argument{Local: localBytes})
	default:
		n, err := j.newBuffer(elem, 0)
		if err != nil {
			return err
		}
		j.Args = append(j.Args, argument{Buffer: n + 1})
	}
	return nil
}

// bytesOf is an argument by value.
func (j *job) bytesOf(l layout) argument {
	a := argument{Bytes: make([]byte, l.size)}
	for _, f := range l.fields {
		if f.pointer == 0 {
			putNumber(a.Bytes[f.offset:], f.size, j.plan.fieldValue(f))
			continue
		}
		if n, err := j.newBuffer(f.pointer, 1); err == nil {
			a.Patches = append(a.Patches, patch{Offset: f.offset, Buffer: n})
		}
	}
	return a
}

func putNumber(to []byte, size int, v uint64) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], v)
	copy(to[:size], word[:])
}

// newBuffer makes a buffer of elements of a type, and returns its number. Pointers in it
// get buffers of their own, one for each type, up to a depth of 2: deeper ones stay
// null, as types may be recursive.
func (j *job) newBuffer(elem spirv.ID, depth int) (int, error) {
	if len(j.Buffers) == maxBuffers {
		return 0, errors.New("too many buffers")
	}
	b := &buffer{Data: make([]byte, bufferSize), layout: layoutOf(j.module, elem)}
	if b.layout.size == 1 && depth > 0 {
		// A pointer in a struct mostly is to bytes because the translator did not
		// find its type. Such memory holds sizes and strides, of 64 bits.
		b.layout = scalarLayout(8, false)
	}
	n := len(j.Buffers)
	j.Buffers = append(j.Buffers, b)
	count, targets := 0, map[spirv.ID]int{}
	for at := 0; b.layout.size > 0 && len(b.layout.fields) > 0 && at+b.layout.size <= bufferSize; at += b.layout.size {
		for _, f := range b.layout.fields {
			if f.pointer != 0 && depth < 2 {
				target, ok := targets[f.pointer]
				if !ok {
					var err error
					if target, err = j.newBuffer(f.pointer, depth+1); err != nil {
						return 0, err
					}
					targets[f.pointer] = target
				}
				b.Patches = append(b.Patches, patch{Offset: at + f.offset, Buffer: target})
			} else if f.pointer == 0 {
				putNumber(b.Data[at+f.offset:], f.size, elementValue(f, count))
			}
			count++
		}
	}
	return n, nil
}

// maxSteps stops kernels that do not end with the arguments.
const maxSteps = 20_000_000

// dependsOnOrder reports whether the kernel leaves different results when its work-items
// run in another order: then no two devices need to agree. It compares with the
// interpreter: compiled work-items run side by side, in an order of their own that may
// leave the same as the reverse one.
func (j *job) dependsOnOrder() bool {
	own := j.results()
	defer j.setResults(own)
	if err := j.runOn(hostdev.Options{Interpret: true}); err != nil {
		return !errors.Is(err, hostdev.ErrBudget) // a launch that was not run to its end shows nothing
	}
	first := j.results()
	// Groups on several cores interleave differently from run to run, and may
	// leave the same by chance.
	for range orderRuns {
		if err := j.runOn(hostdev.Options{Backwards: true}); err != nil || !slices.EqualFunc(first, j.results(), bytes.Equal) {
			return true
		}
	}
	return false
}

func (j *job) results() [][]byte {
	var list [][]byte
	for _, b := range j.Buffers {
		list = append(list, b.result)
	}
	return list
}

func (j *job) setResults(list [][]byte) {
	for i, b := range j.Buffers {
		b.result = list[i]
	}
}

// orderRuns is how often a kernel runs backwards before it counts as one that
// does not depend on the order.
const orderRuns = 8

// runHere runs the job on the embedded device.
func (j *job) runHere() error { return j.runOn(hostdev.Options{}) }

// runOn runs the job on a device with the options.
func (j *job) runOn(o hostdev.Options) error {
	b, err := j.build(o)
	if err != nil {
		return err
	}
	defer b.close()
	return b.run(j)
}

// built is the program of a job on a device, which the jobs of the same code run on.
type built struct {
	device  driver.Device
	program driver.Program
	queue   driver.Queue
}

// build makes the job's program on a device with the options. The caller closes it.
func (j *job) build(o hostdev.Options) (b *built, err error) {
	o.Output, o.Steps = new(bytes.Buffer), cmp.Or(j.steps, maxSteps)
	d, err := hostdev.New(o).Devices()
	if err != nil {
		return nil, err
	}
	b = &built{device: d[0]}
	b.program, err = driver.Build(context.Background(), b.device, []driver.Module{{
		Name: "image", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: j.code,
	}}, driver.BuildOptions{})
	if err != nil {
		return nil, err
	}
	if b.queue, err = b.device.NewQueue(driver.QueueOptions{}); err != nil {
		b.program.Close()
		return nil, err
	}
	return b, nil
}

func (b *built) close() {
	b.queue.Close()
	b.program.Close()
}

// run launches the job with memory of its own, which it reads back.
func (b *built) run(j *job) error {
	args, err := j.driverArgs(b.device, b.queue)
	if err != nil {
		return err
	}
	k, err := b.program.Kernel(j.name)
	if err != nil {
		return err
	}
	if err := b.queue.Launch(k, driver.Range{Global: j.Global, Local: j.Local, Offset: j.Offset}, args, driver.Sync{}); err != nil {
		return err
	}
	if err := b.queue.Finish(); err != nil {
		return err
	}
	return j.readBack(b.queue)
}

func (j *job) driverArgs(device driver.Device, q driver.Queue) (list []driver.Arg, err error) {
	for _, b := range j.Buffers {
		if err := b.allocate(device); err != nil {
			return nil, err
		}
	}
	for _, b := range j.Buffers {
		if err := b.write(q, j.patchAddresses(b.Data, b.Patches)); err != nil {
			return nil, err
		}
	}
	for _, a := range j.Args {
		switch {
		case a.Buffer > 0:
			list = append(list, driver.Arg{Memory: j.Buffers[a.Buffer-1].memory, Offset: a.At})
		case a.Null:
			list = append(list, driver.Arg{})
		case a.sampler != nil:
			list = append(list, driver.Arg{Sampler: a.sampler})
		case a.Local > 0:
			list = append(list, driver.Arg{LocalSize: int64(a.Local)})
		default:
			list = append(list, driver.Arg{Value: j.patchAddresses(a.Bytes, a.Patches)})
		}
	}
	return list, nil
}

// patchAddresses puts the device's addresses into bytes.
func (j *job) patchAddresses(data []byte, patches []patch) []byte {
	data = bytes.Clone(data)
	for _, p := range patches {
		binary.LittleEndian.PutUint64(data[p.Offset:], j.Buffers[p.Buffer].memory.(driver.Addresser).Address()+uint64(p.At))
	}
	return data
}

// allocate makes the buffer's memory.
func (b *buffer) allocate(device driver.Device) (err error) {
	if b.image == nil {
		b.memory, err = device.Alloc(driver.DeviceMemory, int64(len(b.Data)))
		return err
	}
	images, ok := device.(driver.ImageDevice)
	if !ok {
		return errors.New("the device has no images")
	}
	b.memory, err = images.NewImage(*b.image)
	return err
}

// write fills the memory with data.
func (b *buffer) write(q driver.Queue, data []byte) error {
	if b.image == nil {
		return q.Write(b.memory, 0, data, driver.Sync{Block: true})
	}
	return q.(driver.ImageQueue).WriteImage(b.memory.(driver.ImageMemory), b.box(), driver.HostImage{Data: data}, driver.Sync{Block: true})
}

// read sets the result to the memory's contents.
func (b *buffer) read(q driver.Queue) error {
	if b.image == nil {
		return q.Read(b.memory, 0, b.result, driver.Sync{Block: true})
	}
	return q.(driver.ImageQueue).ReadImage(b.memory.(driver.ImageMemory), b.box(), driver.HostImage{Data: b.result}, driver.Sync{Block: true})
}

// box is the whole image.
func (b *buffer) box() driver.ImageBox {
	d := b.image
	box := driver.ImageBox{Size: [3]int{d.Width, 1, 1}}
	switch d.Kind {
	case driver.Image1DArray:
		box.Size[1] = d.Layers
	case driver.Image2D:
		box.Size[1] = d.Height
	case driver.Image2DArray:
		box.Size[1], box.Size[2] = d.Height, d.Layers
	case driver.Image3D:
		box.Size[1], box.Size[2] = d.Height, d.Depth
	}
	return box
}

// readBack reads the buffers, and clears the addresses in them: they differ from run to
// run.
func (j *job) readBack(q driver.Queue) error {
	for _, b := range j.Buffers {
		b.result = make([]byte, len(b.Data))
		if err := b.read(q); err != nil {
			return err
		}
		b.clearAddresses(b.result)
	}
	return nil
}

// clearAddresses clears the addresses in contents of the buffer.
func (b *buffer) clearAddresses(data []byte) {
	for _, p := range b.Patches {
		clear(data[p.Offset : p.Offset+8])
	}
}

// wroteAnything reports whether the kernel wrote anything.
func (j *job) wroteAnything() bool {
	for _, b := range j.Buffers {
		if !bytes.Equal(b.Data, b.result) {
			return true
		}
	}
	return false
}

// resultDigest returns a digest of all buffers after the kernel ran on the embedded
// device.
func (j *job) resultDigest() string {
	h := sha256.New()
	for _, b := range j.Buffers {
		h.Write(b.result)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func (j *job) String() string {
	return fmt.Sprintf("global %v, local %v, numbers %v", j.Global, j.Local, j.plan)
}
