//go:build !windows && !((linux && (386 || amd64 || arm64 || riscv64)) || darwin || (freebsd && cgo))

package dl

// Supported reports whether this build can open shared libraries.
const Supported = false

func openLibrary(string) (uintptr, error)         { return 0, ErrUnsupported }
func isLoaded(string) bool                        { return false }
func closeLibrary(uintptr) error                  { return ErrUnsupported }
func findSymbol(uintptr, string) (uintptr, error) { return 0, ErrUnsupported }
func fileOfAddress(uintptr) string                { return "" }

// Call is never reached: no function is found without a library.
func Call(uintptr, ...uintptr) uintptr { panic(ErrUnsupported) }

// NewCallback is never reached.
func NewCallback(any) uintptr { panic(ErrUnsupported) }

// FlushStreams does nothing: no library was opened.
func FlushStreams() {}
