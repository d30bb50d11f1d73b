//go:build unix

package cli

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// plainFile is the descriptor of a regular file. An [os.File] takes five more system calls
// to find out whether it could wait for the file.
type plainFile int

// openPlain is [os.OpenFile] for a regular file.
func openPlain(name string, flags int, mode fs.FileMode) (plainFile, error) {
	for {
		fd, err := unix.Open(name, flags|unix.O_CLOEXEC, uint32(mode.Perm()))
		if err != unix.EINTR {
			return plainFile(fd), err
		}
	}
}

func (f plainFile) writeAll(data []byte) error {
	for len(data) > 0 {
		n, err := unix.Write(int(f), data[:min(len(data), 1<<30)]) // some systems refuse more than 2 GiB
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// Close closes the file. A call that a signal interrupted has closed it too.
func (f plainFile) Close() error {
	if err := unix.Close(int(f)); err != unix.EINTR {
		return err
	}
	return nil
}

// nameIsFree reports whether there is nothing of that name, not even a link.
func nameIsFree(path string) bool {
	var stat unix.Stat_t
	return unix.Lstat(path, &stat) == unix.ENOENT
}

// renameFile is [os.Rename] for a name that belongs to a file, or to nothing.
func renameFile(from, to string) error {
	for {
		if err := unix.Rename(from, to); err != unix.EINTR {
			return err
		}
	}
}

// writable returns the error with which opening the file for writing would fail, without
// opening it.
func writable(path string) error {
	err := unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return nil // opening the file decides
	}
	return err
}

// hasOtherNames reports whether a file has several hard links, of which
// renaming would replace one.
func hasOtherNames(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}

// hasAccessList reports whether a file has an access control list, which one
// that is renamed to its name would lack.
func hasAccessList(path string) bool {
	n, err := unix.Getxattr(path, "system.posix_acl_access", nil)
	return err == nil && n > 0
}

// keepAttributes gives a new file the owner and the permissions of the file
// that it will replace. It reports whether that was possible.
func keepAttributes(f *os.File, existing fs.FileInfo) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	was, ok1 := existing.Sys().(*syscall.Stat_t)
	is, ok2 := info.Sys().(*syscall.Stat_t)
	if ok1 && ok2 && (was.Uid != is.Uid || was.Gid != is.Gid) && f.Chown(int(was.Uid), int(was.Gid)) != nil {
		return false
	}
	return info.Mode().Perm() == existing.Mode().Perm() || f.Chmod(existing.Mode().Perm()) == nil
}

// isReadOnlyFolder reports whether an error says that no file can be made in a folder.
func isReadOnlyFolder(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS)
}

// isUnrenamable reports whether an error of a rename says that the target
// itself must stay.
func isUnrenamable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EXDEV) || errors.Is(err, unix.EROFS)
}

// duplicate returns a file for a descriptor of the process, at its offset.
func duplicate(fd int, name string) (*os.File, error) {
	n, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(n), name), nil
}

// isNullForWriting reports whether a stream is the null device, open for reading
// and writing as the Go runtime opens it. A shell's </dev/null is for reading
// only.
func isNullForWriting(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return true
	}
	null, err := os.Stat(os.DevNull)
	if err != nil || !os.SameFile(info, null) {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
