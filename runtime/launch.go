package runtime

import (
	"fmt"
	"math"
	"slices"

	"offlink/runtime/driver"
)

// LaunchError is a launch that does not fit the kernel or the device.
type LaunchError struct {
	Kernel string
	Msg    string
}

func (e *LaunchError) Error() string { return "kernel " + e.Kernel + ": " + e.Msg }

func (k *Kernel) launchError(format string, args ...any) error {
	return &LaunchError{k.Name, fmt.Sprintf(format, args...)}
}

// Launch starts the kernel on a queue of its device, as driver.Queue does. args
// are counted as in the source; those whose parameter was removed are dropped.
// A range or an argument that does not fit is a *LaunchError. A range without
// work-items runs nothing, and takes its turn in the queue.
func (k *Kernel) Launch(q driver.Queue, r driver.Range, args []driver.Arg, s driver.Sync) error {
	if err := k.checkRange(r); err != nil {
		return err
	}
	passed, err := k.deviceArgs(args)
	if err != nil {
		return err
	}
	if isEmpty(r.Global) { // not all drivers take it
		return q.Barrier(s)
	}
	return q.Launch(k.kernel, r, passed, s)
}

// checkRange checks a range for the kernel and the device. This is not left to drivers:
// their messages differ, and some crash.
func (k *Kernel) checkRange(r driver.Range) error {
	if n := len(r.Global); n < 1 || n > 3 {
		return k.launchError("the global size has %d dimensions; give 1 to 3", n)
	}
	if r.Local != nil && len(r.Local) != len(r.Global) {
		return k.launchError("the local size %s has %d dimensions and the global size %s has %d", spellSizes(r.Local), len(r.Local), spellSizes(r.Global), len(r.Global))
	}
	if r.Offset != nil && len(r.Offset) != len(r.Global) {
		return k.launchError("the offset %s has %d dimensions and the global size %s has %d", spellSizes(r.Offset), len(r.Offset), spellSizes(r.Global), len(r.Global))
	}
	// Back ends multiply the sizes without further checks.
	if sizeProduct(r.Global) < 1 && !isEmpty(r.Global) {
		return k.launchError("the global size %s is not one of numbers whose product fits 63 bits", spellSizes(r.Global))
	}
	required := k.required()
	if r.Local == nil && required[0] == 0 {
		return nil
	}
	return k.checkLocal(r, required)
}

func (k *Kernel) checkLocal(r driver.Range, required [3]int) error {
	if r.Local == nil {
		// A kernel that requires a size gets it if the launch has none, as those of
		// SYCL for a plain range.
		r.Local = required[:len(r.Global)]
	}
	group := sizeProduct(r.Local)
	if group < 1 {
		return k.launchError("the local size %s is not one of positive numbers", spellSizes(r.Local))
	}
	if required[0] != 0 && !isRequired(r.Local, required) {
		return k.launchError("the local size is %s; the kernel requires %s", spellSizes(r.Local), spellSizes(required[:]))
	}
	// A driver may not report a limit (0).
	if limit := k.device.Info().MaxWorkGroup; limit > 0 && group > limit {
		return k.launchError("the local size %s has %d work-items and the device takes %d", spellSizes(r.Local), group, limit)
	}
	for i, local := range r.Local {
		if r.Global[i]%local != 0 && !k.kernel.Info().Uneven {
			return k.launchError("the local size %s does not divide the global size %s", spellSizes(r.Local), spellSizes(r.Global))
		}
	}
	return nil
}

// isRequired compares with the required size. Dimensions that the range lacks must be 1
// there.
func isRequired(local []int, required [3]int) bool {
	for i, size := range required {
		if i < len(local) && local[i] != size || i >= len(local) && size != 1 {
			return false
		}
	}
	return true
}

// isEmpty reports whether a global size has no work-items.
func isEmpty(global []int) bool {
	return slices.Contains(global, 0) && slices.Min(global) == 0
}

// sizeProduct multiplies positive sizes; it is 0 for others and for too many.
func sizeProduct(sizes []int) int {
	p := 1
	for _, s := range sizes {
		if s < 1 || p > math.MaxInt/s {
			return 0
		}
		p *= s
	}
	return p
}

func spellSizes(list []int) string {
	s := ""
	for i, n := range list {
		if i > 0 {
			s += ","
		}
		s += fmt.Sprint(n)
	}
	return s
}

// CheckArgCount returns a *LaunchError unless the kernel takes n arguments, counted as in
// the source.
func (k *Kernel) CheckArgCount(n int) error {
	if n != len(k.Params) {
		return k.launchError("%s given; it takes %d", countNoun(n, "argument"), len(k.Params))
	}
	return nil
}

