package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"offlink/props"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
	"offlink/wrapper/devimg"
)

// printRuntime measures the runtime as C programs see it: calls of offlink.h on
// each device, the start of a program that launches nothing, and registering
// and resolving among many images.
func printRuntime(dir string) error {
	program, err := buildLaunch(dir)
	if err != nil {
		return err
	}
	fmt.Println("runtime                      start ms   first ms   launch us  (90 %)   queued us    read us")
	var embedded calls
	for range callRuns {
		found, err := runCalls(program.run("host"))
		if err != nil {
			return err
		}
		embedded = embedded.least(found)
	}
	embedded.print("embedded device")
	fmt.Printf("%-26s %10s %10s %11s (3.00)\n", "  at most", "", "", "")
	if program.opencl && program.run("opencl:0").Run() == nil {
		if err := printOpenCL(program); err != nil {
			return err
		}
	}
	if err := printStart(dir, program); err != nil {
		return err
	}
	return printRegistry()
}

// launchProgram is testdata/launch.c, built.
type launchProgram struct {
	path   string
	spirv  []string
	opencl bool
}

// buildLaunch builds it with the conformance suite's modules in it.
func buildLaunch(dir string) (*launchProgram, error) {
	p := &launchProgram{path: filepath.Join(dir, "launch")}
	var objects []string
	for name, symbols := range map[string]string{"app": "app", "lib": "LibDeviceFunc"} {
		spirv, err := filepath.Abs(filepath.Join("runtime/drivertest/testdata", name+".spv"))
		if err != nil {
			return nil, err
		}
		text := ""
		if name == "lib" {
			text = "[SYCL/exported symbols]\n" + symbols + "=1|1\n"
		} else {
			text = "[SYCL/imported symbols]\nLibDeviceFunc=1|1\n"
		}
		for extension, content := range map[string]string{
			"prop": text, "sym": symbols + "\n", "table": "[Code|Properties|Symbols]\n" + spirv + "|" + name + ".prop|" + name + ".sym\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name+"."+extension), []byte(content), 0o666); err != nil {
				return nil, err
			}
		}
		if _, err := runOnce(dir, programPath("offload-wrap"), "-kind=sycl", "-target=spir64", "-format=spirv", "-o", name+".o", "-batch", name+".table"); err != nil {
			return nil, err
		}
		p.spirv = append(p.spirv, spirv)
		objects = append(objects, filepath.Join(dir, name+".o"))
	}
	slices.Sort(p.spirv)
	lib := filepath.Dir(programPath("postlink"))
	args := append([]string{"-O2", "-Iinclude", "-o", p.path, "internal/bench/testdata/launch.c"}, objects...)
	args = append(args, "-L"+lib, "-lofflink", "-Wl,-rpath,"+lib)
	if _, err := runOnce(".", "gcc", append(slices.Clone(args), "-DWITH_OPENCL", "-l:libOpenCL.so.1")...); err == nil {
		p.opencl = true
		return p, nil
	}
	_, err := runOnce(".", "gcc", args...)
	return p, err
}

func (p *launchProgram) run(args ...string) *exec.Cmd { return exec.Command(p.path, args...) }

// calls are the medians and 90th percentiles that the program prints, in us.
type calls map[string][2]float64

func runCalls(c *exec.Cmd) (calls, error) {
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", c.Args, err)
	}
	found := calls{}
	for line := range strings.Lines(string(out)) {
		var name string
		var values [2]float64
		if _, err := fmt.Sscan(line, &name, &values[0], &values[1]); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		found[name] = values
	}
	return found, nil
}

// least returns the lower figures of two runs.
func (c calls) least(other calls) calls {
	if c == nil {
		return other
	}
	for name, values := range other {
		if values[0] < c[name][0] {
			c[name] = values
		}
	}
	return c
}

func (c calls) print(what string) {
	fmt.Printf("%-26s %10.2f %10.2f %11.2f %7.2f %11.2f %10.3f\n", what, c["start"][0]/1000, c["first"][0]/1000,
		c["launch"][0], c["launch"][1], c["queued"][0], c["read"][0])
}

// callRuns is how often calls are measured, ours and the driver's in turns: the least
// of each counts, as the machine may have other work.
const callRuns = 5

// printOpenCL compares our calls with those of the driver itself.
func printOpenCL(p *launchProgram) error {
	var through, floor calls
	for range callRuns {
		ours, err := runCalls(p.run("opencl:0"))
		if err != nil {
			return err
		}
		direct, err := runCalls(p.run("opencl", p.spirv[0], p.spirv[1]))
		if err != nil {
			return err
		}
		through, floor = through.least(ours), floor.least(direct)
	}
	through.print("opencl:0")
	floor.print("  OpenCL called directly")
	fmt.Printf("%-26s %10s %10.2f %11.2f (1.15) %9.2f %12.2f\n", "  ratio", "", through["first"][0]/floor["first"][0],
		through["launch"][0]/floor["launch"][0], through["queued"][0]/floor["queued"][0], through["read"][0]/floor["read"][0])
	return nil
}

