package runtime

import (
	"context"
	"fmt"

	"offlink/runtime/cache"
	"offlink/runtime/driver"
	"offlink/runtime/resolve"
	"offlink/runtime/trace"
)

// The arguments of the steps in a trace, which have the reasons for the steps.

func deviceArg(d *Device) trace.Arg { return trace.Arg{Name: "device", Value: d.String()} }

// linkCauses names the images of a link, each with its reason to be there.
func linkCauses(l *resolve.Link) []string {
	list := make([]string, len(l.Images))
	for i, img := range l.Images {
		list[i] = img.String() + ": has the kernel"
		if i > 0 {
			list[i] = fmt.Sprintf("%v: exports %s", img, l.Reasons[i])
		}
	}
	return list
}

// compileDetails are the size of image i of the link and the reason for compiling it.
func (b *builder) compileDetails(i, size int) []trace.Arg {
	cause := fmt.Sprintf("kernel %s needs it, and it was not yet compiled for %v", b.link.Kernel, b.device)
	switch {
	case b.link.TrimKey(i) != "":
		cause += " without the symbols that an earlier image of the link has"
	case b.specs[i] != "":
		cause += " with these specialization constants"
	}
	return []trace.Arg{deviceArg(b.device), {Name: "bytes", Value: size}, {Name: "cause", Value: cause}}
}

// loadTraced is loadCached as a step of the trace.
func (b *builder) loadTraced(ctx context.Context, in cache.Inputs) driver.Program {
	span := trace.FromContext(ctx).Start("cache", b.link.Kernel, deviceArg(b.device))
	if span == nil {
		return b.loadCached(ctx, in)
	}
	reason := b.missReason(in)
	p := b.loadCached(ctx, in)
	if p != nil {
		reason = "hit"
	}
	span.End(nil, trace.Arg{Name: "result", Value: reason})
	return p
}

// missReason is the reason why the cache has no program, for the case that the load, which
// comes after it, fails.
func (b *builder) missReason(in cache.Inputs) string {
	if in == nil {
		return "no cache: " + b.uncached
	}
	e, err := b.runtime.options.Cache.Explain(in)
	switch {
	case err != nil:
		return "miss: " + err.Error()
	case e.Damaged != "":
		return "miss: " + e.Damaged
	case e.Hit:
		return "miss: the device does not take its own binary any more"
	case e.Nearest == "":
		return "miss: no entry is like it"
	}
	reason := "miss: the nearest entry differs in"
	for i, d := range e.Differences {
		if i > 0 {
			reason += ","
		}
		reason += " " + d.Name
	}
	return reason
}
