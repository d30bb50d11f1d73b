package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"offlink/internal/irgen"
)

// The targets of the splitting table, on two cores: a split of 4000 kernels
// takes at most splitFactor times the floor (of bitcode, where the files are
// small, only the split by kernel), and at most splitGrowth times that of 1000;
// memory is under splitMemory times the input and 64 MB.
const (
	splitFactor = 4.0
	splitGrowth = 4.6
)

var splitMemory = map[string]int64{"ll": 4, "bc": 12}

// printSplitting measures postlink: modules of 100 to 13000 kernels, plain and
// with debug information, by kernel and by source, as text and as bitcode.
// The floor reads the input once and writes the same files.
func printSplitting(dir string) error {
	fmt.Println("splitting                    images  input  output   postlink        floor        ratio  (at most)  growth  (at most)  peak   (under)")
	fmt.Println("                                        MB      MB   s      cpu s    s      cpu s                                        MB")
	if err := printOneKernel(dir); err != nil {
		return err
	}
	for _, format := range []string{"ll", "bc"} {
		for _, debug := range []bool{false, true} {
			for _, mode := range []string{"kernel", "source"} {
				if err := printSplits(dir, format, debug, mode); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// printOneKernel measures the least cost of a run.
func printOneKernel(dir string) error {
	input, err := generateInput(dir, "ll", irgen.Config{Kernels: 1})
	if err != nil {
		return err
	}
	least := cost{wall: time.Hour}
	for range 20 {
		c, err := runSplit(dir, input, "kernel")
		if err != nil {
			return err
		}
		least.wall, least.peak = min(least.wall, c.wall), max(least.peak, c.peak)
	}
	fmt.Printf("ll  plain kernel     1 kernel %26.4f (at most 0.015) %57s\n", least.wall.Seconds(), formatMB(least.peak))
	return os.Remove(input)
}

// printSplits prints the rows of one kind of input and one mode.
func printSplits(dir, format string, debug bool, mode string) error {
	var before time.Duration
	for _, kernels := range []int{100, 1000, 4000, 13000} {
		input, err := generateInput(dir, format, irgen.Config{Kernels: kernels, Debug: debug})
		if errors.Is(err, exec.ErrNotFound) {
			fmt.Printf("%-3s left out: %v\n", format, err)
			return nil
		}
		if err != nil {
			return err
		}
		row := splitRow{format: format, debug: debug, mode: mode, kernels: kernels}
		if err := row.measureRow(dir, input); err != nil {
			return err
		}
		row.printRow(before)
		before = row.ours.wall
		if err := os.Remove(input); err != nil {
			return err
		}
	}
	return nil
}

// generateInput makes an input. Bitcode is made by an installed llvm-as.
func generateInput(dir, format string, c irgen.Config) (string, error) {
	text := filepath.Join(dir, "in.ll")
	if _, err := runHelper("-generate", strconv.Itoa(c.Kernels), strconv.FormatBool(c.Debug), text); err != nil || format == "ll" {
		return text, err
	}
	defer os.Remove(text)
	bitcode := filepath.Join(dir, "in.bc")
	out, err := exec.Command("llvm-as-19", text, "-o", bitcode).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("llvm-as-19: %w %s", err, out)
	}
	return bitcode, err
}

// runGenerate writes a module: number of kernels, debug information, file.
func runGenerate(args []string) error {
	kernels, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	f, err := os.Create(args[2])
	if err != nil {
		return err
	}
	return errors.Join(irgen.Write(f, irgen.Config{Kernels: kernels, Debug: args[1] == "true"}), f.Close())
}

type splitRow struct {
	format, mode   string
	debug          bool
	kernels        int
	images         int
	input, written int64
	ours           cost
	floor          cost
	arguments      []string // more of postlink
}

// runSplit runs postlink in a new folder "out" of dir.
func runSplit(dir, input, mode string, more ...string) (cost, error) {
	out := filepath.Join(dir, "out")
	if err := errors.Join(os.RemoveAll(out), os.Mkdir(out, 0o777)); err != nil {
		return cost{}, err
	}
	syscall.Sync() // the writes of earlier runs must not slow this one
	args := []string{"-split=" + mode, "-symbols", "-properties", "-emit-param-info", "-o", "out/out.table", input}
	if filepath.Ext(input) == ".ll" {
		args = append(args, "-S")
	}
	return runOnce(dir, programPath("postlink"), append(more, args...)...)
}

// measureRow lets postlink and the floor take turns, and keeps the fastest run of
// each.
func (r *splitRow) measureRow(dir, input string) error {
	rounds := 3
	if r.kernels > 4000 {
		rounds = 1
	}
	info, err := os.Stat(input)
	if err != nil {
		return err
	}
	r.input = info.Size()
	for round := range rounds {
		ours, err := runSplit(dir, input, r.mode, r.arguments...)
		if err != nil {
			return err
		}
		floor, err := r.rewriteOutputs(dir, input)
		if err != nil {
			return err
		}
		if round == 0 {
			r.ours, r.floor = ours, floor
		}
		r.ours, r.floor = betterCost(r.ours, ours), betterCost(r.floor, floor)
	}
	return os.RemoveAll(filepath.Join(dir, "out"))
}

// betterCost takes the least time and the largest memory of two runs.
func betterCost(a, b cost) cost {
	return cost{min(a.wall, b.wall), min(a.cpu, b.cpu), max(a.peak, b.peak)}
}

// rewriteOutputs measures the floor of the run whose outputs are there.
func (r *splitRow) rewriteOutputs(dir, input string) (cost, error) {
	outputs, err := filepath.Glob(filepath.Join(dir, "out", "*"))
	if err != nil {
		return cost{}, err
	}
	r.images, r.written = len(outputs)/3, 0
	for _, path := range outputs {
		info, err := os.Stat(path)
		if err != nil {
			return cost{}, err
		}
		r.written += info.Size()
	}
	floor := filepath.Join(dir, "floor")
	if err := os.Mkdir(floor, 0o777); err != nil {
		return cost{}, err
	}
	syscall.Sync()
	c, err := startFloor(input, filepath.Join(dir, "out"), floor)
	return c, errors.Join(err, os.RemoveAll(floor))
}

func startFloor(input, outputs, to string) (cost, error) {
	var c cost
	out, err := runHelper("-floor", input, outputs, to)
	if err == nil {
		_, err = fmt.Sscan(out, &c.wall, &c.cpu)
	}
	return c, err
}

// runFloor is the floor: it reads the files that the folder of its second
// argument holds into memory, and then measures reading the input, the first
// one, and writing the files into the third.
func runFloor(args []string) error {
	outputs, err := filepath.Glob(filepath.Join(args[1], "*"))
	if err != nil {
		return err
	}
	wall, cpu, err := rewriteFiles(args[0], outputs, args[2])
	fmt.Println(int64(wall), int64(cpu))
	return err
}

func (r *splitRow) printRow(before time.Duration) {
	kind := "plain"
	if r.debug {
		kind = "-g"
	}
	growth, factor, most := "", "", ""
	if before > 0 {
		growth = fmt.Sprintf("%.2f", r.ours.wall.Seconds()/before.Seconds())
	}
	if r.kernels == 4000 && (r.format == "ll" || r.mode == "kernel") {
		factor, most = fmt.Sprintf("(%.1f)", splitFactor), fmt.Sprintf("(%.1f)", splitGrowth)
	}
	fmt.Printf("%-3s %-5s %-6s %5d kernels %6d %6s %7s %8.3f %7.3f %7.3f %7.3f %8.2f  %-9s %7s  %-9s %6s  (%s)\n",
		r.format, kind, r.mode, r.kernels, r.images, formatMB(r.input), formatMB(r.written),
		r.ours.wall.Seconds(), r.ours.cpu.Seconds(), r.floor.wall.Seconds(), r.floor.cpu.Seconds(),
		r.ours.wall.Seconds()/r.floor.wall.Seconds(), factor, growth, most,
		formatMB(r.ours.peak), formatMB(splitMemory[r.format]*r.input+64e6))
}
