package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"offlink/runtime/backends"
	"offlink/runtime/cache"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	_ "offlink/runtime/hostdev/wazeroengine" // compiles its kernels
	"offlink/runtime/opencl"
)

const throughputModule = "runtime/hostdev/testdata/golden/throughput.spv"

// runKernels is a process that runs the kernels on one device, as
// testdata/kernels.c runs those in C: each line of input names one, and its
// time and the checksum of its results are printed. The arguments are the device,
// how many processors it has, and by how much the launches are smaller.
//
// The devices are wasm, native and interpreter, which may end in :LANES, and
// opencl, the first one of the loader.
func runKernels(args []string) error {
	if len(args) != 3 {
		return errors.New("-kernels DEVICE PROCESSORS SMALLER")
	}
	processors, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	smaller, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	hostdev.CollectLater() // as the runtime of C programs does
	if err := keepProcessors(processors); err != nil {
		return err
	}
	d, closeDevice, err := kernelDevice(args[0])
	if err != nil {
		return err
	}
	defer closeDevice()
	s, err := newKernelSession(d, smaller)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		took, sum, err := s.runOnce(lines.Text())
		if err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
		fmt.Printf("%d %x\n", took.Nanoseconds(), sum)
	}
	return lines.Err()
}

// keepProcessors leaves the process so many processors, so that every driver makes
// as many threads.
func keepProcessors(n int) error {
	var all, kept unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return err
	}
	for i := 0; n > 0 && i < 1024; i++ {
		if all.IsSet(i) {
			kept.Set(i)
			n--
		}
	}
	if n > 0 {
		return errors.New("not so many processors")
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, task := range tasks {
		id, err := strconv.Atoi(task.Name())
		if err != nil {
			return err
		}
		if err := unix.SchedSetaffinity(id, &kept); err != nil {
			return err
		}
	}
	return nil
}

func kernelDevice(name string) (driver.Device, func(), error) {
	name, lanes, _ := strings.Cut(name, ":")
	if name == "opencl" {
		d, err := opencl.Open(opencl.Options{Translator: installedTranslator()})
		if err != nil {
			return nil, nil, err
		}
		return firstDevice(d, func() { d.Close() })
	}
	options := hostdev.Options{Interpret: name == "interpreter"}
	if lanes != "" {
		n, err := strconv.Atoi(lanes)
		if err != nil {
			return nil, nil, err
		}
		options.Lanes = n
	}
	clean := func() {}
	if name == "native" {
		dir, err := os.MkdirTemp("", "offlink-bench-")
		if err != nil {
			return nil, nil, err
		}
		store := cache.New(cache.Options{Dir: dir})
		clean = func() { store.Close(); os.RemoveAll(dir) }
		options.Cache, options.Loader, options.AwaitCompiler = store, backends.NativeLoader(), true
	}
	return firstDevice(hostdev.New(options), clean)
}

