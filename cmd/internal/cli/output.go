package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Outputs writes a group of files, all of them or none: each is written to a
// temporary file, Commit gives all of them their names, those of WriteLast
// after the others, and Abort removes the temporary files. A signal that ends
// the process removes them too; only SIGKILL and a crash of the machine leave
// files called .offlink-*.tmp, which can be deleted. renameio does this for one
// file and syncs each to disk, which thousands of small files cannot afford.
//
// A regular file, or a name that is free, gets its content by renaming a file
// that was written next to it, so that a reader sees the old content or the new.
// Anything else (a device, a FIFO, a descriptor under /dev/fd, a file with
// several links) cannot be replaced, and Commit copies the content into it.
// Symbolic links are followed.
//
// Create may be called from several goroutines.
type Outputs struct {
	mu       sync.Mutex
	opening  sync.RWMutex // held for reading while a file is opened and recorded
	pending  []*pendingFile
	last     []*pendingFile
	queue    fileQueue
	guard    inputGuard
	listings folderListings
	folders  []string // that were made for the files, the innermost first
	release  func()   // ends the removal at signals; nil before the first file
	ended    bool     // a signal ends the process: no more files are made
}

// pendingFile is a file that does not have its name yet, or the content for a
// stream.
type pendingFile struct {
	temporary string
	target    target
	committed bool
	renamed   bool // has its name, in a Commit that may not have ended

	stream io.Writer // nil for a file
	data   []byte
}

// Create opens a file that will get the name path. The caller closes it before
// Commit.
func (o *Outputs) Create(path string) (*OutputFile, error) { return o.createFile(path, &o.pending) }

func (o *Outputs) createFile(path string, list *[]*pendingFile) (*OutputFile, error) {
	t, err := o.claimTarget(path)
	if err != nil {
		return nil, err
	}
	return o.createTarget(t, list)
}

// createTarget opens the temporary file of a target.
func (o *Outputs) createTarget(t *target, list *[]*pendingFile) (*OutputFile, error) {
	var f *os.File
	err := o.openAndRecord(t, list, func() (name string, err error) {
		if f, err = t.openTemporary(); err != nil {
			return "", openError(t.shown, err)
		}
		return f.Name(), nil
	})
	if err != nil {
		return nil, err
	}
	return &OutputFile{File: f, path: t.shown}, nil
}

// openAndRecord has open make the temporary file of a target, and records it. A signal between
// the two would leave the file, so that its handler waits for those that are being opened;
// goroutines that open others do not.
func (o *Outputs) openAndRecord(t *target, list *[]*pendingFile, open func() (name string, err error)) error {
	o.removeAtSignals()
	o.opening.RLock()
	defer o.opening.RUnlock()
	if o.hasEnded() {
		return errEnded
	}
	name, err := open()
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	*list = append(*list, &pendingFile{temporary: name, target: *t})
	return nil
}

func (o *Outputs) hasEnded() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ended
}

// removeAtSignals has abortForGood called when a signal ends the process. The lock is not
// held while it registers, as the handler takes it; a registration that lost the race
// is released.
func (o *Outputs) removeAtSignals() {
	o.mu.Lock()
	registered := o.release != nil
	o.mu.Unlock()
	if registered {
		return
	}
	release := AtSignal(o.abortForGood)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.release == nil {
		o.release = release
	} else {
		release()
	}
}

// WriteFile writes one whole file of the group.
func (o *Outputs) WriteFile(path string, data []byte) error {
	return o.writeWhole(path, data, &o.pending)
}

// WriteLast writes one whole file that must appear after all others, such as a
// table that names them: a build system that finds the table finds the files.
func (o *Outputs) WriteLast(path string, data []byte) error {
	return o.writeWhole(path, data, &o.last)
}

// StreamLast has Commit write data to w, which is standard output, in its turn
// among those of WriteLast.
func (o *Outputs) StreamLast(w io.Writer, data []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = append(o.last, &pendingFile{target: target{into: true}, stream: w, data: data})
}

// writeWhole writes a file whose content is complete. The cost of thousands of small files
// is their system calls, so that a name that is free takes the fewest.
func (o *Outputs) writeWhole(path string, data []byte, list *[]*pendingFile) error {
	t, err := o.claimTarget(path)
	if err != nil {
		return err
	}
	if t.existing != nil || t.into {
		f, err := o.createTarget(t, list)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return errors.Join(err, f.Close())
	}
	var f plainFile
	err = o.openAndRecord(t, list, func() (name string, err error) {
		if f, name, err = createTemporary(folderOf(t.path), 0o666, openPlain); err != nil {
			err = openError(path, err)
		}
		return name, err
	})
	if err != nil {
		return err
	}
	if err := cmp.Or(f.writeAll(data), f.Close()); err != nil {
		return writeError(path, err)
	}
	return nil
}

