package devimg_test

import (
	"fmt"

	"offlink/wrapper/devimg"
)

// The first bytes tell the format of code that nothing else describes.
func ExampleSniff() {
	for _, code := range []string{"\x03\x02\x23\x07....", "BC\xc0\xde....", "text"} {
		fmt.Println(devimg.Sniff(devimg.Bytes([]byte(code))))
	}
	// Output:
	// spirv
	// llvmbc
	// none
}
