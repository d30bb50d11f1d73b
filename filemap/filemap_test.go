//go:build unix

package filemap

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var sink byte

// shrunk returns the mapping of a file that became shorter.
func shrunk(t *testing.T) []byte {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "input"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 20); err != nil {
		t.Fatal(err)
	}
	data, err := Map(f, 1<<20, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Unmap(data) })
	if err := f.Truncate(4096); err != nil {
		t.Fatal(err)
	}
	return data
}

// The ways in which readers touch bytes, most of them in assembly.
func TestGuard(t *testing.T) {
	for name, read := range map[string]func([]byte){
		"index":   func(b []byte) { sink = b[1<<19] },
		"copy":    func(b []byte) { copy(make([]byte, len(b)), b) },
		"search":  func(b []byte) { bytes.IndexByte(b, 1) },
		"compare": func(b []byte) { bytes.Equal(b[8192:], b[:len(b)-8192]) },
		"hash":    func(b []byte) { sha256.Sum256(b) },
		"string":  func(b []byte) { _ = strings.ToUpper(string(b)) },
	} {
		t.Run(name, func(t *testing.T) {
			data := shrunk(t)
			err := Guard(func() error { read(data); return nil })
			if changed, ok := errors.AsType[*ChangedError](err); !ok || filepath.Base(changed.Path) != "input" {
				t.Errorf("%v", err)
			}
		})
	}
}

// The system reads the bytes and fails by itself.
func TestGuardWrite(t *testing.T) {
	data := shrunk(t)
	out, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	err = Guard(func() error {
		_, err := out.Write(data[8192:])
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "became shorter") {
		t.Errorf("%v", err)
	}
}

// Faults at other addresses, panics and errors pass through.
func TestGuardOthers(t *testing.T) {
	if err := Guard(func() error { return io.EOF }); err != io.EOF {
		t.Errorf("%v", err)
	}
	for name, fails := range map[string]func(){
		"panic": func() { panic("a message") },
		"nil":   func() { var p *int; *p = 1 },
		"index": func() { var b []byte; i := 3; b[i] = 1 },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			Guard(func() error { fails(); return nil })
		}()
	}
}

// Bytes of a mapping are the same while its pages are released, and afterwards.
func TestKeepReleasing(t *testing.T) {
	f, err := CreateNameless(t.TempDir(), "mapped-*")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<14)
	if _, err := f.Write(want); err != nil {
		t.Fatal(err)
	}
	data, err := Map(f, int64(len(want)), true)
	if err != nil {
		t.Skip(err) // not on this system
	}
	defer Unmap(data)
	stop := KeepReleasing(data, nil)
	for i := range data { // some of it between two releases, some after
		data[i] ^= 0x20
		want[i] ^= 0x20
	}
	if !bytes.Equal(data, want) {
		t.Error("while pages are released, the mapping has other bytes than were written")
	}
	stop()
	if !bytes.Equal(data, want) {
		t.Error("afterwards, the mapping has other bytes than were written")
	}
}
