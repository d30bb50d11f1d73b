//go:build !((linux && (386 || amd64 || arm64 || riscv64)) || darwin || (freebsd && cgo))

package dl

import (
	"io"
	"os"
)

// StandardOutput is os.Stdout: each library may have a C runtime of its own.
func StandardOutput() io.Writer { return os.Stdout }
