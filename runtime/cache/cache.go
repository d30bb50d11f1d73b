// Package cache keeps built programs in files between runs. An entry is found
// by its inputs and checked before it is used. Whatever goes wrong with the
// files only costs time: a Get is then a miss, and a Put does nothing.
//
// The folder has one file for each entry, named by the SHA-256 of its inputs:
//
//	FOLDER/v1/ab/ab12...  magic, length of the header, header, data, SHA-256
//
// A file is written under another name, synced, and renamed. There are no locks, which a
// process that ends could leave. The header has the inputs, so that a miss can be
// explained. Files of other users are not read, and entries are opened relative to the
// folder's descriptor, so that symbolic links cannot lead out of it.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"
)

// Input is one thing that a program depends on: a device, an image, options. A
// large one is given as its digest.
type Input struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Inputs are everything that a program depends on, in a defined order.
type Inputs []Input

// Digest is a large input's value.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// entryKey returns the name of the entry. The lengths make the encoding unambiguous: text
// cannot move from one input to the next without changing the key.
func (in Inputs) entryKey() string {
	h := sha256.New()
	for _, i := range in {
		fmt.Fprintf(h, "%d:%s%d:%s", len(i.Name), i.Name, len(i.Value), i.Value)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Cache is a folder of entries. It is safe for concurrent use, by several
// processes too.
type Cache struct {
	options Options

	mu    sync.Mutex
	root  *os.Root // nil: not opened, or it cannot be
	tried bool
	err   error // of opening
	size  int64 // of all entries, as far as this process knows
	puts  int   // since the size was counted
	stats Statistics
}

// Statistics count the uses of a cache by this process.
type Statistics struct {
	Hits, Misses, Stored, Evicted int
	Damaged                       int // entries whose content was not as written
}

// New returns the cache of the options. The folder is made on first use.
func New(o Options) *Cache { return &Cache{options: o} }

const (
	layout     = "v1"
	magic      = "offlink cache 1\n"
	maxHeader  = 1 << 20
	touchAfter = time.Minute // the least time between two updates of an entry's last use
	countEvery = 32          // puts between two counts of the folder
)

var errForeign = errors.New("the folder belongs to another user, or others may write to it")

// openFolder opens the folder once, and returns the same error in all later calls. A
// folder that others may write to is not used: its entries could be anybody's code.
func (c *Cache) openFolder() (*os.Root, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tried {
		return c.root, c.err
	}
	c.tried = true
	dir := path.Join(c.options.Dir, layout)
	if c.err = os.MkdirAll(dir, 0o700); c.err != nil {
		return nil, c.err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		c.err = err
		return nil, err
	}
	info, err := root.Stat(".")
	if err == nil && !isPrivate(info) {
		err = fmt.Errorf("%s: %w", dir, errForeign)
	}
	if err != nil {
		_ = root.Close()
		c.err = err
		return nil, err
	}
	c.root = root
	return root, nil
}

func entryPath(key string) string { return path.Join(key[:2], key) }

// Get returns the data of the inputs.
func (c *Cache) Get(in Inputs) ([]byte, bool) {
	name := entryPath(in.entryKey())
	data, err := c.loadEntry(in, name)
	switch {
	case err == nil:
		c.traceUse("hit %s", name)
		c.updateStatistics(func(s *Statistics) { s.Hits++ })
		return data, true
	case errors.Is(err, errDamaged):
		c.traceUse("damaged %s: %v", name, err)
		c.updateStatistics(func(s *Statistics) { s.Damaged++; s.Misses++ })
		c.removeEntry(name)
	default:
		c.traceUse("miss %s: %v", name, err)
		c.updateStatistics(func(s *Statistics) { s.Misses++ })
	}
	return nil, false
}

func (c *Cache) loadEntry(in Inputs, name string) ([]byte, error) {
	root, err := c.openFolder()
	if err != nil {
		return nil, err
	}
	e, err := c.readEntry(root, name)
	if err != nil {
		return nil, err
	}
	if !equalInputs(e.header.Inputs, in) {
		return nil, fmt.Errorf("%w: it has other inputs", errDamaged)
	}
	if time.Since(e.used) > touchAfter {
		now := time.Now()
		_ = root.Chtimes(name, now, now)
	}
	return e.data, nil
}

func equalInputs(a, b Inputs) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// header is the first part of an entry.
type header struct {
	Inputs Inputs `json:"inputs"`
	Size   int64  `json:"size"` // of the data
}

// entry is a file that was read.
type entry struct {
	header header
	data   []byte
	used   time.Time
}

var errDamaged = errors.New("not an entry as it was written")

// readEntry reads and checks a file. Files larger than any entry are not read, whatever
// their header says.
func (c *Cache) readEntry(root *os.Root, name string) (*entry, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || !isOwn(info) {
		return nil, fmt.Errorf("%w: it is not a file of this user", errDamaged)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%w: it has %d bytes, and entries have at most %d", errDamaged, info.Size(), int64(maxFile))
	}
	raw := make([]byte, info.Size())
	if _, err := io.ReadFull(f, raw); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	e, err := decodeEntry(raw)
	if err != nil {
		return nil, err
	}
	e.used = info.ModTime()
	return e, nil
}

func encodeEntry(in Inputs, data []byte) ([]byte, error) {
	head, err := json.Marshal(header{in, int64(len(data))})
	if err != nil {
		return nil, err
	}
	if len(head) > maxHeader {
		return nil, fmt.Errorf("the inputs take %d bytes; the most is %d", len(head), maxHeader)
	}
	raw := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(head)))
	raw = append(append(raw, head...), data...)
	sum := sha256.Sum256(raw)
	return append(raw, sum[:]...), nil
}

