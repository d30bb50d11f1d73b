package cache

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"
)

// Options say where a cache is and how large it and its entries may become.
type Options struct {
	Dir string
	// MinImages and MaxImages are the bytes of the device images, all of a link
	// together, whose programs are stored (StoresImages); 0 means no limit.
	MinImages, MaxImages int64
	// MaxSize is the most bytes of the whole folder, beyond which the entries that
	// were not used for the longest time are removed; 0 means no limit.
	MaxSize int64
	// MaxAge is the time after its last use when an entry is removed; 0 means no limit.
	MaxAge time.Duration
	// Trace, if set, takes a line for each use.
	Trace func(string)
}

// The defaults of DPC++'s runtime.
const (
	defaultMaxImages = 1 << 30
	defaultMaxSize   = 8 << 30
)

// maxData bounds the bytes of an entry's data, written and read.
const maxData = 1 << 30

// FromEnvironment reads the variables that DPC++'s runtime documents, of all its
// releases (docs/environment.md has each with its meaning here). on reports whether
// programs are to be cached: they are not without SYCL_CACHE_PERSISTENT=1, or without
// a folder. Traces go to the writer, and so do warnings about values that cannot be
// read, where programs are to be cached.
func FromEnvironment(getenv func(string) string, stderr io.Writer) (o Options, on bool) {
	on = isEnabled(getenv, stderr)
	e := environment{getenv, io.Discard}
	if on {
		e.stderr = stderr
	}
	o = Options{
		Dir:       folderFrom(getenv),
		MinImages: e.number("SYCL_CACHE_MIN_DEVICE_IMAGE_SIZE", 0),
		MaxImages: e.number("SYCL_CACHE_MAX_DEVICE_IMAGE_SIZE", defaultMaxImages),
		MaxSize:   e.number("SYCL_CACHE_MAX_SIZE", defaultMaxSize>>20) << 20,
		MaxAge:    time.Duration(min(e.number("SYCL_CACHE_THRESHOLD", 0), maxDays)) * 24 * time.Hour,
	}
	if getenv("SYCL_CACHE_EVICTION_DISABLE") != "" {
		o.MaxSize, o.MaxAge = 0, 0
	}
	if e.traces() {
		o.Trace = func(line string) { fmt.Fprintln(stderr, line) }
	}
	return o, on && o.Dir != ""
}

// isEnabled reads the two switches. SYCL_CACHE_DISABLE_PERSISTENT, of the releases of 2021,
// turns the cache off whatever the other says: its user wants no files.
func isEnabled(getenv func(string) string, stderr io.Writer) bool {
	switch value := getenv("SYCL_CACHE_PERSISTENT"); value {
	case "", "0":
		return false
	case "1":
		return getenv("SYCL_CACHE_DISABLE_PERSISTENT") == ""
	default:
		fmt.Fprintf(stderr, "warning: SYCL_CACHE_PERSISTENT=%q is neither 0 nor 1; programs are not kept\n", value)
		return false
	}
}

// environment reads variables and warns about those that it cannot read.
type environment struct {
	getenv func(string) string
	stderr io.Writer
}

// maxNumber bounds the variables, so that a number of MB fits an int64 in bytes. maxDays
// keeps a number of days within a Duration.
const (
	maxNumber = 1 << 42
	maxDays   = 100 * 365
)

// number reads a variable. One that is not a number, or too large, is ignored with a
// warning.
func (e environment) number(name string, otherwise int64) int64 {
	value := e.getenv(name)
	if value == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 || n > maxNumber {
		fmt.Fprintf(e.stderr, "warning: %s=%q is not a number from 0 to %d; %d is used\n", name, value, int64(maxNumber), otherwise)
		return otherwise
	}
	return n
}

// traces reports whether the bit of the cache on disk is set in SYCL_CACHE_TRACE, or the
// variable is not a number: in older releases any value turned the trace on.
func (e environment) traces() bool {
	value := e.getenv("SYCL_CACHE_TRACE")
	if value == "" {
		return false
	}
	mask, err := strconv.ParseInt(value, 0, 32)
	return err != nil || mask&1 != 0
}

func folderFrom(getenv func(string) string) string {
	const own = "offlink"
	if dir := getenv("SYCL_CACHE_DIR"); dir != "" {
		return filepath.Join(dir, own)
	}
	for _, c := range []struct{ variable, below string }{{"XDG_CACHE_HOME", ""}, {"HOME", ".cache"}, {"AppData", ""}} {
		if dir := getenv(c.variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, c.below, "libsycl_cache", own)
		}
	}
	return ""
}

// StoresImages reports whether a program of device images with so many bytes, all
// together, is to be stored and looked for.
func (c *Cache) StoresImages(size int64) bool {
	o := &c.options
	return size >= o.MinImages && (o.MaxImages == 0 || size <= o.MaxImages)
}

// maxFile bounds the bytes that are read of a file.
const maxFile = maxData + maxHeader + 1<<10

// temporaries numbers the temporary files of a process.
var temporaries atomic.Uint64
