package backends

import (
	"encoding/binary"
	"os"
	"strconv"
	"sync"
)

// namesCode are the variables that name files whose code is run, or folders with such files. A
// program that runs with more rights than its user has (set-user-ID, capabilities) does not
// follow them, as the system's loader does not follow LD_LIBRARY_PATH there.
var namesCode = map[string]bool{
	configVariable: true, "XDG_CONFIG_HOME": true, "HOME": true, "LD_LIBRARY_PATH": true, "OFFLINK_LLVM_SPIRV": true,
}

// isPrivileged reports whether the program has more rights than its user.
var isPrivileged = sync.OnceValue(func() bool {
	if os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid() {
		return true
	}
	// Linux tells it of capabilities too. The file is not readable where it would say so to
	// another user than root, whose numbers differ.
	auxiliary, _ := os.ReadFile("/proc/self/auxv")
	return hasSecureEntry(auxiliary)
})

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
