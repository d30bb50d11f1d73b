package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/runtime"
	"offlink/runtime/backends"
	"offlink/runtime/registry"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// launchOptions is the command line of launch.
type launchOptions struct {
	kernel string
	global string
	local  string
	args   []string
	device string
	json   bool
	out    []string
	limit  time.Duration
	files  []string
}

func newLaunchCommand(s cli.Streams) *cobra.Command {
	var o launchOptions
	c := &cobra.Command{
		Use:   "launch --kernel NAME --global X[,Y[,Z]] [--local X[,Y[,Z]]] [--arg SPEC]... FILE...",
		Short: "Run one kernel out of files, without running any host code",
		Long: `launch reads the device images of the FILEs (objects, programs, shared
libraries), links what the kernel needs, runs it, and prints every buffer:
"arg0: 1 2 3". FILEs are read as given; what they link to is not followed.

Arguments are given in the order of the kernel's source. SPEC is
  i32:42  f32:1.5      a value; the types are i8 to i64, u8 to u64, f32, f64
  buf:i32:8            a buffer of 8 zeros
  buf:f32:1,2,3        a buffer with these values; buf:f32:1, has one
  buf:f32:@data.bin    a buffer with the bytes of a file, little-endian
  local:256            256 bytes of local memory

Without --local the device picks a size that divides the global one.`,
		Example: "  devrun launch --kernel app --global 8 --arg buf:i32:8 a.out libhelpers.so",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("name the files with the device images; see 'devrun launch --help'")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return launch(c.Context(), o, s)
		},
	}
	f := c.Flags()
	f.StringVar(&o.kernel, "kernel", "", "name of the kernel")
	f.StringVar(&o.global, "global", "", "number of work-items: X, X,Y or X,Y,Z")
	f.StringVar(&o.local, "local", "", "work-items of a work-group; divides --global")
	f.StringArrayVar(&o.args, "arg", nil, "one argument, as SPEC; repeat for each")
	f.StringVar(&o.device, "device", "", "device: BACKEND[:TYPE or number], as devrun devices lists them")
	f.BoolVar(&o.json, "json", false, "print JSON, buffers in full")
	f.StringArrayVar(&o.out, "out", nil, "N=FILE: write the bytes of buffer argument N to FILE")
	f.DurationVar(&o.limit, "timeout", 0, "stop building and running after that long (10s, 2m; 0: never)")
	return c
}

// launch is the walk: files, images, registry, link, program, launch, output.
func launch(ctx context.Context, o launchOptions, s cli.Streams) (err error) {
	job, err := parseJob(o)
	if err != nil {
		return err
	}
	ctx, stop := stoppable(ctx, o.limit)
	defer stop()
	rt := runtime.New(backends.Open(backends.Options{Output: o.printer(s)}))
	defer closeInto(&err, rt.Shutdown)
	device, err := rt.Device(o.device)
	if err != nil {
		return err
	}
	for i, name := range o.files {
		file, err := wrapper.Open(name, wrapper.ReadOptions{})
		if err != nil {
			return err
		}
		defer file.Close()
		if err := register(rt, registry.Owner{ID: uint64(i), Name: name}, file); err != nil {
			return err
		}
	}
	program, err := rt.Program(ctx, device, runtime.KernelRef{Name: o.kernel})
	if err != nil {
		return err
	}
	defer closeInto(&err, program.Close)
	if err := job.run(ctx, program); err != nil {
		return err
	}
	return job.print(program, s)
}

// printer takes what the kernel prints: with --json, standard output is for
// the report alone.
func (o *launchOptions) printer(s cli.Streams) io.Writer {
	if o.json {
		return s.Err
	}
	return s.Out
}

func register(rt *runtime.Runtime, owner registry.Owner, file *wrapper.File) error {
	var images []*devimg.Image
	for i := range file.Images() {
		images = append(images, &file.Images()[i].Image)
	}
	if len(images) == 0 {
		return fmt.Errorf("%s: holds no device images", owner.Name)
	}
	rt.Register(owner, images)
	return nil
}
