package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/runtime/linkcheck"
	"offlink/wrapper/devimg"
)

// checkCommand is the command line of check and graph: files, and those
// of them that the program loads.
type checkCommand struct {
	streams cli.Streams
	files   []string
	opened  []string // with dlopen
	target  string
	all     bool
	json    bool
}

// newCheckCommand makes "devrun check", for builds and CI on machines without a device.
func newCheckCommand(s cli.Streams) *cobra.Command {
	o := &checkCommand{streams: s}
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check whether the device code of programs and libraries links, without a device",
		Long: `check is ldd for device code. For each image of the FILEs (programs, shared
libraries, objects, SPIR-V, folders of them, Python wheels) it lists the symbols
that it imports and the image that a launch would take for each. Then it lists the
problems: symbols that no image has, or only images for another target; symbols
and kernels that are defined twice and differ; device globals that images
describe differently; code that cannot be read; and last the kernels that
cannot be launched.

With a program among the FILEs, the libraries that it loads are found as the
dynamic loader of Linux finds them, and images of files that it does not load,
as --as-needed may have dropped them, do not count. --dlopen names libraries
that the program opens itself. Without a program all FILEs count, with the
libraries that they load.

The exit code is 1 where a launch would fail.`,
		Example: "  devrun check a.out\n  devrun check --target opencl:gpu a.out --dlopen plugin.so",
		Args:    needFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			o.files = args
			return o.runCheck()
		},
	}
	o.addFlags(c)
	c.Flags().BoolVar(&o.all, "all", false, "list images that import nothing too")
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// addFlags are those that check and graph share.
func (o *checkCommand) addFlags(c *cobra.Command) {
	c.Flags().StringArrayVar(&o.opened, "dlopen", nil, "a library `FILE` that the program opens with dlopen; repeat for each")
	c.Flags().StringVar(&o.target, "target", "", "check for one `DEVICE`, which need not be there ("+strings.Join(linkcheck.DeviceNames(), ", ")+
		"), or for one target of images (spir64, ...)")
}

// needFiles refuses a command line without files, with the exit code of bad usage.
func needFiles(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("name the files with the device images; see '%s --help'", c.CommandPath())
	}
	return nil
}

// checkFiles reads the files and checks them. The caller closes the program.
func (o *checkCommand) checkFiles() (*hostProgram, *linkcheck.Report, error) {
	var device *linkcheck.Device
	if o.target != "" {
		d, err := linkcheck.FindDevice(o.target)
		if err != nil {
			return nil, nil, cli.Usagef("--target %s: %w", o.target, err)
		}
		device = d
	}
	p, err := openProgram(o.files, o.opened)
	if err != nil {
		return nil, nil, err
	}
	report := linkcheck.Check(p.linkcheckProgram(), device)
	report.AddProblems(p.problems)
	return p, report, nil
}

// checkReport is check --json.
type checkReport struct {
	*linkcheck.Report
	Libraries []libraryReport `json:"libraries"`
}

// libraryReport is a host file with the libraries that it loads.
type libraryReport struct {
	File   string   `json:"file"`
	Loaded bool     `json:"loaded"` // with a program, or as no program is given
	Needs  []string `json:"needs"`  // the files with images, and those that were not found
}

func (o *checkCommand) runCheck() (err error) {
	p, report, err := o.checkFiles()
	if err != nil {
		return err
	}
	defer closeInto(&err, p.closeFiles)
	if o.json {
		err = cli.WriteJSON(o.streams.Out, checkReport{report, p.libraryReports()})
	} else {
		err = o.printReport(report)
	}
	if err == nil && report.Errors() > 0 {
		err = &cli.ExitError{Code: cli.ExitFailed} // the problems are printed
	}
	return err
}

// printReport prints imports, then problems, then a line of totals, as a compiler
// does: the end of a long output stays on the screen.
func (o *checkCommand) printReport(r *linkcheck.Report) error {
	w := o.streams.Out
	kernels, imports := 0, 0
	for _, img := range r.Images {
		kernels += len(img.Kernels)
		imports += len(img.Imports)
		if len(img.Imports) > 0 || o.all {
			printImports(w, img)
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintf(w, "%s: %s\n", p.Severity, p.Message)
	}
	printFailing(w, r.Failing)
	errors := r.Errors()
	_, err := fmt.Fprintf(w, "%s, %s, %s: %s, %s\n", countNoun(len(r.Images), "image"), countNoun(kernels, "kernel"), countNoun(imports, "import"),
		countNoun(errors, "error"), countNoun(len(r.Problems)-errors, "warning"))
	return err
}

// printImports prints an image in the form of ldd.
func printImports(w io.Writer, img linkcheck.Image) {
	fmt.Fprintf(w, "%s: image %d (%s): %s\n", img.File, img.Image, devimg.CodeName(img.Target, img.Format), countNoun(len(img.Kernels), "kernel"))
	for _, i := range img.Imports {
		if i.From == nil {
			fmt.Fprintf(w, "  %s => not found\n", i.Symbol)
			continue
		}
		fmt.Fprintf(w, "  %s => %s: image %d\n", i.Symbol, i.From.File, i.From.Image)
	}
}

// printFailing prints the kernels that cannot be launched in a line.
func printFailing(w io.Writer, list []linkcheck.Launch) {
	var names []string
	seen := make(map[string]bool)
	for _, l := range list { // one for each target
		if name := fmt.Sprintf("%s (%s)", l.Kernel, l.File); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	switch n := len(names); {
	case n == 1:
		fmt.Fprintf(w, "1 kernel cannot be launched: %s\n", names[0])
	case n > 1:
		fmt.Fprintf(w, "%d kernels cannot be launched: %s\n", n, someNames(names))
	}
}

// countNoun is "1 image" or "2 images".
func countNoun(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
