package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"offlink/cmd/internal/cli"
	"offlink/runtime"
	"offlink/runtime/driver"
)

// job is a launch as the command line asks for it. It is checked as far as that is
// possible before a file is opened or a driver loaded.
type job struct {
	options launchOptions
	size    driver.Range
	specs   []*spec
	extra   []*spec             // of --buffer
	out     map[bufferID]string // files
}

// parseJob reads the options. Buffers come before addresses and --out, which
// refer to them by number.
func parseJob(o launchOptions) (*job, error) {
	j := &job{options: o, out: make(map[bufferID]string)}
	if o.kernel == "" {
		return nil, cli.Usagef("name the kernel with --kernel")
	}
	var err error
	if o.global == "" {
		return nil, cli.Usagef("give the number of work-items with --global")
	}
	if j.size.Global, err = parseSizes("global", o.global); err != nil {
		return nil, err
	}
	if o.local != "" {
		if j.size.Local, err = parseSizes("local", o.local); err != nil {
			return nil, err
		}
	}
	for _, text := range o.args {
		s, err := parseSpec(text)
		if err != nil {
			return nil, err
		}
		j.specs = append(j.specs, s)
	}
	if err := j.parseExtra(o.extra); err != nil {
		return nil, err
	}
	if err := j.checkAddresses(); err != nil {
		return nil, err
	}
	return j, j.parseOut(o.out)
}

// parseSizes reads the work-items of one to three dimensions, as OpenCL has them.
func parseSizes(flag, text string) ([]int, error) {
	var sizes []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, cli.Usagef("--%s %s: %q is not a positive number", flag, text, part)
		}
		sizes = append(sizes, n)
	}
	if len(sizes) > 3 {
		return nil, cli.Usagef("--%s %s: there are at most 3 dimensions", flag, text)
	}
	return sizes, nil
}

// parseOut reads the --out options. Of two for one buffer the later one counts, as with
// every other option.
func (j *job) parseOut(list []string) error {
	for _, text := range list {
		name, file, ok := strings.Cut(text, "=")
		id, known := parseBufferID(name)
		if !ok || !known || file == "" {
			return cli.Usagef("--out %s: write N=FILE, or bN=FILE", text)
		}
		if j.findBuffer(id) == nil {
			return cli.Usagef("--out %s: %s", text, id.missingMessage())
		}
		j.out[id] = file
	}
	return nil
}

// runKernel launches the kernel and reads the buffers back into the specs. Memory
// is freed before the queue is closed, and the queue before the kernel: the
// reverse of the order in which they were made.
func (j *job) runKernel(ctx context.Context, program *runtime.Program) (err error) {
	kernel, err := program.Kernel()
	if err != nil {
		return err
	}
	defer closeInto(&err, kernel.Close)
	if err := checkTypes(kernel, j.specs); err != nil {
		return err
	}
	queue, err := program.Device.NewQueue(driver.QueueOptions{})
	if err != nil {
		return err
	}
	defer closeInto(&err, queue.Close)
	defer abortWith(ctx, queue)()
	args, free, err := j.driverArgs(program.Device, queue)
	defer closeInto(&err, free)
	if err != nil {
		return err
	}
	if err := kernel.Launch(queue, j.size, args, driver.Sync{}); err != nil {
		return err
	}
	if err := queue.Finish(); err != nil {
		return err
	}
	return j.readBack(queue)
}

// checkTypes refuses a floating-point number for an integer and the reverse, which a check
// of the size would not find. Parameters whose type the device does not report are not
// checked.
func checkTypes(kernel *runtime.Kernel, specs []*spec) error {
	for i, s := range specs {
		if i >= len(kernel.Params) || s.kind != specValue || kernel.Params[i].Removed {
			continue
		}
		p := kernel.Params[i]
		if s.elem == nil {
			continue
		}
		if isFloat, known := floatType[p.Type]; known && isFloat != s.elem.float {
			return fmt.Errorf("kernel %s: argument %d: the kernel takes %s here and %s was given", kernel.Name, i, p.Type, s.elem.name)
		}
	}
	return nil
}

