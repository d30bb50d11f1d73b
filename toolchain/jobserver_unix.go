//go:build !windows

package toolchain

import (
	"fmt"
	"os"
	"syscall"
)

// openFIFO opens a jobserver that is a named pipe (make 4.4, ninja 1.13).
func openFIFO(path string) (*Jobserver, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, errNoJobserver
	}
	return openEnds(path, path)
}

// openDescriptors opens a jobserver that is an inherited pipe. It is opened
// anew under its name in /dev/fd: so reads of ours can wait in the poller and
// be interrupted, while make's own descriptors stay as make set them.
func openDescriptors(read, write int) (*Jobserver, error) {
	if !isPipe(read) || !isPipe(write) {
		return nil, errNoJobserver // make closes them for a recipe without '+'
	}
	return openEnds(fmt.Sprintf("/dev/fd/%d", read), fmt.Sprintf("/dev/fd/%d", write))
}

func isPipe(fd int) bool {
	var stat syscall.Stat_t
	return syscall.Fstat(fd, &stat) == nil && stat.Mode&syscall.S_IFMT == syscall.S_IFIFO
}

func openEnds(read, write string) (*Jobserver, error) {
	r, err := os.OpenFile(read, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, errNoJobserver
	}
	w, err := os.OpenFile(write, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		r.Close()
		return nil, errNoJobserver
	}
	return newJobserver(r, w), nil
}
