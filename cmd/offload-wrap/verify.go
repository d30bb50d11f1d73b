package main

import (
	"errors"
	"fmt"
	"slices"

	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// verifyEdit reads an edited file back before it gets its name: it must have
// the images that it had, those that were edited with other code (nil: not at
// all).
func (e *editing) verifyEdit(before *wrapper.File, edited []int, written string, code devimg.Code) error {
	after, err := e.openWrapped(written)
	if err != nil {
		return fmt.Errorf("the edited file cannot be read, so that nothing was changed: %w", err)
	}
	defer after.Close()
	was, is := before.Images(), after.Images()
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
	for i := range want {
		if err := e.sameImage(&want[i], &is[i]); err != nil {
			return fmt.Errorf("image %d of the edited file: %w: nothing was changed", i, err)
		}
	}
	return nil
}

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
