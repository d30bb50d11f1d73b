package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// golden compares our images of SYCL programs with those of the real post-link.
type golden struct {
	options
	dir, postlink string
	out           io.Writer
	kinds         map[string]int    // of differences
	examples      map[string]string // the first of each kind
	images        int
	failed        bool
}

// runGolden reads DIR/PROGRAM/RELEASE/SPLIT/N.spv, which the real post-link wrote,
// and makes the same images of INPUT/PROGRAM/RELEASE/ir.bc.
func runGolden(o options, out io.Writer) (failed bool, err error) {
	g := &golden{options: o, out: out, kinds: map[string]int{}, examples: map[string]string{}}
	if g.dir, err = os.MkdirTemp("", "conformance"); err != nil {
		return false, err
	}
	defer os.RemoveAll(g.dir)
	if g.postlink, err = buildPostlink(g.dir); err != nil {
		return false, err
	}
	splits, err := filepath.Glob(filepath.Join(o.real, "*", "*", "*"))
	if err != nil {
		return false, err
	}
	for _, split := range splits {
		if err := g.compareSplit(split); err != nil {
			fmt.Fprintf(out, "%s: %v\n", split, err)
			g.failed = true
		}
	}
	fmt.Fprintf(out, "%d images\n| difference | times | example |\n|---|---|---|\n", g.images)
	for _, kind := range slices.Sorted(maps.Keys(g.kinds)) {
		fmt.Fprintf(out, "| %s | %d | %s |\n", kind, g.kinds[kind], g.examples[kind])
	}
	return g.failed, nil
}

// compareSplit compares the images of one program, release and split.
func (g *golden) compareSplit(real string) error {
	parts := strings.Split(filepath.ToSlash(real), "/")
	program, release, split := parts[len(parts)-3], parts[len(parts)-2], parts[len(parts)-1]
	if _, err := os.Stat(filepath.Join(real, "0.spv")); err != nil {
		return nil // the real one refuses it
	}
	images, err := g.ourImages(filepath.Join(g.input, program, release, "ir.bc"), release, split)
	if err != nil {
		return err
	}
	for n, code := range images {
		want, err := os.ReadFile(filepath.Join(real, strconv.Itoa(n)+".spv"))
		if err != nil {
			return err
		}
		if err := g.compareImage(fmt.Sprintf("%s %s %s %d", program, release, split, n), want, code); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(real, strconv.Itoa(len(images))+".spv")); err == nil {
		return fmt.Errorf("%d images, the real post-link writes more", len(images))
	}
	return nil
}

// ourImages runs postlink as the run-time compiler of DPC++ runs its post-link.
func (g *golden) ourImages(input, release, split string) (images [][]byte, err error) {
	mode, dependencies := strings.CutSuffix(split, "-deps")
	args := []string{"-symbols", "-properties", "-to=spirv", "-dialect=" + release[:4]}
	if mode != "none" {
		args = append(args, "-split="+mode)
	}
	if dependencies {
		args = append(args, "-allow-device-image-dependencies")
	} else {
		args = append(args, "-emit-only-kernels-as-entry-points")
	}
	stem := filepath.Join(g.dir, "out")
	if _, err := runTool(g.postlink, append(args, "-o", stem+".table", input)...); err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s_%d.spv", stem, n)
		code, err := os.ReadFile(name)
		if err != nil {
			return images, nil
		}
		os.Remove(name)
		images = append(images, code)
	}
}

// compareImage counts the facts that only one of two images has.
func (g *golden) compareImage(where string, want, got []byte) error {
	g.images++
	theirs, err := moduleFacts(want)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	ours, err := moduleFacts(got)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	for _, side := range []struct {
		name       string
		list, than []string
	}{{"only real", theirs, ours}, {"only ours", ours, theirs}} {
		for _, fact := range side.list {
			if _, found := slices.BinarySearch(side.than, fact); found {
				continue
			}
			kind := side.name + ": " + factKind(fact)
			if g.kinds[kind]++; g.kinds[kind] == 1 {
				g.examples[kind] = where + ": " + fact
			}
			if g.verbose {
				fmt.Fprintf(g.out, "%s: %s: %s\n", where, side.name, fact)
			}
		}
	}
	return nil
}
