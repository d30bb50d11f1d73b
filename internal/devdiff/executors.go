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

// compareExecutors runs the jobs in the interpreter and as native code, and compares
// with the memory that WebAssembly left. Kernels that depend on the order of their
// work-items may leave something else in each.
func compareExecutors(jobs []*job) (same bool, err error) {
	dir, err := os.MkdirTemp("", "devdiff")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	store := cache.New(cache.Options{Dir: dir})
	defer store.Close()
	differ, order := 0, 0
	for _, j := range jobs {
		own := j.results()
		for name, o := range map[string]hostdev.Options{
			"the interpreter": {Interpret: true},
			"native code":     {Cache: store, Loader: backends.NativeLoader(), AwaitCompiler: true},
		} {
			err := j.runOn(o)
			if err == nil && slices.EqualFunc(own, j.results(), bytes.Equal) {
				continue
			}
			if err == nil && j.dependsOnOrder() {
				order++
				continue
			}
			differ++
			fmt.Printf("executors differ: %s, %v: %s: %v\n", j.name, j, name, err)
		}
	}
	fmt.Printf("%6d kernels in three executors: %d differ, %d depend on the order of work-items\n", len(jobs), differ, order)
	return differ == 0, nil
}
