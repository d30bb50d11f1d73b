package cache_test

import (
	"fmt"
	"log"
	"os"

	"offlink/runtime/cache"
)

// A program is stored under everything that it depends on. Explain says which of that
// differs from the nearest entry.
func Example() {
	dir, err := os.MkdirTemp("", "cache")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	c := cache.New(cache.Options{Dir: dir})
	defer c.Close()

	built := cache.Inputs{{Name: "device", Value: "a CPU"}, {Name: "image", Value: cache.Digest([]byte("code"))}, {Name: "options", Value: "-O2"}}
	c.Put(built, []byte("program"))

	wanted := append(cache.Inputs{}, built...)
	wanted[2].Value = "-O0"
	_, hit := c.Get(wanted)
	why, err := c.Explain(wanted)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(hit, why.Differences)

	program, hit := c.Get(built)
	fmt.Println(hit, string(program))
	// Output:
	// false [{options -O0 -O2}]
	// true program
}
