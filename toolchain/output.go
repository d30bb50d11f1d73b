package toolchain

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Sizes of the parts of a tool's output that are kept: the beginning, which has
// the first error, and the end, which has a crash. A tool that prints without
// end must not fill the memory.
const (
	keptHead = 64 << 10
	keptTail = 32 << 10
)

// output is a writer that keeps the beginning and the end of its input.
type output struct {
	head, tail []byte // tail is a ring once it is full
	next       int    // where the ring goes on
	total      int64
}

func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	o.total += int64(n)
	room := min(keptHead-len(o.head), n)
	o.head = append(o.head, p[:room]...)
	p = p[room:]
	if len(p) > keptTail {
		p = p[len(p)-keptTail:]
	}
	room = min(keptTail-len(o.tail), len(p))
	o.tail = append(o.tail, p[:room]...)
	for p = p[room:]; len(p) > 0; {
		k := copy(o.tail[o.next:], p)
		p, o.next = p[k:], (o.next+k)%keptTail
	}
	return n, nil
}

// String returns the parts that are kept.
func (o *output) String() string {
	left := o.total - int64(len(o.head)) - int64(len(o.tail))
	var b strings.Builder
	b.Write(o.head)
	if left > 0 {
		fmt.Fprintf(&b, "\n... (%d bytes are left out here)\n", left)
	}
	b.Write(o.tail[o.next:])
	b.Write(o.tail[:o.next])
	return b.String()
}

// runKeeping runs the command until it exits, and returns its output,
// standard output and error together. Processes that the command started and
// left, such as the server of a compiler cache, may keep those streams open; it
// does not wait for them.
func runKeeping(cmd *exec.Cmd) (*output, error) {
	out := &output{}
	r, w, err := os.Pipe()
	if err != nil {
		return out, err
	}
	defer r.Close()
	cmd.Stdout, cmd.Stderr = w, w
	cmd.WaitDelay = killDelay
	err = cmd.Start()
	w.Close()
	if err != nil {
		return out, err
	}
	copied := make(chan struct{})
	go func() {
		io.Copy(out, r)
		close(copied)
	}()
	err = cmd.Wait()
	if r.SetReadDeadline(time.Unix(1, 0)) != nil {
		select { // reads cannot be interrupted here
		case <-copied:
			return out, err
		case <-time.After(killDelay):
			return &output{}, err
		}
	}
	<-copied
	drainPipe(r, out)
	return out, err
}
