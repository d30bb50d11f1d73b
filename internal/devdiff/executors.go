package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"

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
			if err == nil && slices.EqualFunc(own, j.results(), bytes.Equal) {
				continue
			}
			if err == nil && j.dependsOnOrder() {
				order++
				continue
			}
			differ++
			fmt.Printf("executors differ: %s, %v: %s: %v\n", j.name, j, e.name, err)
		}
	}
	fmt.Printf("%6d kernels in three executors: %d differ, %d depend on the order of work-items\n", len(jobs), differ, order)
	return differ == 0, nil
}
