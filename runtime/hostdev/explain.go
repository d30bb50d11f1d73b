package hostdev

import (
	"errors"
	"strings"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/emitc"
	"offlink/runtime/hostdev/internal/emitwasm"
	"offlink/runtime/hostdev/internal/lanes"
)

// Interpreted tells why a kernel of the embedded device runs in the interpreter;
// nil if it is compiled. It translates the kernel and does not compile it.
func Interpreted(k driver.Kernel) error {
	own, ok := k.(*kernel)
	if !ok {
		return errors.New("it is not a kernel of the embedded device")
	}
	return own.interpreted()
}

// KernelCode is the code that both emitters make of a kernel, for reports about kernels
// that are not launched.
type KernelCode struct {
	WebAssembly []byte
	C           string
	RefusedC    error // why there is no C; the kernel then stays WebAssembly
}

// EmitCode makes the code of a kernel of the embedded device. The error is that of
// [Interpreted].
func EmitCode(k driver.Kernel) (*KernelCode, error) {
	own, ok := k.(*kernel)
	if !ok {
		return nil, errors.New("it is not a kernel of the embedded device")
	}
	return own.emitCode()
}

func (k *kernel) interpreted() error {
	_, err := k.emitCode()
	return err
}

// emitCode goes through the steps of a first launch (compileNative) up to the compilers
// of both codes, as each of them may refuse the kernel. A panic counts as a refusal, as
// it does there.
func (k *kernel) emitCode() (c *KernelCode, err error) {
	defer func() {
		if r := recover(); r != nil {
			c, err = nil, lanes.Unsupported("%v", r)
		}
	}()
	if k.p.device.options.Check {
		return nil, errors.New("the checked mode interprets all kernels")
	}
	if k.p.device.options.Interpret {
		return nil, errors.New("the device interprets all kernels")
	}
	e, err := k.p.device.engine()
	if err != nil {
		return nil, err
	}
	l, err := lowerKernel(k, &hostTable{})
	if err != nil {
		return nil, err
	}
	wide, err := k.compileLanes(l.f, k.p.device.options.Lanes, lanes.AnyRows)
	if err != nil {
		return nil, err
	}
	narrow, err := k.narrowLanes(l.f, wide, lanes.AnyRows)
	if err != nil {
		return nil, err
	}
	c = &KernelCode{WebAssembly: emitwasm.Emit(narrow, e.pages())}
	c.C, _, c.RefusedC = emitc.Emit(wide)
	return c, nil
}

// InterpretedFeature is a feature of kernels that the compiler does not take.
type InterpretedFeature struct{ Feature, Reason string }

// InterpretedFeatures are the reasons for which kernels are interpreted;
// Interpreted has that of one kernel.
var InterpretedFeatures = []InterpretedFeature{
	{"recursive calls", "calls are put in the place of functions"},
	{"sub-groups of 2, 64 or 128 work-items, or of a size that does not divide the work-group's first dimension", "a sub-group is a step of 4, 8, 16 or 32 work-items"},
	{"reductions and scans of halves", "the form has floats of 32 and 64 bits"},
	{"private variables of more than 1 MiB, functions of more than 60,000 operations", "they would take long to compile"},
	{"constant offsets from a pointer of 4 GiB or more", "compiled kernels count offsets in 32 bits"},
	{"a loop in which work-items of a sub-group wait for an atomic operation after it that others reach too, or that comes after another loop around it", "such an operation cannot become a part of the loop"},
}

// InterpretedReason is the error of Interpreted without the words that all have.
func InterpretedReason(err error) string {
	return strings.TrimPrefix(err.Error(), lanes.ErrUnsupported.Error()+": ")
}
