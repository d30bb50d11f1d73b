//go:build unix

package cache

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether a file is this user's.
func isOwn(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// isPrivate reports whether this user alone may write to the folder.
func isPrivate(info fs.FileInfo) bool {
	return isOwn(info) && info.Mode().Perm()&0o022 == 0
}
