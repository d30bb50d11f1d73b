package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"

	"offlink/runtime/backends"
	"offlink/runtime/cache"
	"offlink/runtime/hostdev"
)

// executor is a way in which the embedded device runs kernels. All leave the same bytes.
type executor struct {
	name    string
	options hostdev.Options
}

var interpreter = executor{"the interpreter", hostdev.Options{Interpret: true}}

// givenWidths are WebAssembly for steps of so many work-items, whatever the kernel's size suggests.
func givenWidths() []executor {
	return []executor{
		{"WebAssembly, one work-item", hostdev.Options{Lanes: 1}},
		{"WebAssembly, 4 work-items", hostdev.Options{Lanes: 4}},
		{"WebAssembly, 8 work-items", hostdev.Options{Lanes: 8}},
	}
}

func nativeCode(store *cache.Cache) executor {
	return executor{"native code", hostdev.Options{Cache: store, Loader: backends.NativeLoader(), AwaitCompiler: true}}
}

// openStore makes a cache for native code in a temporary folder. The caller calls release.
func openStore() (store *cache.Cache, release func(), err error) {
	dir, err := os.MkdirTemp("", "devdiff")
	if err != nil {
		return nil, nil, err
	}
	store = cache.New(cache.Options{Dir: dir})
	return store, func() {
		store.Close()
		os.RemoveAll(dir)
	}, nil
}

// compareExecutors runs the jobs in the interpreter and as native code, and compares
// with the memory that WebAssembly left. Kernels that depend on the order of their
// work-items may leave something else in each.
func compareExecutors(jobs []*job) (same bool, err error) {
	store, release, err := openStore()
	if err != nil {
		return false, err
	}
	defer release()
	differ, order := 0, 0
	for _, j := range jobs {
		own := j.results()
		for _, e := range []executor{interpreter, nativeCode(store)} {
			err := j.runOn(e.options)
			outcome := fmt.Sprint(err)
			if err == nil {
				if outcome = firstDifference(own, j.results()); outcome == "" {
					continue
				}
			}
			if err == nil && (j.dependsOnOrder() || j.findings() != "") {
				order++
				continue
			}
			differ++
			fmt.Printf("executors differ: %s, %v: %s: %s\n", j.name, j, e.name, outcome)
		}
	}
	fmt.Printf("%6d kernels in three executors: %d differ, %d depend on the order of work-items or have faults that the checked mode finds\n", len(jobs), differ, order)
	return differ == 0, nil
}

// firstDifference says where memory differs from that which another executor left; it is
// empty if it does not. Two NaNs are equal: of an operation on two of
// them the result is either one, and compilers exchange the operands.
func firstDifference(want, got [][]byte) string {
	for i, data := range want {
		for at := 0; at < len(data); at += 8 {
			end := min(at+8, len(data))
			if a, b := data[at:end], got[i][at:end]; !sameNumbers(a, b) {
				return fmt.Sprintf("buffer %d at byte %d: %x, not %x", i, at, b, a)
			}
		}
	}
	return ""
}

// sameNumbers compares up to eight bytes, which may be a double or two floats.
func sameNumbers(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	order := binary.LittleEndian
	if len(a) == 8 && math.IsNaN(math.Float64frombits(order.Uint64(a))) && math.IsNaN(math.Float64frombits(order.Uint64(b))) {
		return true
	}
	for at := 0; at < len(a); at += 4 {
		x, y := a[at:min(at+4, len(a))], b[at:min(at+4, len(b))]
		if !bytes.Equal(x, y) && !(len(x) == 4 && isNaN32(order.Uint32(x)) && isNaN32(order.Uint32(y))) {
			return false
		}
	}
	return true
}

func isNaN32(bits uint32) bool { return math.IsNaN(float64(math.Float32frombits(bits))) }
