package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
	"offlink/wrapper/container"
)

// inflation is the option that bounds compressed data.
type inflation struct{ limit byteSize }

func (l *inflation) defineInflationFlags(c *cobra.Command) {
	c.Flags().Var(&l.limit, "max-inflated", "the most bytes, `SIZE`, that the images and envelopes of a file may have in all when decompressed (default 1G)")
}

func (l *inflation) openWrapped(name string) (*wrapper.File, error) {
	return wrapper.Open(name, l.readOptions())
}

func (l *inflation) readOptions() wrapper.ReadOptions {
	return wrapper.ReadOptions{MaxInflated: int64(l.limit)}
}

func (l *inflation) newBudget() *container.Budget { return container.NewBudget(int64(l.limit)) }

// byteSize is a number of bytes, given with a unit or without.
type byteSize int64

// String is the form that the option reads.
func (b *byteSize) String() string {
	if *b == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Type is the name of the value in the usage text.
func (b *byteSize) Type() string { return "size" }

// Set reads "65536", "64K", "512M", "4G".
func (b *byteSize) Set(text string) error {
	digits, shift := text, 0
	if i := strings.IndexAny(text, "KMG"); i >= 0 && i == len(text)-1 {
		digits, shift = text[:i], map[byte]int{'K': 10, 'M': 20, 'G': 30}[text[i]]
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64>>shift {
		return fmt.Errorf("%q is not a size in bytes: write 65536, 64K, 512M or 4G", text)
	}
	*b = byteSize(n << shift)
	return nil
}

// selection selects images of a file. The zero selection selects all of them.
type selection struct {
	images               imageNumbers
	target, arch, format string
	kernel               string
}

// defineSelectionFlags defines the options that choose images, with one meaning in all
// commands that have them.
func (s *selection) defineSelectionFlags(c *cobra.Command) {
	f := c.Flags()
	f.Var(&s.images, "image", "the images with the numbers `N[,N]` in the list (0,2); may be repeated")
	f.StringVar(&s.target, "target", "", "the images of the target `NAME`")
	f.StringVar(&s.arch, "arch", "", "the images of the architecture `NAME` (gfx90a, sm_80)")
	f.StringVar(&s.format, "format", "", "the images of the format `NAME` in the list (spirv, elf, ptx, ...)")
	f.StringVar(&s.kernel, "kernel", "", "the images that have the kernel `NAME`: its name, demangled too, or a part that only it has")
}

// imageNumbers are numbers of images, given as 1 or as 0,2.
type imageNumbers []int

func (n *imageNumbers) String() string { return joinNumbers(*n) }

// Type is the name of the value in the usage text.
func (n *imageNumbers) Type() string { return "numbers" }

// Set adds numbers.
func (n *imageNumbers) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		i, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return fmt.Errorf("'%s' is not the number of an image: write 0, or 0,2 for several", part)
		}
		*n = append(*n, int(i))
	}
	return nil
}

// isGiven reports whether any option selects images.
func (s *selection) isGiven() bool {
	return len(s.images) > 0 || s.target != "" || s.arch != "" || s.format != "" || s.kernel != ""
}

// chooseImages returns the numbers of the selected images.
func (s *selection) chooseImages(f *wrapper.File) ([]int, error) {
	all := f.Images()
	for _, i := range s.images {
		if i < 0 || i >= len(all) {
			return nil, fmt.Errorf("%s: there is no image %d: %s", f.Name(), i, countImages(len(all)))
		}
	}
	var chosen []int
	for i := range all {
		if s.matchesImage(i, &all[i]) {
			chosen = append(chosen, i)
		}
	}
	chosen, err := s.withKernel(f, chosen)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if len(chosen) == 0 {
		return nil, &noMatchError{fmt.Errorf("%s: no image matches: %s; see 'offload-wrap list'", f.Name(), countImages(len(all)))}
	}
	return chosen, nil
}

// countImages says how many images there are, and how they are numbered.
func countImages(n int) string {
	switch n {
	case 0:
		return "it has none"
	case 1:
		return "it has one, number 0"
	}
	return fmt.Sprintf("it has %d, numbers 0 to %d", n, n-1)
}

