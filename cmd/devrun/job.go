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

// job is a launch as the command line asks for it.
type job struct {
	options launchOptions
	size    driver.Range
	specs   []*spec
	out     map[int]string // files by argument
}

func parseJob(o launchOptions) (*job, error) {
	j := &job{options: o, out: make(map[int]string)}
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
	return j, j.parseOut(o.out)
}

func parseSizes(flag, text string) ([]int, error) {
	var sizes []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, cli.Usagef("--%s %s: %q is no positive number", flag, text, part)
		}
		sizes = append(sizes, n)
	}
	if len(sizes) > 3 {
		return nil, cli.Usagef("--%s %s: there are at most 3 dimensions", flag, text)
	}
	return sizes, nil
}

func (j *job) parseOut(list []string) error {
	for _, text := range list {
		number, file, ok := strings.Cut(text, "=")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || file == "" {
			return cli.Usagef("--out %s: write N=FILE", text)
		}
		if n < 0 || n >= len(j.specs) || j.specs[n].kind != specBuffer {
			return cli.Usagef("--out %s: argument %d is no buffer", text, n)
		}
		j.out[n] = file
	}
	return nil
}

// run launches the kernel and reads the buffers back into the specs.
func (j *job) run(ctx context.Context, program *runtime.Program) (err error) {
	kernel, err := program.Kernel()
	if err != nil {
		return err
	}
	defer closeInto(&err, kernel.Close)
	if err := checkTypes(kernel, j.specs); err != nil {
		return err
	}
	queue, err := program.Device.NewQueue()
	if err != nil {
		return err
	}
	defer closeInto(&err, queue.Close)
	defer abortWith(ctx, queue)()
	args, free, err := j.arguments(program.Device, queue)
	defer closeInto(&err, free)
	if err != nil {
		return err
	}
	if err := kernel.Launch(queue, j.size, args); err != nil {
		return err
	}
	if err := queue.Finish(); err != nil {
		return err
	}
	return j.readBack(queue, args)
}

// checkTypes refuses a floating point number for an integer and the reverse,
// which the size alone would not show. Types that the device does not know
// are not checked.
func checkTypes(kernel *runtime.Kernel, specs []*spec) error {
	for i, s := range specs {
		if i >= len(kernel.Params) || s.kind != specValue || kernel.Params[i].Removed {
			continue
		}
		p := kernel.Params[i]
		if isFloat, known := floatType[p.Type]; known && isFloat != s.elem.float {
			return fmt.Errorf("kernel %s: argument %d: the kernel takes %s here and %s was given", kernel.Name, i, p.Type, s.elem.name)
		}
	}
	return nil
}

// floatType tells the scalar types of OpenCL C apart.
var floatType = map[string]bool{
	"float": true, "double": true, "half": true,
	"char": false, "uchar": false, "short": false, "ushort": false, "int": false, "uint": false, "long": false, "ulong": false,
}

// arguments makes the driver's arguments; free closes their memory.
func (j *job) arguments(device *runtime.Device, queue driver.Queue) (args []driver.Arg, free func() error, err error) {
	free = func() (err error) {
		for _, arg := range args {
			if arg.Memory != nil {
				closeInto(&err, arg.Memory.Close)
			}
		}
		return err
	}
	for i, s := range j.specs {
		arg, err := argument(device, queue, s)
		if err != nil {
			return args, free, fmt.Errorf("argument %d: %w", i, err)
		}
		args = append(args, arg)
	}
	return args, free, nil
}

func argument(device *runtime.Device, queue driver.Queue, s *spec) (driver.Arg, error) {
	switch s.kind {
	case specValue:
		return driver.Arg{Value: s.data}, nil
	case specLocal:
		return driver.Arg{LocalSize: s.size}, nil
	}
	m, err := device.Alloc(s.size)
	if err != nil || s.data == nil {
		return driver.Arg{Memory: m}, err
	}
	if err := queue.Write(m, 0, s.data); err != nil {
		_ = m.Close()
		return driver.Arg{}, err
	}
	return driver.Arg{Memory: m}, nil
}

func (j *job) readBack(queue driver.Queue, args []driver.Arg) error {
	for i, s := range j.specs {
		if s.kind != specBuffer {
			continue
		}
		s.data = make([]byte, s.size)
		if err := queue.Read(args[i].Memory, 0, s.data); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return queue.Finish()
}

// print writes the --out files, then what the command shows.
func (j *job) print(program *runtime.Program, s cli.Streams) error {
	var outputs cli.Outputs
	for i, file := range j.out {
		if err := outputs.WriteFile(file, j.specs[i].data); err != nil {
			outputs.Abort()
			return err
		}
	}
	if err := outputs.Commit(); err != nil {
		return err
	}
	if j.options.json {
		return printJSON(s.Out, j.report(program), j.specs)
	}
	for i, spec := range j.specs {
		if spec.kind == specBuffer {
			if err := printBuffer(s.Out, i, spec); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *job) report(program *runtime.Program) launchReport {
	r := launchReport{Kernel: j.options.kernel, Device: program.Device.String(), Global: j.size.Global, Local: j.size.Local}
	for _, img := range program.Link.Images {
		r.Images = append(r.Images, img.String())
	}
	return r
}
