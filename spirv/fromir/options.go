package fromir

import (
	"fmt"

	"offlink/abort"
	"offlink/ir"
	"offlink/spirv"
)

// DebugInfo selects the form of debug information next to OpLine.
type DebugInfo uint8

// The forms of debug information.
const (
	DebugNone      DebugInfo = iota
	DebugOpenCL100           // OpenCL.DebugInfo.100
	DebugShader100           // NonSemantic.Shader.DebugInfo.100
	DebugShader200           // NonSemantic.Shader.DebugInfo.200
)

// FPContract tells which kernels get the execution mode ContractionOff.
type FPContract uint8

// The modes of contraction.
const (
	ContractOn   FPContract = iota // those with a multiplication and an addition that are not fused
	ContractOff                    // all
	ContractFast                   // none
)

// Options limit the versions and extensions of the module.
type Options struct {
	// Version is the newest version that the module may have, LeastVersion the oldest.
	Version, LeastVersion spirv.Version
	// Extensions are the allowed and forbidden extensions by name. AllExtensions allows
	// those that are not named.
	Extensions    map[string]bool
	AllExtensions bool
	declaredNames map[string]string // the earlier names by which extensions were allowed
	// WidenIntegers holds integers of up to 64 bits whose width SPIR-V lacks in the next
	// width that it has, even if SPV_INTEL_arbitrary_precision_integers is allowed.
	WidenIntegers bool
	// UnknownIntrinsics are prefixes of the names of intrinsics that become functions if
	// they are not known. The empty prefix allows all.
	UnknownIntrinsics []string
	Debug             DebugInfo
	Contract          FPContract
	// ExtraExpressions allows operations in expressions of debug information that
	// OpenCL.DebugInfo.100 does not list.
	ExtraExpressions bool
	// KernelWrappers makes kernels functions with linkage and entry points functions
	// that call them, as the Khronos translator did until 2025.
	KernelWrappers bool
	// KernelArgTypes keeps the names of the types of kernels' arguments, and their
	// qualifiers, in OpStrings.
	KernelArgTypes bool
	// AuxData keeps attributes and metadata of functions and variables in
	// instructions of NonSemantic.AuxData.
	AuxData bool
	// SplitMulAdd makes llvm.fmuladd a product and a sum instead of OpenCL.std's mad.
	SplitMulAdd bool
}

// allowsExtension reports whether the extension may be used.
func (o *Options) allowsExtension(extension string) bool {
	if on, named := o.Extensions[extension]; named {
		return on
	}
	return o.AllExtensions
}

// ErrorKind is the kind of an [Error], for callers that report it as llvm-spirv does.
type ErrorKind uint8

// The kinds of errors. The subject of an error is named with each.
const (
	ErrorOther           ErrorKind = iota
	ErrorExtension                 // an extension that is not allowed: its name
	ErrorIntrinsic                 // an intrinsic without a counterpart: its name
	ErrorBitWidth                  // an integer: its width
	ErrorFunctionPointer           // the address of a function, or a call of one: the function
	ErrorVariadic                  // a function with variable arguments: the function
	ErrorVersion                   // a version of SPIR-V that is not allowed: the version
	ErrorInstruction               // an instruction or a variable without a counterpart: its opcode or name
	ErrorModule                    // a type, a cast or the like without a counterpart: its name
	ErrorInput                     // a part of the module without a counterpart, such as assembly
)

// Error is a construct that is not translated.
type Error struct {
	Path        string
	Function    string // "" outside of functions
	Instruction string // its opcode or callee
	Msg         string
	Kind        ErrorKind
	Subject     string
	// Err is the error of the reader of the input, or nil. It has the place in the
	// input, so Error returns its message.
	Err error
}

// Error returns "path: function f: call of g: message".
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	s := e.Path + ": "
	if e.Function != "" {
		s += "function " + e.Function + ": "
	}
	if e.Instruction != "" {
		s += e.Instruction + ": "
	}
	return s + e.Msg
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// failRead stops the translation with an error of the reader of a value.
func (t *translator) failRead(n ir.ValueID, err error) {
	abort.With(&Error{Path: t.module.Path, Function: t.module.Values[n].Name, Msg: err.Error(), Err: err})
}

// failf stops the translation of the unit or image with an error; abort.Catch receives it.
func (t *translator) failf(format string, args ...any) {
	t.failKind(ErrorOther, "", format, args...)
}

// failKind stops the translation with an error of a kind.
func (t *translator) failKind(kind ErrorKind, subject, format string, args ...any) {
	e := &Error{Path: t.module.Path, Msg: fmt.Sprintf(format, args...), Kind: kind, Subject: subject}
	if f := t.current; f != nil {
		e.Function, e.Instruction = f.value.Name, f.describeInstruction()
	}
	abort.With(e)
}

// useExtension notes that the module needs an extension.
func (t *translator) useExtension(extension string) {
	t.needAllowed(extension)
	t.b.extensions[extension] = true
}

// useCapabilities notes that the module needs capabilities.
func (t *translator) useCapabilities(list ...uint32) {
	for _, c := range list {
		t.b.capabilities[c] = true
	}
}

// needVersion raises the version of the module.
func (t *translator) needVersion(v spirv.Version) {
	if v > t.options.Version {
		t.failKind(ErrorVersion, v.String(), "needs SPIR-V %v; at most %v is allowed", v, t.options.Version)
	}
	t.b.version = max(t.b.version, v)
}

// needAllowed checks that an extension may be used.
func (t *translator) needAllowed(extension string) {
	if !t.options.allowsExtension(extension) {
		t.failKind(ErrorExtension, extension, "needs the extension %s, which is not allowed; allow it with --spirv-ext=+%s", extension, extension)
	}
}

// useExtension notes that the module needs an extension.
func (m *image) useExtension(extension string) {
	m.needAllowed(extension)
	m.extensions[extension] = true
}

// useCapabilities notes that the module needs capabilities.
func (m *image) useCapabilities(list ...uint32) {
	for _, c := range list {
		m.capabilities[c] = true
	}
}

// needVersion raises the version of the module.
func (m *image) needVersion(v spirv.Version) {
	m.translator.needVersion(v)
	m.version = max(m.version, v)
}
