package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/runtime"
	"offlink/runtime/backends"
	"offlink/runtime/trace"
)

// launchOptions is the command line of launch, as text: job.go reads the parts.
type launchOptions struct {
	kernel string
	global string
	local  string
	args   []string
	extra  []string
	device string
	json   bool
	out    []string
	limit  time.Duration
	trace  string
	// verbose prints how the embedded device runs the kernel.
	verbose bool
	// saveTemps is a folder for the C of kernels, "" for none.
	saveTemps string
	files     []string
}

// launchHelp is the text of "devrun launch --help" above the options.
const launchHelp = `launch reads the device images of the FILEs (objects, programs, shared
libraries, SPIR-V, LLVM IR, Python wheels or WHEEL!MEMBER), links the images
that the kernel needs, runs it, and prints every buffer: "arg0: 1 2 3". FILEs
are read as given; the libraries that they link to are not followed. NAME is
the kernel's name, mangled or not, or a part of it that no other kernel has.

Arguments are given in the order of the kernel's source. SPEC is
  i32:42  f32:1.5      a value; the types are i8 to i64, u8 to u64, f32, f64
  buf:i32:8            a buffer of 8 zeros
  buf:f32:1,2,3        a buffer with these values; buf:f32:1, has one
  buf:f32:@data.bin    a buffer with the bytes of a file, little-endian
  local:256            256 bytes of local memory
  bytes:0100ff         a value of any type, in bytes, as hexadecimal digits
  bytes:@data.bin      the same, the bytes of a file
  struct:ptr:2+8,i64:5 a struct of fields, each aligned as C does: values,
                       bytes, and device addresses. ptr:2+8 is byte 8 of the
                       buffer of argument 2, ptr:b0 the start of the first
                       --buffer
A --buffer is memory that is not an argument itself; its SPEC is the part after buf:.

Without --local the device picks a size that divides the global one.`

// newLaunchCommand makes "devrun launch", which does not run the host program: the
// arguments that its code would have set come from the command line.
func newLaunchCommand(s cli.Streams) *cobra.Command {
	var o launchOptions
	c := &cobra.Command{
		Use:     "launch --kernel NAME --global X[,Y[,Z]] [--local X[,Y[,Z]]] [--arg SPEC]... FILE...",
		Short:   "Run one kernel out of files, without running any host code",
		Long:    launchHelp,
		Example: "  devrun launch --kernel app --global 8 --arg buf:i32:8 a.out libhelpers.so",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("name the files with the device images; see 'devrun launch --help'")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return launchKernel(c.Context(), o, s)
		},
	}
	f := c.Flags()
	f.StringVar(&o.kernel, "kernel", "", "`NAME` of the kernel, or a part of it that no other kernel has")
	f.StringVar(&o.global, "global", "", "number of work-items: `X[,Y[,Z]]`")
	f.StringVar(&o.local, "local", "", "work-items of a work-group: `X[,Y[,Z]]`, which divide those of --global")
	f.StringArrayVar(&o.args, "arg", nil, "one argument, as `SPEC`; repeat for each")
	f.StringArrayVar(&o.extra, "buffer", nil, "memory whose address struct: arguments hold: `SPEC` is TYPE:COUNT, TYPE:V,V,... or TYPE:@FILE; repeat for each")
	f.StringVar(&o.device, "device", "", "device: `SEL` is BACKEND[:TYPE or number], as devrun devices lists them; embedded:check looks for faults of the kernel")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "say on standard error whether the embedded device compiles the kernel, or why it interprets it")
	f.BoolVar(&o.json, "json", false, "print JSON, buffers in full")
	f.StringArrayVar(&o.out, "out", nil, "`N=FILE`: write the bytes of buffer argument N to FILE; bN=FILE those of --buffer N")
	f.StringVar(&o.saveTemps, "save-temps", "", "keep the C that the embedded device makes of kernels in the folder `DIR`, with the cache on")
	f.StringVar(&o.trace, "trace", "", "write the steps with their times to `FILE`, for ui.perfetto.dev")
	f.DurationVar(&o.limit, "timeout", 0, "stop building and running after `TIME` (10s, 2m; 0: never)")
	return c
}

// launchKernel is the walk: files, images, registry, link, program, launch, output.
// Back ends are opened lazily, so that a mistake in a file's name does not wait
// for drivers; everything is closed in the reverse order, and the first error
// counts.
func launchKernel(ctx context.Context, o launchOptions, s cli.Streams) (err error) {
	if err, ok := inOwnProcess(o.device); ok {
		return err
	}
	job, err := parseJob(o)
	if err != nil {
		return err
	}
	ctx, stop := stoppableContext(ctx, o.limit)
	defer stop()
	defer nameCause(ctx, &err)
	options := runtimeOptions(s)
	if o.trace != "" {
		if options.Trace, err = trace.Create(o.trace, "devrun launch"); err != nil {
			return fileError(o.trace, err)
		}
		defer closeInto(&err, options.Trace.Close)
	}
	if options.Cache != nil {
		defer closeInto(&err, options.Cache.Close)
	}
	rt := runtime.NewLazily(backends.Lazy(backends.Options{Output: o.printfWriter(s), Warn: options.Warn, Cache: options.Cache, SaveTemps: o.saveTemps}), options)
	defer closeInto(&err, rt.Shutdown)
	images, err := openImages(rt, o.files)
	if err != nil {
		return err
	}
	defer closeInto(&err, images.closeFiles)
	device, err := rt.Device(o.device)
	if err != nil {
		return err
	}
	present.useDevice(device)
	if job.options.kernel, err = images.findKernel(o.kernel); err != nil {
		return err
	}
	program, err := rt.Program(ctx, device, runtime.KernelRef{Name: job.options.kernel})
	if err != nil {
		return err
	}
	defer closeInto(&err, program.Close)
	return job.runAndPrint(ctx, program, s)
}

// runAndPrint runs the kernel and prints its buffers, or the findings of the
// checked mode.
func (j *job) runAndPrint(ctx context.Context, program *runtime.Program, s cli.Streams) error {
	if j.options.verbose {
		if err := explainExecutor(program, s); err != nil {
			return err
		}
	}
	run := func() error {
		defer backends.FlushOutput()
		return j.runKernel(ctx, program)
	}
	var err error
	if j.options.json { // standard output is only for the report
		err = diverted(run)
	} else {
		err = run()
	}
	if err != nil {
		return j.printFindings(err, program, s)
	}
	return j.printResults(program, s)
}

// printfWriter returns the writer for the kernel's output: with --json, standard output is
// only for the report.
func (o *launchOptions) printfWriter(s cli.Streams) io.Writer {
	if o.json {
		return s.Err
	}
	return s.Out
}
