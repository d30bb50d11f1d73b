//go:build (linux && (386 || arm64 || riscv64)) || darwin || (freebsd && cgo)

package dl

import "github.com/ebitengine/purego"

//go:uintptrescapes
func callC(function uintptr, args ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(function, args...)
	return result
}