// printStart compares the start and end of a program that launches nothing
// with one that is not linked with the library.
func printStart(dir string, p *launchProgram) error {
	source := filepath.Join(dir, "nothing.c")
	if err := os.WriteFile(source, []byte("int main(void) { return 0; }\n"), 0o666); err != nil {
		return err
	}
	nothing := filepath.Join(dir, "nothing")
	if _, err := runOnce(dir, "gcc", "-O2", "-o", nothing, source); err != nil {
		return err
	}
	with, without := shortestStart(p.path), shortestStart(nothing)
	fmt.Printf("%-26s %10.3f ms more than a program without the library (0.5)\n", "start, no launch", (with-without).Seconds()*1e3)
	return nil
}

// shortestStart is the shortest time that a program takes that does nothing:
// other work on the machine makes the rest longer.
func shortestStart(path string) time.Duration {
	shortest := time.Hour
	for range 300 {
		start := time.Now()
		_ = exec.Command(path).Run() // it was run before
		shortest = min(shortest, time.Since(start))
	}
	return shortest
}

// meanTime returns the processor time of one of n calls.
func meanTime(n int, call func() error) (time.Duration, error) {
	before := processorTime()
	for range n {
		if err := call(); err != nil {
			return 0, err
		}
	}
	return (processorTime() - before) / time.Duration(n), nil
}

// printRegistry measures 10,000 images with 100,000 symbols. The figures are
// processor time, as the machine may have other work.
func printRegistry() error {
	const images, runs = 10000, 10
	list := make([]*devimg.Image, images)
	for i := range list {
		list[i] = symbolsImage(i)
	}
	var r *registry.Registry
	adding, _ := meanTime(runs, func() error {
		r = new(registry.Registry)
		for i, img := range list {
			r.Add(registry.Owner{ID: uint64(i), Name: "lib"}, []*devimg.Image{img})
		}
		r.Snapshot()
		return nil
	})
	one := []*devimg.Image{symbolsImage(images)}
	library, _ := meanTime(200, func() error {
		reg := r.Add(registry.Owner{ID: images, Name: "lib"}, one)
		r.Snapshot()
		r.Remove(reg)
		r.Snapshot()
		return nil
	})
	linking, err := timeLinks(r.Snapshot())
	if err != nil {
		return err
	}
	fmt.Printf("%-26s %10.1f ms  (50)\n", "10,000 images registered", adding.Seconds()*1e3)
	fmt.Printf("%-26s %10.3f ms  (1)\n", "a library comes and goes", library.Seconds()*1e3)
	fmt.Printf("%-26s %10.2f us  (50)\n", "a kernel resolved", linking.Seconds()*1e6)
	return nil
}

// timeLinks measures the resolution of one kernel of the images.
func timeLinks(snapshot *registry.Snapshot) (time.Duration, error) {
	var resolver resolve.Resolver
	request := resolve.Request{
		Kernel: "_ZTS6KernelILi5000ELi3EE", Accepts: func(driver.Image) error { return nil },
		Extensions: []string{driver.LinkExtension("spir64")},
	}
	return meanTime(2000, func() error {
		_, err := resolver.Link(snapshot, request)
		return err
	})
}

// symbolsImage has five kernels and five exports, and imports from the next of
// its group of five.
func symbolsImage(i int) *devimg.Image {
	img := &devimg.Image{Target: "spir64", Format: devimg.FormatSPIRV, HasEntries: true, Properties: new(props.Sets)}
	c := drivertest.Code{Imports: []string{fmt.Sprintf("_Z8functionILi%dELi0EEvPi", (i+1)%5+i/5*5)}}
	for j := range 5 {
		c.Kernels = append(c.Kernels, fmt.Sprintf("_ZTS6KernelILi%dELi%dEE", i, j))
		c.Exports = append(c.Exports, fmt.Sprintf("_Z8functionILi%dELi%dEEvPi", i, j))
		img.Properties.Put(props.SetExportedSymbols, c.Exports[j], props.Uint32(1))
	}
	img.Entries = slices.Concat(c.Kernels, c.Exports)
	img.Properties.Put(props.SetImportedSymbols, c.Imports[0], props.Uint32(1))
	img.Code = devimg.Bytes(drivertest.SPIRV(c))
	return img
}
