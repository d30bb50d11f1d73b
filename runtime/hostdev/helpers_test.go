package hostdev

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

// testProgram is a built program with the queue and output of its launches.
type testProgram struct {
	testing.TB
	device  driver.Device
	program driver.Program
	queue   driver.Queue
	output  *bytes.Buffer // the output of kernels
	options Options
}

// module is code for a build.
func module(name string, code []byte) driver.Module {
	return driver.Module{Name: name, Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code}
}

func readModules(t testing.TB, names ...string) []driver.Module {
	t.Helper()
	var list []driver.Module
	for _, name := range names {
		code, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, module(strings.TrimSuffix(name, ".spv"), code))
	}
	return list
}

func buildProgram(t testing.TB, names ...string) *testProgram {
	t.Helper()
	return buildModules(t, Options{}, driver.BuildOptions{}, readModules(t, names...)...)
}

func buildModules(t testing.TB, opts Options, build driver.BuildOptions, modules ...driver.Module) *testProgram {
	t.Helper()
	p := &testProgram{TB: t, output: new(bytes.Buffer), options: opts}
	opts.Output = p.output
	p.device = New(opts).device
	var err error
	if p.program, err = driver.Build(t.Context(), p.device, modules, build); err != nil {
		t.Fatal(err)
	}
	if p.queue, err = p.device.NewQueue(driver.QueueOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.queue.Close()
		p.program.Close()
	})
	return p
}

// buffer is an argument with the values.
func (p *testProgram) buffer(values any) driver.Arg {
	p.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		p.Fatal(err)
	}
	m, err := p.device.Alloc(driver.DeviceMemory, int64(len(data)))
	if err != nil {
		p.Fatal(err)
	}
	if err := p.queue.Write(m, 0, data, driver.Sync{Block: true}); err != nil {
		p.Fatal(err)
	}
	return driver.Arg{Memory: m}
}

// byValueOf is an argument by value.
func byValueOf(v any) driver.Arg {
	data, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return driver.Arg{Value: data}
}

// tryLaunch runs a kernel to its end.
func (p *testProgram) tryLaunch(kernel string, r driver.Range, args ...driver.Arg) error {
	p.Helper()
	k, err := p.program.Kernel(kernel)
	if err != nil {
		p.Fatal(err)
	}
	if err := p.queue.Launch(k, r, args, driver.Sync{}); err != nil {
		return err
	}
	return p.queue.Finish()
}

func (p *testProgram) launch(kernel string, r driver.Range, args ...driver.Arg) {
	p.Helper()
	if err := p.tryLaunch(kernel, r, args...); err != nil {
		p.Fatal(err)
	}
}

// readBuffer returns the values of a buffer.
func readBuffer[T any](p *testProgram, arg driver.Arg) []T {
	p.Helper()
	data := make([]byte, arg.Memory.Size())
	if err := p.queue.Read(arg.Memory, 0, data, driver.Sync{Block: true}); err != nil {
		p.Fatal(err)
	}
	var one T
	values := make([]T, len(data)/binary.Size(one))
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, values); err != nil {
		p.Fatal(err)
	}
	return values
}
