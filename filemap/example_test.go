package filemap_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"offlink/filemap"
)

// A file that becomes shorter while it is mapped is an error, not the end of the process.
func ExampleGuard() {
	file, err := os.CreateTemp("", "map")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err := file.Write(make([]byte, 1<<16)); err != nil {
		log.Fatal(err)
	}
	data, err := filemap.Map(file, 1<<16, false)
	if err != nil {
		log.Fatal(err)
	}
	defer filemap.Unmap(data)
	if err := file.Truncate(0); err != nil {
		log.Fatal(err)
	}
	err = filemap.Guard(func() error {
		_, err := fmt.Fprint(io.Discard, data[1<<15])
		return err
	})
	_, changed := errors.AsType[*filemap.ChangedError](err)
	fmt.Println(changed)
	// Output: true
}
