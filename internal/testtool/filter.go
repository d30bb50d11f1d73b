package testtool

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
)

// filtered is the result of a program for one input. The first that asks for it
// runs the program.
type filtered struct {
	once sync.Once
	out  []byte
	err  error
}

// filterResults are the results of this process, by the digest of program,
// arguments and input.
var filterResults sync.Map

// maxKept is the size of the results that are kept.
const maxKept = 1 << 20

// Filter gives data to a program's standard input and returns its standard
// output. Several tests compile, assemble and print the same modules, and to
// start a process costs more than to compare its output: the same call is made
// once in a process. So the program must be one whose standard output depends on
// arguments and input alone, and that writes no file. The error holds the
// program's messages.
func Filter(data []byte, program string, args ...string) ([]byte, error) {
	key := sha256.Sum256(fmt.Appendf(nil, "%q %q %x", program, args, sha256.Sum256(data)))
	kept, _ := filterResults.LoadOrStore(key, new(filtered))
	f := kept.(*filtered)
	f.once.Do(func() { f.out, f.err = runFilter(data, program, args) })
	if len(f.out) > maxKept {
		filterResults.Delete(key)
	}
	return bytes.Clone(f.out), f.err // the caller's own
}

func runFilter(data []byte, program string, args []string) ([]byte, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin = bytes.NewReader(data)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, stderr.Bytes())
	}
	return out, err
}
