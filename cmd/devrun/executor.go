package main

import (
	"errors"
	"fmt"

	"offlink/cmd/internal/cli"
	"offlink/runtime"
	"offlink/runtime/hostdev"
)

// explainExecutor says how the embedded device runs the program's kernel: compiled,
// or interpreted with the construct that the compiler does not take, as that is
// some hundred times slower. It speaks before the launch, which may be long.
func explainExecutor(program *runtime.Program, s cli.Streams) (err error) {
	if _, ok := program.Device.Device.(*hostdev.Device); !ok {
		_, err := fmt.Fprintf(s.Err, "devrun: kernel %s runs on %v by its driver\n", program.Link.Kernel, program.Device)
		return err
	}
	kernel, err := program.Kernel()
	if err != nil {
		return err
	}
	defer closeInto(&err, kernel.Close)
	if hostdev.Precompiled(kernel.Driver()) == nil {
		_, err = fmt.Fprintf(s.Err, "devrun: kernel %s runs out of the native image\n", kernel.Name)
		return err
	}
	if reason := hostdev.Interpreted(kernel.Driver()); reason != nil {
		_, err = fmt.Fprintf(s.Err, "devrun: kernel %s is interpreted: %s\n", kernel.Name, hostdev.InterpretedReason(reason))
		return err
	}
	reason := ""
	if e := hostdev.Precompiled(kernel.Driver()); !errors.Is(e, hostdev.ErrNoNativeImage) {
		reason = "; its native image is not used: " + e.Error()
	}
	_, err = fmt.Fprintf(s.Err, "devrun: kernel %s is compiled%s\n", kernel.Name, reason)
	return err
}