func decodeEntry(raw []byte) (*entry, error) {
	body := len(raw) - sha256.Size
	if body < len(magic)+4 || !bytes.HasPrefix(raw, []byte(magic)) {
		return nil, fmt.Errorf("%w: it does not begin like one", errDamaged)
	}
	if sum := sha256.Sum256(raw[:body]); !bytes.Equal(sum[:], raw[body:]) {
		return nil, fmt.Errorf("%w: the checksum differs", errDamaged)
	}
	rest := raw[len(magic)+4 : body]
	size := binary.LittleEndian.Uint32(raw[len(magic):])
	if size > maxHeader || int64(size) > int64(len(rest)) {
		return nil, fmt.Errorf("%w: its header would have %d bytes", errDamaged, size)
	}
	e := &entry{data: rest[size:]}
	if err := json.Unmarshal(rest[:size], &e.header); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if e.header.Size != int64(len(e.data)) {
		return nil, fmt.Errorf("%w: it has %d bytes of data and not %d", errDamaged, len(e.data), e.header.Size)
	}
	return e, nil
}

// Put stores data for the inputs. Data of more than 1 GiB is not stored.
func (c *Cache) Put(in Inputs, data []byte) {
	name := entryPath(in.entryKey())
	if len(data) > maxData {
		c.traceUse("not stored %s: %d bytes are more than %d", name, len(data), maxData)
		return
	}
	size, err := c.storeEntry(in, name, data)
	if err != nil {
		c.traceUse("not stored %s: %v", name, err)
		return
	}
	c.traceUse("stored %s, %d bytes", name, size)
	c.updateStatistics(func(s *Statistics) { s.Stored++ })
	c.noteGrowth(size)
}

func (c *Cache) storeEntry(in Inputs, name string, data []byte) (int64, error) {
	root, err := c.openFolder()
	if err != nil {
		return 0, err
	}
	raw, err := encodeEntry(in, data)
	if err != nil {
		return 0, err
	}
	if err := root.Mkdir(path.Dir(name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return 0, err
	}
	temporary := fmt.Sprintf("%s.%d.%d%s", name, os.Getpid(), temporaries.Add(1), temporarySuffix)
	if err := writeSynced(root, temporary, raw); err != nil {
		_ = root.Remove(temporary)
		return 0, err
	}
	if err := root.Rename(temporary, name); err != nil {
		_ = root.Remove(temporary)
		return 0, err
	}
	return int64(len(raw)), nil
}

const temporarySuffix = ".tmp"

func writeSynced(root *os.Root, name string, raw []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	return errors.Join(err, f.Sync(), f.Close())
}

func (c *Cache) removeEntry(name string) {
	if root, err := c.openFolder(); err == nil {
		_ = root.Remove(name)
	}
}

func (c *Cache) updateStatistics(f func(*Statistics)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.stats)
}

// Statistics returns the uses by this process.
func (c *Cache) Statistics() Statistics {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Close closes the folder. Later uses fail as those of a folder that cannot be opened.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried = true
	if c.root == nil {
		return nil
	}
	err := c.root.Close()
	c.root, c.err = nil, fs.ErrClosed
	return err
}

func (c *Cache) traceUse(format string, args ...any) {
	if c.options.Trace != nil {
		c.options.Trace("[Persistent Cache]: " + strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "))
	}
}