// installedTranslator is for PoCL, which takes LLVM bitcode of its own version.
func installedTranslator() string {
	for _, name := range []string{"llvm-spirv-15", "llvm-spirv-14"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func firstDevice(d driver.Driver, clean func()) (driver.Device, func(), error) {
	list, err := d.Devices()
	if err == nil && len(list) == 0 {
		err = errors.New("no device")
	}
	if err != nil {
		return nil, nil, err
	}
	return list[0], clean, nil
}

// kernelSession is the kernels on a device with their buffers.
type kernelSession struct {
	device  driver.Device
	queue   driver.Queue
	program driver.Program
	sizes   kernelSizes

	floats, others, out, bytes driver.Memory
	start                      []byte // of out
}

// kernelSizes are those of testdata/kernels.c, or smaller ones.
type kernelSizes struct {
	count, side, bodies, picture, turns, digests, area int
}

func sizesOf(smaller int) kernelSizes {
	// Work grows with the cube of the side of a matrix, and with the square
	// of the others.
	root := 1
	for root*root*4 <= smaller {
		root *= 2
	}
	return kernelSizes{
		count: 1 << 20 / smaller, side: max(16, 256/root), bodies: max(256, 1024/root), picture: 512 / root,
		turns: 256, digests: max(256, 16384/smaller), area: 1024 / root,
	}
}

func newKernelSession(d driver.Device, smaller int) (*kernelSession, error) {
	s := &kernelSession{device: d, sizes: sizesOf(smaller)}
	err := s.build()
	if err != nil {
		return nil, err
	}
	if s.queue, err = d.NewQueue(driver.QueueOptions{}); err != nil {
		return nil, err
	}
	for i := range 2 * s.sizes.count {
		s.start = binary.LittleEndian.AppendUint32(s.start, math.Float32bits(float32(float32(i%1000)*0.001)+0.5))
	}
	bytes := make([]byte, s.sizes.count)
	for i := range bytes {
		bytes[i] = byte(uint64(i) * 2654435761 >> 13)
	}
	for _, b := range []struct {
		to   *driver.Memory
		data []byte
	}{{&s.floats, s.start}, {&s.others, s.start}, {&s.out, s.start}, {&s.bytes, bytes}} {
		if *b.to, err = d.Alloc(driver.DeviceMemory, int64(len(b.data))); err != nil {
			return nil, err
		}
		if err := s.queue.Write(*b.to, 0, b.data, driver.Sync{Block: true}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// build makes the program, without the code that it has of an earlier one.
func (s *kernelSession) build() error {
	code, err := os.ReadFile(throughputModule)
	if err != nil {
		return err
	}
	if s.program != nil {
		if err := s.program.Close(); err != nil {
			return err
		}
	}
	image := driver.Image{Format: "spirv", Target: "spir64"}
	s.program, err = driver.Build(context.Background(), s.device, []driver.Module{{Name: throughputModule, Image: image, Code: code}}, driver.BuildOptions{})
	return err
}

// kernelLaunch is a launch of a kernel, and the bytes of its results.
type kernelLaunch struct {
	r     driver.Range
	args  []driver.Arg
	bytes int
}

func valueArg[T any](v T) driver.Arg {
	data, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err) // a type without a size
	}
	return driver.Arg{Value: data}
}

func (s *kernelSession) launches() map[string]kernelLaunch {
	n := s.sizes
	row := func(global, local int) driver.Range { return driver.Range{Global: []int{global}, Local: []int{local}} }
	square := func(side int) driver.Range { return driver.Range{Global: []int{side, side}, Local: []int{16, 16}} }
	number := func(v int) driver.Arg { return valueArg(int32(v)) }
	in, other, out := driver.Arg{Memory: s.floats}, driver.Arg{Memory: s.others}, driver.Arg{Memory: s.out}
	return map[string]kernelLaunch{
		"saxpy":   {row(n.count, 256), []driver.Arg{valueArg(float32(1.5)), in, out}, 4 * n.count},
		"matmul":  {square(n.side), []driver.Arg{number(n.side), in, other, out}, 4 * n.side * n.side},
		"nbody":   {row(n.bodies, 256), []driver.Arg{number(n.bodies), in, out}, 16 * n.bodies},
		"mandel":  {square(n.picture), []driver.Arg{number(n.picture), number(n.picture), number(n.turns), out}, 4 * n.picture * n.picture},
		"reduce":  {row(n.count, 256), []driver.Arg{in, out, {LocalSize: 1024}}, 4 * (n.count / 256)},
		"hist":    {row(n.count, 256), []driver.Arg{{Memory: s.bytes}, out}, 4 * 256},
		"sha256":  {row(n.digests, 256), []driver.Arg{out}, 32 * n.digests},
		"stencil": {square(n.area), []driver.Arg{number(n.area), number(n.area), in, out}, 4 * n.area * n.area},
		"fft":     {row(n.count/2, 128), []driver.Arg{in, out, other, {LocalSize: 4096}}, 8 * n.count},
		"scan":    {row(n.count, 256), []driver.Arg{in, out, {LocalSize: 2048}}, 4 * n.count},
	}
}

// runOnce launches a kernel on fresh results, and takes its processor time; /wall
// after the name stands for the time by the clock, /first for a launch that has
// the kernel compiled.
func (s *kernelSession) runOnce(name string) (time.Duration, uint64, error) {
	name, wall := strings.CutSuffix(name, "/wall")
	name, first := strings.CutSuffix(name, "/first")
	if first {
		if err := s.build(); err != nil {
			return 0, 0, err
		}
	}
	l, ok := s.launches()[name]
	if !ok {
		return 0, 0, errors.New("no such kernel")
	}
	start := s.start
	if name == "hist" {
		start = make([]byte, l.bytes)
	}
	if err := s.queue.Write(s.out, 0, start, driver.Sync{Block: true}); err != nil {
		return 0, 0, err
	}
	took, err := s.timeLaunch(name, l, wall)
	if err != nil {
		return 0, 0, err
	}
	got := make([]byte, l.bytes)
	if err := s.queue.Read(s.out, 0, got, driver.Sync{Block: true}); err != nil {
		return 0, 0, err
	}
	sum := fnv.New64a()
	sum.Write(got)
	return took, sum.Sum64(), nil
}

// timeLaunch launches a kernel and waits for it. It returns the time by the
// clock or the processor time.
func (s *kernelSession) timeLaunch(name string, l kernelLaunch, wall bool) (time.Duration, error) {
	k, err := s.program.Kernel(name)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	before := preciseTime()
	err = errors.Join(s.queue.Launch(k, l.r, l.args, driver.Sync{}), s.queue.Finish())
	took := preciseTime() - before
	if wall {
		took = time.Since(began)
	}
	return took, err
}

// preciseTime is the processor time of this process so far, to the nanosecond.
func preciseTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
