package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// Outputs writes a group of files all or nothing: each is written beside its
// final name, Commit renames them in the order of their Create calls' keys,
// and Abort removes what was written. renameio does this for one file and
// syncs each to disk, which thousands of small files cannot afford.
//
// Create may be called from several goroutines.
type Outputs struct {
	mu      sync.Mutex
	pending []pendingFile
	last    []pendingFile
}

type pendingFile struct{ temporary, final string }

// Create opens a file that will get the name path. The caller closes it.
func (o *Outputs) Create(path string) (*os.File, error) { return o.create(path, &o.pending) }

// CreateLast is Create for a file that must appear after all others, as a
// table that names them.
func (o *Outputs) CreateLast(path string) (*os.File, error) { return o.create(path, &o.last) }

func (o *Outputs) create(path string, list *[]pendingFile) (*os.File, error) {
	f, err := createBeside(path)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	*list = append(*list, pendingFile{f.Name(), path})
	o.mu.Unlock()
	return f, nil
}

// createBeside creates a new file in the folder of path.
func createBeside(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	for try := 0; ; try++ {
		name := dir + "." + base + ".tmp" + strconv.Itoa(os.Getpid()+try)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !os.IsExist(err) || try == 1000 {
			return f, openError(path, err)
		}
	}
}

func openError(path string, err error) error {
	if err == nil {
		return nil
	}
	if pe, ok := err.(*os.PathError); ok {
		err = pe.Err
	}
	return fmt.Errorf("error opening the file '%s': %w", path, err)
}

// WriteFile writes one whole file of the group.
func (o *Outputs) WriteFile(path string, data []byte) error {
	return writeAll(data)(o.Create(path))
}

// WriteLast writes one whole file that must appear after all others.
func (o *Outputs) WriteLast(path string, data []byte) error {
	return writeAll(data)(o.CreateLast(path))
}

func writeAll(data []byte) func(io.WriteCloser, error) error {
	return func(f io.WriteCloser, err error) error {
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		return err
	}
}

// Commit gives every file its name. On failure what was not renamed yet is
// removed, and so is what was.
func (o *Outputs) Commit() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := append(o.pending, o.last...)
	for i, p := range all {
		if err := os.Rename(p.temporary, p.final); err != nil {
			for _, done := range all[:i] {
				os.Remove(done.final)
			}
			o.pending, o.last = all[i:], nil
			o.abort()
			return err
		}
	}
	o.pending, o.last = nil, nil
	return nil
}

// Abort removes everything that was not committed. After Commit it does
// nothing, so that it can be deferred.
func (o *Outputs) Abort() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.abort()
}

func (o *Outputs) abort() {
	for _, p := range append(o.pending, o.last...) {
		os.Remove(p.temporary)
	}
	o.pending, o.last = nil, nil
}