// deviceArgs checks the arguments and leaves out the removed ones.
func (k *Kernel) deviceArgs(args []driver.Arg) ([]driver.Arg, error) {
	if err := k.CheckArgCount(len(args)); err != nil {
		return nil, err
	}
	for i, arg := range args {
		if k.Params[i].Removed {
			continue
		}
		problem := argMismatch(k.Params[i].Param, arg)
		if problem == "" && arg.LocalSize > 0 {
			problem = k.localMismatch(arg.LocalSize)
		}
		if problem != "" {
			return nil, k.launchError("argument %d: %s", i, problem)
		}
	}
	return k.withoutRemoved(args), nil
}

// withoutRemoved leaves out the arguments of removed parameters. If none was removed it
// returns the caller's list, which saves a copy in most launches.
func (k *Kernel) withoutRemoved(args []driver.Arg) []driver.Arg {
	if !slices.ContainsFunc(k.Params, func(p Param) bool { return p.Removed }) {
		return args
	}
	var passed []driver.Arg
	for i, arg := range args {
		if !k.Params[i].Removed {
			passed = append(passed, arg)
		}
	}
	return passed
}

func countNoun(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// argMismatch says how an argument does not fit a parameter.
func argMismatch(p driver.Param, arg driver.Arg) string {
	switch {
	case p.Kind == driver.ParamUnknown:
		return unknownMismatch(arg)
	case p.Kind == driver.ParamOther:
		return fmt.Sprintf("the kernel takes %s here, which cannot be passed yet", wantedParam(p))
	// An address by value: unified shared memory, and null.
	case p.Kind == driver.ParamBuffer && arg.Memory == nil && len(arg.Value) == addressSize:
	case p.Kind != kindOf(arg):
		return fmt.Sprintf("the kernel takes %s here and %s was given", wantedParam(p), givenArg(arg))
	case p.Kind == driver.ParamValue && p.Size != 0 && p.Size != len(arg.Value):
		return fmt.Sprintf("the kernel takes %s here and %s was given", wantedParam(p), givenArg(arg))
	case p.Kind == driver.ParamLocal && arg.LocalSize < 0:
		return fmt.Sprintf("%d bytes of local memory is less than none", arg.LocalSize)
	}
	return ""
}

// localMismatch says that the device has less local memory than an argument asks for.
func (k *Kernel) localMismatch(size int64) string {
	if limit := k.device.Info().LocalMemory; limit > 0 && size > limit {
		return fmt.Sprintf("%d bytes of local memory are asked for and the device has %d", size, limit)
	}
	return ""
}

// unknownMismatch is argMismatch for a parameter that the driver does not describe.
func unknownMismatch(arg driver.Arg) string {
	switch kind := kindOf(arg); {
	case kind == driver.ParamImage, kind == driver.ParamSampler:
		return givenArg(arg) + " cannot be passed to a kernel whose parameters the driver does not describe"
	case arg.LocalSize < 0:
		return fmt.Sprintf("%d bytes of local memory is less than none", arg.LocalSize)
	}
	return ""
}

// addressSize is the size of an address that is passed for a buffer.
const addressSize = 8

func kindOf(arg driver.Arg) driver.ParamKind {
	switch {
	case arg.Sampler != nil:
		return driver.ParamSampler
	case arg.Memory != nil:
		if _, ok := arg.Memory.(driver.ImageMemory); ok {
			return driver.ParamImage
		}
		return driver.ParamBuffer
	case arg.Value != nil:
		return driver.ParamValue
	}
	return driver.ParamLocal
}

func wantedParam(p driver.Param) string {
	what := map[driver.ParamKind]string{
		driver.ParamValue:  "a value",
		driver.ParamBuffer: "a buffer",
		driver.ParamLocal:  "local memory",
		driver.ParamOther:  "an image, a sampler or the like",

		driver.ParamImage:   "an image",
		driver.ParamSampler: "a sampler",
	}[p.Kind]
	if p.Kind == driver.ParamValue && p.Size != 0 {
		what = fmt.Sprintf("a value of %s", countNoun(p.Size, "byte"))
	}
	if p.Type != "" {
		what += " (" + p.Type + ")"
	}
	return what
}

func givenArg(arg driver.Arg) string {
	switch kindOf(arg) {
	case driver.ParamBuffer:
		return "a buffer"
	case driver.ParamImage:
		return "an image"
	case driver.ParamSampler:
		return "a sampler"
	case driver.ParamValue:
		return fmt.Sprintf("a value of %s", countNoun(len(arg.Value), "byte"))
	}
	return "local memory"
}
