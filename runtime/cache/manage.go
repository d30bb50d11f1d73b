package cache

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// Entry describes one entry of the folder.
type Entry struct {
	Key    string    `json:"key"`
	Size   int64     `json:"size"` // of the file
	Used   time.Time `json:"used"`
	Inputs Inputs    `json:"inputs,omitempty"`
	Err    error     `json:"-"` // where the entry is damaged
}

// file is a file of the folder.
type file struct {
	name      string
	size      int64
	used      time.Time
	temporary bool
}

// listFiles lists the folder, the longest unused first.
func listFiles(root *os.Root) ([]file, error) {
	var list []file
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // it went meanwhile
			}
			return err
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		list = append(list, file{name, info.Size(), info.ModTime(), strings.HasSuffix(name, temporarySuffix)})
		return nil
	})
	slices.SortFunc(list, func(a, b file) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name))
	})
	return list, err
}

// List reads every entry, sorted by key. Damaged entries have Err.
func (c *Cache) List() ([]Entry, error) {
	root, err := c.openFolder()
	if err != nil {
		return nil, err
	}
	all, err := listFiles(root)
	if err != nil {
		return nil, err
	}
	var list []Entry
	for _, f := range all {
		if f.temporary {
			continue
		}
		e := Entry{Key: path.Base(f.name), Size: f.size, Used: f.used}
		read, err := c.readEntry(root, f.name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			e.Err = err
		case entryPath(read.header.Inputs.entryKey()) != f.name:
			e.Err = errDamaged
		default:
			e.Inputs = read.header.Inputs
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.Key, b.Key) })
	return list, nil
}

// Removed counts the files that GC and Clear took out.
type Removed struct {
	Entries int   `json:"entries"`
	Bytes   int64 `json:"bytes"`
}

// abandoned is the age of a temporary file whose writer is gone.
const abandoned = time.Hour

// GC removes damaged entries, temporary files that writers left, entries beyond the
// largest age, and then those that were not used for the longest time until the folder
// is within its limit.
func (c *Cache) GC(now time.Time) (Removed, error) {
	list, err := c.List()
	if err != nil {
		return Removed{}, err
	}
	var done Removed
	for _, e := range list {
		if e.Err != nil {
			c.takeFile(entryPath(e.Key), e.Size, &done)
		}
	}
	trimmed, err := c.trimFolder(now, c.options.MaxSize)
	done.Entries += trimmed.Entries
	done.Bytes += trimmed.Bytes
	return done, err
}

// Clear takes out everything.
func (c *Cache) Clear() (Removed, error) {
	root, err := c.openFolder()
	if err != nil {
		return Removed{}, err
	}
	all, err := listFiles(root)
	var done Removed
	for _, f := range all {
		c.takeFile(f.name, f.size, &done)
	}
	return done, err
}

func (c *Cache) takeFile(name string, size int64, done *Removed) {
	if root, err := c.openFolder(); err == nil && root.Remove(name) == nil {
		done.Entries++
		done.Bytes += size
	}
}

// trimFolder removes the entries beyond the largest age, and the longest unused ones until
// the folder has at most limit bytes; 0 means no limit. Recent temporary files stay, as
// another process may be writing them.
func (c *Cache) trimFolder(now time.Time, limit int64) (done Removed, err error) {
	root, err := c.openFolder()
	if err != nil {
		return done, err
	}
	all, err := listFiles(root)
	total := int64(0)
	for _, f := range all {
		total += f.size
	}
	for _, f := range all {
		unused, longest := now.Sub(f.used), c.options.MaxAge
		if f.temporary {
			longest = abandoned
		}
		over := limit > 0 && total > limit && !f.temporary
		if over || longest > 0 && unused > longest {
			before := done.Bytes
			c.takeFile(f.name, f.size, &done)
			total -= done.Bytes - before
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size, c.puts = total, 0
	c.stats.Evicted += done.Entries
	return done, err
}

// noteGrowth notes a new entry, and trims the folder if it may be too large. As other
// processes store entries too, the folder is counted at the first Put and again after
// every countEvery.
func (c *Cache) noteGrowth(size int64) {
	c.mu.Lock()
	c.size += size
	c.puts++
	due := c.puts == 1 && c.size == size || c.puts >= countEvery || c.options.MaxSize > 0 && c.size > c.options.MaxSize
	c.mu.Unlock()
	if due {
		_, _ = c.trimFolder(time.Now(), c.options.MaxSize)
	}
}

// Difference is an input that keeps an entry from being used.
type Difference struct {
	Name   string `json:"name"`
	Wanted string `json:"wanted"`           // "": only the entry has it
	Stored string `json:"stored,omitempty"` // "": the entry lacks it
}

// Explanation says why inputs hit or miss.
type Explanation struct {
	Key string `json:"key"`
	Hit bool   `json:"hit"`
	// Damaged says why the entry of the inputs cannot be used, if there is one.
	Damaged string `json:"damaged,omitempty"`
	// Nearest is the entry whose inputs differ least, if any has inputs in common, and
	// Differences are its differences.
	Nearest     string       `json:"nearest,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
}

// Explain says whether there is an entry for the inputs, and if not how the nearest one
// differs.
func (c *Cache) Explain(in Inputs) (Explanation, error) {
	e := Explanation{Key: in.entryKey()}
	list, err := c.List()
	if err != nil {
		return e, err
	}
	for _, other := range list {
		if other.Key == e.Key {
			e.Hit = other.Err == nil
			if other.Err != nil {
				e.Damaged = other.Err.Error()
			}
			if e.Hit {
				return e, nil
			}
			continue
		}
		if other.Err != nil {
			continue
		}
		d := compareInputs(in, other.Inputs)
		if len(d) < len(in) && (e.Nearest == "" || len(d) < len(e.Differences)) {
			e.Nearest, e.Differences = other.Key, d
		}
	}
	return e, nil
}

// compareInputs compares inputs by name.
func compareInputs(wanted, stored Inputs) (list []Difference) {
	have := make(map[string]string)
	for _, s := range stored {
		have[s.Name] = s.Value
	}
	for _, w := range wanted {
		if value, ok := have[w.Name]; !ok || value != w.Value {
			list = append(list, Difference{w.Name, w.Value, value})
		}
		delete(have, w.Name)
	}
	for _, s := range stored {
		if _, left := have[s.Name]; left {
			list = append(list, Difference{s.Name, "", s.Value})
		}
	}
	return list
}
