package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"offlink/internal/irgen"
)

// The targets of the translation table, on two cores: 4000 kernels become SPIR-V
// images, one a kernel, in at most translationFactor times the floor, with at
// most translationMemory, and in at most splitGrowth times the time of 1000.
const (
	translationFactor = 3.0
	translationMemory = 150e6
)

// printTranslation measures bitcode to SPIR-V images, one a kernel, and one
// kernel. The floor is as in the splitting table.
func printTranslation(dir string) error {
	fmt.Println("translation   images  input  output   postlink        floor        ratio  (at most)  growth  (at most)  peak   (under)")
	fmt.Println("                      MB      MB   s      cpu s    s      cpu s                                        MB")
	var before time.Duration
	for _, kernels := range []int{1, 1000, 4000} {
		input, err := generateInput(dir, "bc", irgen.Config{Kernels: kernels})
		if errors.Is(err, exec.ErrNotFound) {
			fmt.Printf("translation left out: %v\n", err)
			return nil
		}
		if err != nil {
			return err
		}
		row := splitRow{format: "bc", mode: "kernel", kernels: kernels, arguments: []string{"-to=spirv"}}
		if err := row.measureRow(dir, input); err != nil {
			return err
		}
		row.printTranslated(before)
		before = row.ours.wall
		if err := os.Remove(input); err != nil {
			return err
		}
	}
	return nil
}

func (r *splitRow) printTranslated(before time.Duration) {
	factor, growth, most := "", "", ""
	if r.kernels == 4000 {
		factor, growth, most = fmt.Sprintf("(%.1f)", translationFactor), fmt.Sprintf("%.2f", r.ours.wall.Seconds()/before.Seconds()), fmt.Sprintf("(%.1f)", splitGrowth)
	}
	fmt.Printf("%5d kernels %7d %6s %7s %8.3f %7.3f %7.3f %7.3f %8.2f  %-9s %7s  %-9s %6s  (%s)\n",
		r.kernels, r.images, formatMB(r.input), formatMB(r.written),
		r.ours.wall.Seconds(), r.ours.cpu.Seconds(), r.floor.wall.Seconds(), r.floor.cpu.Seconds(),
		r.ours.wall.Seconds()/r.floor.wall.Seconds(), factor, growth, most,
		formatMB(r.ours.peak), formatMB(translationMemory))
}