// floatType says which scalar types of OpenCL C are floating-point types.
var floatType = map[string]bool{
	"float": true, "double": true, "half": true,
	"char": false, "uchar": false, "short": false, "ushort": false, "int": false, "uint": false, "long": false, "ulong": false,
}

// eachBuffer yields the specs that have memory with their names, arguments first.
func (j *job) eachBuffer(yield func(bufferID, *spec) bool) {
	for _, extra := range []bool{false, true} {
		list := j.specs
		if extra {
			list = j.extra
		}
		for i, s := range list {
			if s.kind == specBuffer && !yield(bufferID{extra, i}, s) {
				return
			}
		}
	}
}

// driverArgs makes the driver's arguments; free closes their memory.
func (j *job) driverArgs(device *runtime.Device, queue driver.Queue) (args []driver.Arg, free func() error, err error) {
	free = func() (err error) {
		for _, s := range j.eachBuffer {
			if s.memory != nil {
				closeInto(&err, s.memory.Close)
			}
		}
		return err
	}
	for id, s := range j.eachBuffer {
		if err := s.allocateBuffer(device, queue); err != nil {
			return nil, free, fmt.Errorf("%s: %w", id.describeBuffer(), err)
		}
	}
	for i, s := range j.specs {
		arg := driver.Arg{Memory: s.memory}
		switch s.kind {
		case specLocal:
			arg.LocalSize = s.size
		case specValue:
			if arg.Value, err = j.resolveAddresses(s); err != nil {
				return nil, free, fmt.Errorf("argument %d: %w", i, err)
			}
		}
		args = append(args, arg)
	}
	return args, free, nil
}

// allocateBuffer makes the memory of a buffer. Without data it is left as the
// device allocates it: zeroed, as driver.Device promises.
func (s *spec) allocateBuffer(device *runtime.Device, queue driver.Queue) (err error) {
	if s.memory, err = device.Alloc(driver.DeviceMemory, s.size); err != nil || s.data == nil {
		return err
	}
	return queue.Write(s.memory, 0, s.data, driver.Sync{Block: true})
}

// readBack replaces the data of all buffers with that of the device. A kernel may
// write through an address, so buffers that are not arguments are read too.
func (j *job) readBack(queue driver.Queue) error {
	for id, s := range j.eachBuffer {
		s.data = make([]byte, s.size)
		if err := queue.Read(s.memory, 0, s.data, driver.Sync{Block: true}); err != nil {
			return fmt.Errorf("%s: %w", id.describeBuffer(), err)
		}
	}
	return queue.Finish()
}

// printResults writes the --out files, then the command's report.
func (j *job) printResults(program *runtime.Program, s cli.Streams) error {
	var outputs cli.Outputs
	for id, file := range j.out {
		if err := outputs.WriteFile(file, j.findBuffer(id).data); err != nil {
			outputs.Abort()
			return err
		}
	}
	if err := outputs.Commit(); err != nil {
		return err
	}
	if j.options.json {
		return cli.WriteJSON(s.Out, j.launchReport(program))
	}
	for id, b := range j.eachBuffer {
		if err := printBuffer(s.Out, id, b); err != nil {
			return err
		}
	}
	return nil
}

// launchReport is the result for --json, with all values of every buffer.
func (j *job) launchReport(program *runtime.Program) launchReport {
	r := launchReport{Kernel: j.options.kernel, Device: program.Device.String(), Global: j.size.Global, Local: j.size.Local, Buffers: []bufferReport{}}
	for _, img := range program.Link.Images {
		r.Images = append(r.Images, img.String())
	}
	for id, b := range j.eachBuffer {
		report := bufferReport{Type: b.elem.name, Values: jsonValues(b)}
		if id.extra {
			report.Buffer = &id.index
		} else {
			report.Arg = &id.index
		}
		r.Buffers = append(r.Buffers, report)
	}
	return r
}
