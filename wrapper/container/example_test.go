package container_test

import (
	"fmt"
	"log"

	"offlink/wrapper/container"
)

// A bundle as clang-offload-bundler writes it: magic, number of entries, and for each
// its offset, size and id.
func ExampleRead() {
	number := func(n byte) string { return string([]byte{n, 0, 0, 0, 0, 0, 0, 0}) }
	id := "sycl-spir64-unknown-unknown"
	head := container.BundleMagic + number(1)
	bundle := head + number(byte(len(head)+24+len(id))) + number(4) + number(byte(len(id))) + id + "code"

	entries, err := container.Read([]byte(bundle), container.NewBudget(container.DefaultBudget))
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range entries {
		fmt.Printf("%s %s %s %q\n", e.Form, e.Kind, e.Target, e.Data)
	}
	// Output: clang offload bundle sycl spir64-unknown-unknown "code"
}