// matchesImage compares everything but the kernels.
func (s *selection) matchesImage(i int, img *wrapper.Located) bool {
	return (len(s.images) == 0 || slices.Contains(s.images, i)) &&
		(s.target == "" || s.target == img.Target) &&
		(s.arch == "" || s.arch == img.Arch) &&
		(s.format == "" || s.format == img.Form() || s.format == img.Format.String())
}

// withKernel returns those of the images that have the kernel of --kernel. The name is
// looked up among the kernels of all of them, so that a part of it which several
// kernels have is refused. Only a name that matches nothing is a noMatchError.
func (s *selection) withKernel(f *wrapper.File, images []int) ([]int, error) {
	if s.kernel == "" || len(images) == 0 {
		return images, nil
	}
	kernels, all := make([][]string, len(images)), []string(nil)
	for n, i := range images {
		kernels[n] = f.Images()[i].Kernels()
		all = append(all, kernels[n]...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	at, err := cli.FindName(s.kernel, "kernel", all)
	if err != nil && !slices.ContainsFunc(all, s.partOf) {
		return nil, &noMatchError{err}
	}
	if err != nil {
		return nil, err
	}
	name := all[at]
	var chosen []int
	for n, i := range images {
		if slices.Contains(kernels[n], name) {
			chosen = append(chosen, i)
		}
	}
	return chosen, nil
}

// partOf reports whether the text of --kernel is a part of the name.
func (s *selection) partOf(name string) bool {
	return strings.Contains(name, s.kernel) || strings.Contains(cli.ReadableName(name), s.kernel)
}

// noMatchError says that no image of a file matches, which is not an error for a
// file among many.
type noMatchError struct{ error }

func (e *noMatchError) Unwrap() error { return e.error }

// chooseOne returns the only image that is selected.
func (s *selection) chooseOne(f *wrapper.File) ([]int, error) {
	chosen, err := s.chooseImages(f)
	if err != nil {
		return nil, err
	}
	if len(chosen) != 1 {
		return nil, fmt.Errorf("%s: %s match: choose one with --image", f.Name(), describeNumbers(chosen))
	}
	return chosen, nil
}

// chooseExactly returns the images that --image numbers, or the only one that the
// other options select: a command that destroys images does not guess.
func (s *selection) chooseExactly(f *wrapper.File) ([]int, error) {
	chosen, err := s.chooseImages(f)
	if err != nil {
		return nil, err
	}
	if len(chosen) > 1 && len(s.images) == 0 {
		return nil, fmt.Errorf("%s: %s match: name images with --image; --image=%s names all of them", f.Name(), describeNumbers(chosen), joinNumbers(chosen))
	}
	if missed := len(slices.Compact(slices.Sorted(slices.Values(s.images)))) - len(chosen); missed > 0 {
		return nil, fmt.Errorf("%s: %d of the images that --image names do not match the other options", f.Name(), missed)
	}
	return chosen, nil
}

// describeNumbers is "2 images (0, 3)".
func describeNumbers(images []int) string {
	return fmt.Sprintf("%d images (%s)", len(images), joinNumbers(images))
}

// listed is the most numbers that a message lists.
const listed = 16

// joinNumbers joins the numbers of images, as --image takes them.
func joinNumbers(images []int) string {
	var b strings.Builder
	for i, n := range images {
		if i > 0 {
			b.WriteByte(',')
		}
		if i == listed {
			fmt.Fprintf(&b, "...")
			break
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// argsUsage makes errors of arguments errors of usage.
func argsUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return cli.Usagef("%s: %v", c.Name(), err)
		}
		return nil
	}
}

// errFound exits with 1 and prints nothing more.
var errFound = &cli.ExitError{Code: cli.ExitFailed}

// eachFile calls do for each file. Errors are printed and end with exit code
// 1; the other files are still looked at.
func eachFile(s cli.Streams, names []string, do func(name string) error) error {
	failed := false
	for _, name := range names {
		if err := do(name); err != nil {
			if !errors.Is(err, errFound) {
				s.Report(program, err)
			}
			failed = true
		}
	}
	if failed {
		return errFound
	}
	return nil
}
