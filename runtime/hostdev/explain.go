package hostdev

import (
	"errors"
	"strings"

	"offlink/runtime/driver"
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

func (k *kernel) interpreted() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = lanes.Unsupported("%v", r)
		}
	}()
	if k.p.device.options.Interpret {
		return errors.New("the device interprets all kernels")
	}
	engine, err := k.p.device.engine()
	if err != nil {
		return err
	}
	l, err := lowerKernel(k, &hostTable{})
	if err != nil {
		return err
	}
	code, err := compileLanes(l.f, k.p.device.options.Lanes, k.subgroup)
	if err != nil {
		return err
	}
	emitwasm.Emit(code, engine.pages())
	return nil
}

// InterpretedReason is the error of Interpreted without the words that all have.
func InterpretedReason(err error) string {
	return strings.TrimPrefix(err.Error(), lanes.ErrUnsupported.Error()+": ")
}
