package cli

import "sync"

// fileQueue holds files that wait for the goroutine that is writing one: goroutines that make
// files in one folder at the same time would wait for each other in the kernel.
type fileQueue struct {
	mu      sync.Mutex
	writing bool // a goroutine writes, and will write those that wait
	waiting []queuedFile
	bytes   int      // of those
	free    [][]byte // memory for more
	err     error    // the first that a file met
}

type queuedFile struct {
	path string
	data []byte
}

// queueLimit is the memory in bytes of the files that may wait.
const queueLimit = 4 << 20

// QueueFile is WriteFile for one of many files, which may be written by another
// goroutine that is in a call of QueueFile. The data can be changed when it returns.
// An error may be that of another file; the calls that follow return it too.
func (o *Outputs) QueueFile(path string, data []byte) error {
	if o.queue.addFile(path, data) {
		return nil
	}
	if !o.queue.beginWriting() { // too much waits already
		return o.queue.noteError(o.WriteFile(path, data))
	}
	err := o.queue.noteError(o.WriteFile(path, data))
	for {
		f, ok := o.queue.nextFile()
		if !ok {
			return err
		}
		err = o.queue.noteError(o.WriteFile(f.path, f.data))
		o.queue.giveBack(f.data)
	}
}

// addFile has a copy of a file wait if another goroutine is writing.
func (q *fileQueue) addFile(path string, data []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.writing || q.err != nil || q.bytes+len(data) > queueLimit {
		return false
	}
	var memory []byte
	if n := len(q.free); n > 0 {
		memory, q.free = q.free[n-1], q.free[:n-1]
	}
	q.waiting = append(q.waiting, queuedFile{path, append(memory, data...)})
	q.bytes += len(data)
	return true
}

// beginWriting reports whether nobody is writing, so that the caller does.
func (q *fileQueue) beginWriting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.writing {
		return false
	}
	q.writing = true
	return true
}

// nextFile takes the last of the files that wait. Without one the caller
// stops writing.
func (q *fileQueue) nextFile() (f queuedFile, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.waiting)
	if q.writing = n > 0; n == 0 {
		return f, false
	}
	f, q.waiting = q.waiting[n-1], q.waiting[:n-1]
	q.bytes -= len(f.data)
	return f, true
}

// giveBack keeps the memory of a file that is written, for the next one.
func (q *fileQueue) giveBack(data []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.free) < 64 && cap(data) <= queueLimit/64 {
		q.free = append(q.free, data[:0])
	}
}

// noteError keeps the first error and returns it.
func (q *fileQueue) noteError(err error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = err
	}
	return q.err
}