// Commit gives every file its name. On failure it removes the temporary files
// that are left and the files that this call gave their names. Devices, FIFOs
// and other special files are never removed.
func (o *Outputs) Commit() error {
	if err := o.queue.noteError(nil); err != nil {
		o.Abort()
		return err
	}
	o.mu.Lock()
	all := append(o.pending, o.last...)
	o.mu.Unlock()
	for i, p := range all {
		if err := o.commitFile(p); err != nil {
			for _, done := range all[:i] {
				done.target.removeRenamed()
			}
			o.Abort()
			return err
		}
	}
	o.reset()
	return nil
}

// commitFile gives one file its name. The lock is not held while content is copied: a
// FIFO may wait for a reader, and a signal must not wait for that.
func (o *Outputs) commitFile(p *pendingFile) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p.committed {
		return errEnded
	}
	if p.stream != nil {
		p.committed = true
		o.mu.Unlock()
		_, err := p.stream.Write(p.data)
		o.mu.Lock()
		return err
	}
	if !p.target.into {
		err := renameFile(p.temporary, p.target.path)
		if err == nil {
			p.committed, p.renamed = true, true
			return nil
		}
		if !p.target.takesCopy(err) {
			return openError(p.target.shown, err)
		}
	}
	o.mu.Unlock()
	err := p.target.copyFrom(p.temporary)
	o.mu.Lock()
	p.removeTemporary()
	p.committed = true
	return err
}

// removeTemporary removes the temporary file.
func (p *pendingFile) removeTemporary() {
	if p.stream == nil {
		os.Remove(p.temporary)
	}
}

// errEnded reports that a signal ends the process and has removed the files.
var errEnded = errors.New("interrupted")

// Abort removes every file that was not committed, and the folders of CreateFolder. After
// Commit it has no effect, so that callers can defer it.
func (o *Outputs) Abort() {
	o.mu.Lock()
	for _, p := range append(o.pending, o.last...) {
		if !p.committed {
			p.removeTemporary()
			p.committed = true
		}
	}
	o.removeFolders()
	o.mu.Unlock()
	o.reset()
}

// abortForGood is Abort for a signal: files that goroutines create after it would
// be left. A Commit that it interrupts leaves none of its files, as one that
// fails.
func (o *Outputs) abortForGood() {
	o.opening.Lock()
	o.mu.Lock()
	o.ended = true
	for _, p := range append(o.pending, o.last...) {
		if p.renamed {
			p.target.removeRenamed()
		}
	}
	o.mu.Unlock()
	o.opening.Unlock()
	o.Abort()
}

// reset empties the group.
func (o *Outputs) reset() {
	o.mu.Lock()
	o.pending, o.last, o.folders, o.guard.taken = nil, nil, nil, nil
	o.listings = folderListings{}
	release := o.release
	o.release = nil
	o.mu.Unlock()
	if release != nil {
		release()
	}
}

// OutputFile is a file of a group. Name is that of the temporary file; errors
// name the output.
type OutputFile struct {
	*os.File
	path string
}

func (f *OutputFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	return n, f.writeError(err)
}

// WriteString writes the bytes of a string.
func (f *OutputFile) WriteString(s string) (int, error) {
	n, err := f.File.WriteString(s)
	return n, f.writeError(err)
}

// WriteAt writes at an offset.
func (f *OutputFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	return n, f.writeError(err)
}

// ReadFrom copies the bytes of r, within the kernel where the system can.
func (f *OutputFile) ReadFrom(r io.Reader) (int64, error) {
	n, err := f.File.ReadFrom(r)
	return n, f.writeError(err)
}

// Truncate changes the size.
func (f *OutputFile) Truncate(size int64) error { return f.writeError(f.File.Truncate(size)) }

// Sync brings the content to the disk.
func (f *OutputFile) Sync() error { return f.writeError(f.File.Sync()) }

// Close closes the file, which keeps its temporary name until Commit.
func (f *OutputFile) Close() error { return f.writeError(f.File.Close()) }

// writeError names the output in an error about the temporary file.
func (f *OutputFile) writeError(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == f.Name() {
		return writeError(f.path, e.Err)
	}
	return err
}

func writeError(path string, err error) error {
	return fmt.Errorf("error writing the file '%s': %w", path, bareError(err))
}

func openError(path string, err error) error {
	return fmt.Errorf("error opening the file '%s': %w", path, bareError(err))
}

// bareError returns the cause of an error of a file without the file's name, which may
// be that of a temporary file.
func bareError(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// folderOf is the folder of path as it is spelled, "" for the current one.
func folderOf(path string) string {
	dir, _ := filepath.Split(path)
	return dir
}
