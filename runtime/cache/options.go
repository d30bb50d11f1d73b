package cache

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"sync/atomic"
)

// Options say where a cache is and how large it and its entries may become.
type Options struct {
	Dir string
	// MinEntry and MaxEntry are the bytes of a program that is stored; 0 means
	// no limit.
	MinEntry, MaxEntry int64
	// MaxSize is the bytes of the whole folder, beyond which the entries go
	// that were not used for longest; 0 means no
	// limit.
	MaxSize int64
	// Trace, if set, takes a line for each use.
	Trace func(string)
}

// The defaults of DPC++'s runtime.
const (
	defaultMaxEntry = 1 << 30
	defaultMaxSize  = 8 << 30
)

// FromEnvironment reads the variables that DPC++'s runtime documents:
// SYCL_CACHE_PERSISTENT, SYCL_CACHE_DIR, SYCL_CACHE_TRACE,
// SYCL_CACHE_MIN_DEVICE_IMAGE_SIZE, SYCL_CACHE_MAX_DEVICE_IMAGE_SIZE (bytes)
// and SYCL_CACHE_MAX_SIZE (MB). The folder is SYCL_CACHE_DIR, else
// libsycl_cache in XDG_CACHE_HOME, in .cache of HOME, or on Windows in
// AppData; in it, the one for offlink. on tells whether programs are to be
// cached: they are not without SYCL_CACHE_PERSISTENT=1, or without a folder.
// Traces go to the writer.
func FromEnvironment(getenv func(string) string, stderr io.Writer) (o Options, on bool) {
	o = Options{
		Dir:      folderFrom(getenv),
		MinEntry: parseNumber(getenv("SYCL_CACHE_MIN_DEVICE_IMAGE_SIZE"), 0),
		MaxEntry: parseNumber(getenv("SYCL_CACHE_MAX_DEVICE_IMAGE_SIZE"), defaultMaxEntry),
		MaxSize:  parseNumber(getenv("SYCL_CACHE_MAX_SIZE"), defaultMaxSize>>20) << 20,
	}
	if parseNumber(getenv("SYCL_CACHE_TRACE"), 0)&1 != 0 {
		o.Trace = func(line string) { fmt.Fprintln(stderr, line) }
	}
	return o, o.Dir != "" && getenv("SYCL_CACHE_PERSISTENT") == "1"
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

// parseNumber reads a variable; one that is not a number, or too large, is as if it
// were not there.
func parseNumber(s string, otherwise int64) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > 1<<42 {
		return otherwise
	}
	return n
}

func (o *Options) fitsLimits(size int64) bool {
	return size >= o.MinEntry && (o.MaxEntry == 0 || size <= o.MaxEntry)
}

// maxFile bounds the bytes that are read of a file.
func (o *Options) maxFile() int64 {
	if o.MaxEntry == 0 {
		return 1 << 40
	}
	return o.MaxEntry + maxHeader + 1<<10
}

// temporaries keeps the temporary files of a process apart.
var temporaries atomic.Uint64
