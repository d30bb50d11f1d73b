package runtime

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/registry"
	"offlink/runtime/trace"
	"offlink/wrapper/devimg"
)

// Native code that was made ahead of time ("postlink -to=x86_64") is in an image of its own
// next to that of the SPIR-V, whose digest it names. A program is always made of the SPIR-V;
// a device that takes the native code runs that instead of compiling.

// nativeImages returns the images with native code for image i of the link, whose code is
// given. There are none if specialization constants are set, as native code has their
// defaults.
func (b *builder) nativeImages(i int, code []byte) []*registry.Image {
	_, takes := b.device.Device.(driver.PrecompiledTaker)
	if !takes || !b.snapshot.HasNatives() || len(b.values[i]) > 0 {
		return nil
	}
	sum := sha256.Sum256(code)
	return b.snapshot.Natives(string(sum[:]))
}

// startsNative reports whether the program is one image that has native code, so that
// nothing of it has to be kept between runs.
func (b *builder) startsNative() bool {
	if len(b.link.Images) > 1 || !b.snapshot.HasNatives() {
		return false
	}
	code, err := b.link.Code(0)
	return err == nil && len(b.nativeImages(0, code)) > 0
}

// openPrecompiled opens the native code of image i, nil if there is none that
// serves. Of several the last one that serves is taken, as tables have the levels
// of processors in their order. Refusals are warnings: the program works without.
func (b *builder) openPrecompiled(ctx context.Context, i int, module []byte) any {
	list := b.nativeImages(i, module)
	if len(list) == 0 {
		return nil
	}
	span := trace.FromContext(ctx).Start("native code", b.link.Images[i].String(), deviceArg(b.device))
	var refusals []error
	for n := len(list) - 1; n >= 0; n-- {
		native, err := b.openNative(list[n], module)
		if err == nil {
			span.End(nil)
			return native
		}
		refusals = append(refusals, fmt.Errorf("%v does not serve: %w", list[n], err))
	}
	err := errors.Join(refusals...)
	span.End(err)
	if !errors.Is(err, driver.ErrUnsupported) && b.runtime.options.Warn != nil {
		b.runtime.options.Warn(fmt.Sprintf("kernel %s is compiled from SPIR-V: %v", b.link.Kernel, err))
	}
	return nil
}

func (b *builder) openNative(img *registry.Image, module []byte) (any, error) {
	code, err := devimg.ReadCode(img.Code)
	if err != nil {
		return nil, err
	}
	return b.device.Device.(driver.PrecompiledTaker).OpenPrecompiled(code, module)
}
