package bitcode_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// libclc is a large module of real code, thousands of functions. scripts/libclc
// fetches it. It has no debug information, so that nothing has to be cleaned
// before the comparison.
func TestLibclc(t *testing.T) {
	for _, version := range []string{"15", "19"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("../../build/libclc", version, "nvptx64--nvidiacl.bc")
			if _, err := os.Stat(file); err != nil {
				if testtool.Unavailable("libclc-" + version) {
					t.Skip("this system has no libclc-" + version)
				}
				testtool.Missing(t, fmt.Errorf("%w: run scripts/libclc %s", err, version))
			}
			m := &module{name: "libclc", version: version, bitcode: readFile(t, file)}
			read := m.read(t)
			_, want, _ := strings.Cut(m.text(t), "\n")
			_, got, _ := strings.Cut(m.with(write(t, whole(read))).text(t), "\n")
			if want != got {
				t.Error("the module as written differs from the input")
			}
			m.with(write(t, choose(read, 1))).verify(t)
		})
	}
}
