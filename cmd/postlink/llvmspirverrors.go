package main

import (
	"errors"
	"fmt"

	"offlink/cmd/internal/cli"
	"offlink/spirv/fromir"
)

// translatorErrors are the kinds of errors with the words and the exit status that
// llvm-spirv has for each, which scripts look for.
var translatorErrors = map[fromir.ErrorKind]struct {
	text   string
	status int
}{
	fromir.ErrorIntrinsic:       {"InvalidFunctionCall: Unexpected llvm intrinsic:\n ", 8},
	fromir.ErrorBitWidth:        {"InvalidBitWidth: Invalid bit width in input: ", 9},
	fromir.ErrorModule:          {"InvalidModule: Invalid SPIR-V module: ", 10},
	fromir.ErrorInput:           {"InvalidLlvmModule: Invalid LLVM module: ", 11},
	fromir.ErrorInstruction:     {"InvalidInstruction: Can't translate llvm instruction:\n ", 14},
	fromir.ErrorFunctionPointer: {"FunctionPointers: Can't translate function pointer:\n ", 13},
	fromir.ErrorVersion:         {"RequiresVersion: Cannot fulfill SPIR-V version restriction:\n ", 17},
	fromir.ErrorExtension:       {"RequiresExtension: Feature requires the following SPIR-V extension:\n", 18},
	fromir.ErrorVariadic:        {"UnsupportedVarArgFunction: Variadic functions other than 'printf' are not supported in SPIR-V. ", 23},
}

// statusBadOption is the exit status of llvm-spirv for options that it understands
// but does not take.
const statusBadOption = 255

// reportAs gives an error the words and the exit status of llvm-spirv if the program is
// called by that name. Our own message, with place and advice, follows.
func reportAs(err error) error {
	var e *fromir.Error
	if !isSPIRVTool() || !errors.As(err, &e) {
		return err
	}
	known, ok := translatorErrors[e.Kind]
	if !ok {
		return err
	}
	return &cli.ExitError{Code: known.status, Err: fmt.Errorf("%s%s\n%w", known.text, e.Subject, err)}
}

// conversionError gives the error of an input that is not SPIR-V the words and the exit status
// of llvm-spirv, unless it has a status already.
func conversionError(err error) error {
	var e *cli.ExitError
	if !isSPIRVTool() || errors.As(err, &e) {
		return err
	}
	known := translatorErrors[fromir.ErrorModule]
	return &cli.ExitError{Code: known.status, Err: fmt.Errorf("%s%w", known.text, err)}
}

// badOption is an error in the words of llvm-spirv about an option.
func badOption(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if !isSPIRVTool() {
		return err
	}
	return &cli.ExitError{Code: statusBadOption, Err: err}
}

// checkTarget refuses a module of another target where the program is called as
// llvm-spirv, which looks at nothing else first. A module without contents may have any.
func checkTarget(triple string, empty bool) error {
	if !isSPIRVTool() || empty || isSPIRVTarget(triple) {
		return nil
	}
	const text = "InvalidTargetTriple: Expects spir-unknown-unknown or spir64-unknown-unknown. Actual target triple is %s"
	return &cli.ExitError{Code: 1, Err: fmt.Errorf(text, triple)}
}
