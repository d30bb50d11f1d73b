package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"offlink/filemap"
)

// target is the destination of an output.
type target struct {
	shown string // as the command line has it
	path  string // with symbolic links followed
	into  bool   // the content is copied into the file that is there
	own   int    // with into: a descriptor of this process to write to, or -1

	existing fs.FileInfo // nil where the name is free
}

// maxLinks is the number of symbolic links that are followed, as in Linux.
const maxLinks = 40

// findTarget finds the destination of an output of that name.
func findTarget(path string) (*target, error) {
	t := &target{shown: path, path: path, own: -1}
	if nameIsFree(path) { // the usual case
		return t, t.checkFree()
	}
	for range maxLinks {
		info, err := os.Lstat(t.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return t, t.checkFree()
		case err != nil:
			return nil, err
		case info.Mode()&fs.ModeSymlink == 0:
			t.existing = info
			return t, t.checkExisting()
		}
		if done, err := t.followLink(); done || err != nil {
			return t, err
		}
	}
	return nil, errors.New("too many levels of symbolic links")
}

// checkFree refuses a free name that cannot be a file's.
func (t *target) checkFree() error {
	if base := filepath.Base(t.path); os.IsPathSeparator(t.path[len(t.path)-1]) || base == "." || base == ".." {
		return errors.New("there is no such folder, and an output is a file: name a file")
	}
	return nil
}

// checkExisting decides between renaming and copying for a file that is there.
func (t *target) checkExisting() error {
	switch mode := t.existing.Mode(); {
	case mode.IsDir():
		return errors.New("is a directory: name a file")
	case mode&fs.ModeSocket != 0:
		return errors.New("is a socket, which cannot be opened as a file")
	case !mode.IsRegular():
		t.into = true
	default:
		t.into = hasOtherNames(t.existing) || hasAccessList(t.path)
	}
	return writable(t.path)
}

// followLink takes one step along a symbolic link. done says that the link is the kernel's
// name of an open file, to which no file can be renamed.
func (t *target) followLink() (done bool, err error) {
	dir, err := filepath.EvalSymlinks(cmp.Or(folderOf(t.path), "."))
	if err != nil {
		return false, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return false, err
	}
	if dir == "/dev/fd" || strings.HasPrefix(dir, "/proc/") {
		t.into = true
		t.own = ownDescriptor(dir, filepath.Base(t.path))
		if streamWasClosed(t.own) {
			return true, errors.New("the stream is closed")
		}
		if info, err := os.Stat(t.path); err == nil && info.IsDir() {
			return true, errors.New("is a directory: name a file")
		}
		return true, nil
	}
	link, err := os.Readlink(t.path)
	if err != nil {
		return false, err
	}
	if !filepath.IsAbs(link) {
		link = filepath.Join(dir, link)
	}
	t.path = link
	return false, nil
}

// ownDescriptor returns the number of the descriptor of this process that a
// name in that folder stands for, -1 if it is none.
func ownDescriptor(dir, base string) int {
	pid := strconv.Itoa(os.Getpid())
	if dir != "/dev/fd" && dir != "/proc/"+pid+"/fd" && !(strings.HasPrefix(dir, "/proc/"+pid+"/task/") && strings.HasSuffix(dir, "/fd")) {
		return -1
	}
	n, err := strconv.Atoi(base)
	if err != nil {
		return -1
	}
	return n
}

// openTemporary opens the temporary file: next to the target, or in the folder of temporary
// files if the content is copied in the end. If a file next to the target cannot be made
// or cannot get its attributes, the content is copied too.
func (t *target) openTemporary() (*os.File, error) {
	if t.into {
		f, _, err := createTemporary(os.TempDir(), 0o600, filemap.OpenFile)
		return f, err
	}
	f, _, err := createTemporary(folderOf(t.path), 0o666, filemap.OpenFile)
	switch {
	case err != nil && t.existing != nil && isReadOnlyFolder(err):
		t.into = true
		return t.openTemporary()
	case err != nil || t.existing == nil:
		return f, err
	}
	if keepAttributes(f, t.existing) {
		return f, nil
	}
	f.Close()
	os.Remove(f.Name())
	t.into = true
	return t.openTemporary()
}

// createTemporary has open create a new file in a folder. Its name is short: the
// output's may be as long as the file system allows.
func createTemporary[F any](dir string, mode fs.FileMode, open func(name string, flags int, mode fs.FileMode) (F, error)) (F, string, error) {
	for try := 0; ; try++ {
		name := ".offlink-" + strconv.FormatUint(uint64(rand.Uint32()), 36) + ".tmp"
		if dir != "" {
			name = dir + "/" + name
		}
		f, err := open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 1000 {
			return f, name, err
		}
	}
}

// takesCopy reports whether a file that cannot be replaced can be written into:
// a mount point, as in containers, or a file in a folder where only its owner
// may replace it.
func (t *target) takesCopy(err error) bool { return t.existing != nil && isUnrenamable(err) }

// copyFrom writes the content of the temporary file into the file that is there.
func (t *target) copyFrom(temporary string) (err error) {
	in, err := os.Open(temporary)
	if err != nil {
		return fmt.Errorf("error writing the file '%s': its temporary file cannot be read: %w", t.shown, err)
	}
	defer in.Close()
	out, err := t.openExisting()
	if err != nil {
		return openError(t.shown, err)
	}
	_, err = io.Copy(out, in)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return writeError(t.shown, err)
	}
	return nil
}

func (t *target) openExisting() (*os.File, error) {
	if t.own >= 0 {
		return duplicate(t.own, t.shown)
	}
	flags := os.O_WRONLY
	if t.existing == nil || t.existing.Mode().IsRegular() {
		flags |= os.O_TRUNC
	}
	return os.OpenFile(t.path, flags, 0)
}

// removeRenamed removes a file that got its name by renaming.
func (t *target) removeRenamed() {
	if !t.into {
		os.Remove(t.path)
	}
}
