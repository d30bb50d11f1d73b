package main

import (
	"errors"
	"fmt"
	"slices"

	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// verifyEdit reads an edited file back before it gets its name. It must have the same images
// as before, except that the edited ones have the new code, or are gone if that is nil.
func (e *editing) verifyEdit(before *wrapper.File, edited []int, written string, code devimg.Code) error {
	after, err := e.openWrapped(written)
	if err != nil {
		return fmt.Errorf("the edited file cannot be read, so that nothing was changed: %w", err)
	}
	defer after.Close()
	was, is := before.Images(), after.Images()
	// The editors work on offsets of headers that the input states. Reading the result with
	// the same reader as before finds an edit that moved something it did not know of.
	var want []wrapper.Located
	for i := range was {
		switch {
		case !slices.Contains(edited, i):
			want = append(want, was[i])
		case code != nil:
			img := was[i]
			img.Code = code
			if img.Format == devimg.FormatCompressedNone {
				img.Format = devimg.FormatNone // the new code, before compression
			}
			want = append(want, img)
		}
	}
	if len(is) != len(want) {
		return fmt.Errorf("the edited file would have %d images, not %d: nothing was changed", len(is), len(want))
	}
	return e.matchImages(before.Name(), want, is)
}

// matchImages compares the images of two files. An edit may put an envelope
// after the others of its section, which changes the order.
func (e *editing) matchImages(name string, want, is []wrapper.Located) error {
	matched := make([]bool, len(is))
	moved := false
	for i := range want {
		at, err := i, errMatched
		if !matched[i] {
			err = e.sameImage(&want[i], &is[i])
		}
		for j := 0; err != nil && j < len(is); j++ {
			if !matched[j] && j != i && want[i].Envelope == is[j].Envelope && e.sameImage(&want[i], &is[j]) == nil {
				at, err, moved = j, nil, true
			}
		}
		if err != nil {
			return fmt.Errorf("image %d of the edited file: %w: nothing was changed", i, err)
		}
		matched[at] = true
	}
	if moved {
		fmt.Fprintf(e.streams.Err, "%s: %s: its images have other numbers now; see '%s list'\n", program, name, program)
	}
	return nil
}

var errMatched = errors.New("it is another image")

// sameImage compares kind, target, entries and code of two images.
func (e *editing) sameImage(want, got *wrapper.Located) error {
	if want.Kind != got.Kind || want.Target != got.Target || !slices.Equal(want.Entries, got.Entries) {
		return fmt.Errorf("it is of kind %v and target %q with %d entries, and was of %v and %q with %d",
			got.Kind, got.Target, len(got.Entries), want.Kind, want.Target, len(want.Entries))
	}
	same, err := got.HasCode(want.Image.Code, e.newBudget())
	if err == nil && !same {
		err = errors.New("its code is not the new code")
	}
	return err
}
