package dl

import (
	"bytes"
	"os"
	"testing"
)

// FuzzCheckELF: no file makes the check panic or allocate as much as one of its fields says.
func FuzzCheckELF(f *testing.F) {
	own, err := os.Open("/proc/self/exe")
	if err != nil {
		f.Fatal(err)
	}
	defer own.Close()
	head := make([]byte, 4096)
	if _, err := own.ReadAt(head, 0); err != nil {
		f.Fatal(err)
	}
	f.Add(head, int64(4096))
	f.Add(head[:64], int64(1<<40))
	f.Fuzz(func(t *testing.T, data []byte, size int64) {
		_ = checkELF(bytes.NewReader(data), max(size, 0))
	})
}
