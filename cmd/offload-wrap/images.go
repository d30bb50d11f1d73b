package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// inflation is the option that bounds compressed data.
type inflation struct{ limit byteSize }

func (l *inflation) register(c *cobra.Command) {
	c.Flags().Var(&l.limit, "max-inflated", "how much compressed images and envelopes of a file may grow to in all (default 1G)")
}

func (l *inflation) open(name string) (*wrapper.File, error) {
	return wrapper.Open(name, wrapper.ReadOptions{MaxInflated: int64(l.limit)})
}

func (l *inflation) budget() *container.Budget { return container.NewBudget(int64(l.limit)) }

// byteSize is a number of bytes, given with a unit or without.
type byteSize int64

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
		return fmt.Errorf("%q is no size in bytes: write 65536, 64K, 512M or 4G", text)
	}
	*b = byteSize(n << shift)
	return nil
}

// selection says which images of a file are meant. The zero selection means
// all of them.
type selection struct {
	images         []int
	target, kernel string
}

func (s *selection) register(c *cobra.Command) {
	f := c.Flags()
	f.IntSliceVar(&s.images, "image", nil, "the image of that number in the list; may be repeated")
	f.StringVar(&s.target, "target", "", "the images of that target")
	f.StringVar(&s.kernel, "kernel", "", "the images that have an entry of that name, as it is or demangled")
}

// choose returns the numbers of the images that are meant.
func (s *selection) choose(f *wrapper.File) ([]int, error) {
	all := f.Images()
	for _, i := range s.images {
		if i < 0 || i >= len(all) {
			return nil, fmt.Errorf("%s: there is no image %d: %s", f.Name(), i, countImages(len(all)))
		}
	}
	var chosen []int
	for i := range all {
		if s.means(i, &all[i].Image) {
			chosen = append(chosen, i)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("%s: no image is meant: %s; see 'offload-wrap list'", f.Name(), countImages(len(all)))
	}
	return chosen, nil
}

func countImages(n int) string {
	switch n {
	case 0:
		return "it has none"
	case 1:
		return "it has one, number 0"
	}
	return fmt.Sprintf("it has %d, numbers 0 to %d", n, n-1)
}

func (s *selection) means(i int, img *devimg.Image) bool {
	if len(s.images) > 0 && !slices.Contains(s.images, i) || s.target != "" && s.target != img.Target {
		return false
	}
	return s.kernel == "" || slices.ContainsFunc(img.Entries, s.names)
}

func (s *selection) names(entry string) bool {
	return entry == s.kernel || demangle.Filter(entry) == s.kernel || demangle.Filter(entry, demangle.NoParams) == s.kernel
}

// one returns the only image that is meant.
func (s *selection) one(f *wrapper.File) (int, error) {
	chosen, err := s.choose(f)
	if err != nil {
		return 0, err
	}
	if len(chosen) != 1 {
		return 0, fmt.Errorf("%s: %d images are meant: choose one with --image", f.Name(), len(chosen))
	}
	return chosen[0], nil
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
