package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes are the owner, the permissions and the extended attributes of a file.
type attributes struct {
	info     fs.FileInfo
	owner    *syscall.Stat_t
	extended map[string][]byte // access control lists and capabilities too
}

// readAttributes reads the attributes of a file. Extended ones that cannot be
// read are left out.
func readAttributes(name string) (*attributes, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	a := &attributes{info: info, extended: map[string][]byte{}}
	a.owner, _ = info.Sys().(*syscall.Stat_t)
	for _, key := range listExtended(name) {
		if value, err := getExtended(name, key); err == nil {
			a.extended[key] = value
		}
	}
	return a, nil
}

// listExtended lists the extended attributes of a file, none if the file system does not
// have such attributes.
func listExtended(name string) []string {
	size, err := unix.Listxattr(name, nil)
	if err != nil || size == 0 {
		return nil
	}
	list := make([]byte, size)
	if size, err = unix.Listxattr(name, list); err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(list[:size]), "\x00"), "\x00")
}

// getExtended reads an extended attribute.
func getExtended(name, key string) ([]byte, error) {
	size, err := unix.Getxattr(name, key, nil)
	if err != nil || size == 0 {
		return nil, err
	}
	value := make([]byte, size)
	size, err = unix.Getxattr(name, key, value)
	return value[:max(size, 0)], err
}

// restoreAttribute gives a file the attributes that it lacks, and returns descriptions of
// those that it could not set. The owner comes first: changing it removes the
// set-user-ID bit and capabilities (chown(2)).
func (a *attributes) restoreAttribute(name string) (lost []string) {
	now, err := readAttributes(name)
	if err != nil {
		return []string{err.Error()}
	}
	keptOwner := true
	if a.owner != nil && now.owner != nil && (a.owner.Uid != now.owner.Uid || a.owner.Gid != now.owner.Gid) {
		if os.Chown(name, int(a.owner.Uid), int(a.owner.Gid)) != nil {
			keptOwner = false
			lost = append(lost, fmt.Sprintf("its owner (user %d, group %d)", a.owner.Uid, a.owner.Gid))
		}
	}
	if err := a.restoreMode(name, keptOwner); err != "" {
		lost = append(lost, err)
	}
	for key, value := range a.extended {
		if had, ok := now.extended[key]; ok && bytes.Equal(had, value) {
			continue
		}
		if err := unix.Setxattr(name, key, value, 0); err != nil && !errors.Is(err, unix.EEXIST) {
			lost = append(lost, "the extended attribute "+key)
		}
	}
	return lost
}

// restoreMode sets permissions, and the bits that let others run the file as
// its owner only if it still has that owner.
func (a *attributes) restoreMode(name string, keptOwner bool) (lost string) {
	mode := a.info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	special := mode &^ fs.ModePerm
	if !keptOwner {
		mode &= fs.ModePerm
	}
	info, err := os.Stat(name)
	if err == nil && info.Mode()&(fs.ModePerm|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) != mode {
		err = os.Chmod(name, mode)
	}
	switch {
	case err != nil:
		return fmt.Sprintf("its permissions (%v)", a.info.Mode())
	case special != 0 && !keptOwner:
		return fmt.Sprintf("the bits %v of its permissions", special)
	}
	return ""
}
