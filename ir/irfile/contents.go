package irfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"offlink/filemap"
	"offlink/ir/irtext"
)

// memory is the content of an input.
type memory struct {
	all  []byte // as allocated, nil for none
	used int
}

func (m *memory) bytes() []byte { return m.all[:m.used:m.used] }

func (m *memory) freeMemory() error {
	if m.all == nil {
		return nil
	}
	all := m.all
	m.all, m.used = nil, 0
	return releaseMemory(all)
}

var (
	errNoMemory = errors.New("there is not enough memory for it")
	errShorter  = errors.New("the file became shorter while it was read")
	errChanged  = errors.New("the file was changed while it was read")
	errLonger   = errors.New("the file became longer while it was read: is it complete?")
)

// readContents reads a whole input.
func readContents(path string, stdin io.Reader) (*memory, error) {
	if path == Stdin {
		m, err := readStream(stdin, irtext.MaxSize)
		return m, pathError("<stdin>", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	defer file.Close()
	m, err := readFile(file)
	return m, pathError(path, err)
}

// pathError puts the path before an error that does not have it.
func pathError(path string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func readFile(file *os.File) (*memory, error) {
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("is a directory; name a file of LLVM IR")
	case info.Mode().IsRegular() && info.Size() > irtext.MaxSize:
		return nil, tooLarge(irtext.MaxSize)
	}
	read := func() (*memory, error) { return readStream(file, irtext.MaxSize) }
	if info.Mode().IsRegular() && info.Size() > 0 { // some of /proc say 0
		read = func() (*memory, error) { return readExactly(file, int(info.Size())) }
	}
	m, err := read()
	if err == nil && info.Mode().IsRegular() && !sameVersion(info, file) {
		return nil, errors.Join(errChanged, m.freeMemory())
	}
	return m, err
}

// sameVersion reports whether the file was not written to since info was taken:
// its bytes could be part of the old content and part of the new.
func sameVersion(info fs.FileInfo, file *os.File) bool {
	return filemap.VersionOf(info).CheckUnchanged(file, "") == nil
}

// readExactly reads a file of that size, and no other.
func readExactly(r io.Reader, size int) (*memory, error) {
	all, err := allocateMemory(size)
	if err != nil {
		return nil, err
	}
	m := &memory{all, size}
	if _, err = io.ReadFull(r, all); errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = errShorter
	}
	if err == nil {
		var more [1]byte
		if n, _ := r.Read(more[:]); n > 0 {
			err = errLonger
		}
	}
	if err != nil {
		return nil, errors.Join(err, m.freeMemory())
	}
	return m, nil
}

// firstBlock is how much of a stream is read before it is looked at.
const firstBlock = 1 << 16

// readStream reads a stream whose size is not known, up to limit bytes. One that
// does not begin like LLVM IR is not read to its end, which may not come.
func readStream(r io.Reader, limit int) (*memory, error) {
	m := &memory{}
	for {
		if m.used == len(m.all) {
			if err := m.growMemory(); err != nil {
				return nil, errors.Join(err, m.freeMemory())
			}
		}
		n, err := r.Read(m.all[m.used:])
		began := m.used < firstBlock
		m.used += n
		switch {
		case m.used > limit:
			err = tooLarge(limit)
		case errors.Is(err, io.EOF):
			return m, nil
		case err == nil && began && m.used >= firstBlock:
			err = checkIR(m.bytes())
		}
		if err != nil {
			return nil, errors.Join(err, m.freeMemory())
		}
	}
}

// growMemory doubles the memory.
func (m *memory) growMemory() error {
	all, err := allocateMemory(max(4*firstBlock, 2*len(m.all)))
	if err != nil {
		return err
	}
	copy(all, m.bytes())
	used := m.used
	err = m.freeMemory()
	m.all, m.used = all, used
	return err
}

func tooLarge(limit int) error {
	return fmt.Errorf("the module has more than %d bytes, which is the limit: compile its sources to several modules", limit)
}
