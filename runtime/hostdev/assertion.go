package hostdev

import "errors"

// assertFunction is the function of the device library that a failed assert calls. No
// instruction of SPIR-V stops a kernel, so that it prints its message and writes through a null
// pointer.
const assertFunction = "__devicelib_assert_fail"

// ErrAssertion is the Err of the Fault of a kernel with an assert that failed, whose
// message is in the kernel's output.
var ErrAssertion = errors.New("an assertion failed; the output of the kernel says which")

// isAssertion tells whether an access of a function is how it makes an assertion fail.
func isAssertion(function, op string) bool { return function == assertFunction && op == "OpStore" }

// nameAssertion turns the fault of the device library's store into that of the assertion.
func (f *Fault) nameAssertion() {
	if isAssertion(f.Function, f.Op) {
		f.Function, f.Op, f.Message, f.Err = "", "", ErrAssertion.Error(), ErrAssertion
	}
}

// tellAssertion calls the function of the device's options if an assertion ended the launch.
func (d *Device) tellAssertion(err error) {
	if d.options.Assertion != nil && errors.Is(err, ErrAssertion) {
		d.options.Assertion(err)
	}
}
