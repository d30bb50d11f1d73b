// Package privilege tells whether the program has more rights than its user (set-user-ID,
// capabilities), and reads the environment of such a program: a variable must not choose
// code that runs in it, or files that it writes. The system's loader treats variables such as
// LD_LIBRARY_PATH so.
package privilege

import (
	"encoding/binary"
	"os"
	"runtime"
	"strconv"
	"sync"
)

// Raised reports whether the program has more rights than its user. It may be called by
// several goroutines.
func Raised() bool { return raised() }

var raised = sync.OnceValue(func() bool {
	if os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid() {
		return true
	}
	// Linux tells it of capabilities too. The file is not readable where it would say so to
	// another user than root, whose numbers differ.
	auxiliary, _ := os.ReadFile("/proc/self/auxv")
	return hasSecureEntry(auxiliary)
})

// Getenv is os.Getenv for variables that choose code or files: "" if the program has more
// rights than its user.
func Getenv(name string) string {
	if Raised() {
		return ""
	}
	return os.Getenv(name)
}

// TempDir is os.TempDir, which a variable chooses; the system's folder if the program has more
// rights than its user, who could replace files in a folder of their own before they are
// opened.
func TempDir() string {
	if Raised() && runtime.GOOS != "windows" {
		return "/tmp"
	}
	return os.TempDir()
}

// hasSecureEntry reads the auxiliary vector of a process: pairs of a type and a value, each a
// word.
func hasSecureEntry(auxiliary []byte) bool {
	const atSecure = 23
	const word = strconv.IntSize / 8
	read := func(b []byte) uint64 {
		if word == 4 {
			return uint64(binary.NativeEndian.Uint32(b))
		}
		return binary.NativeEndian.Uint64(b)
	}
	for ; len(auxiliary) >= 2*word; auxiliary = auxiliary[2*word:] {
		if read(auxiliary) == atSecure {
			return read(auxiliary[word:]) != 0
		}
	}
	return false
}
