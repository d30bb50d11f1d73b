package bitcode_test

import (
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// A module that llvm-spirv takes from the compiler, it takes as we write it.
func TestTranslator(t *testing.T) {
	translator := testtool.Path(t, "llvm-spirv-15")
	accepts := func(data []byte) error {
		_, err := testtool.Filter(data, translator, "-o", "/dev/null", "-")
		return err
	}
	taken := 0
	for _, mode := range modes {
		if mode.version != "14" && !strings.Contains(mode.flags, "no-opaque-pointers") {
			continue // pointers that it does not know
		}
		for _, program := range programs {
			if !strings.Contains(program.flags, "spir") {
				continue
			}
			m := compiled(t, mode.version, mode.flags+" "+program.flags, program.file)
			if err := accepts(m.bitcode); err != nil {
				continue
			}
			taken++
			read := m.read(t)
			if err := accepts(write(t, whole(read))); err != nil {
				t.Errorf("%s: %v", m.name, err)
			}
			for _, image := range images(t, read, splits[0]) {
				if err := accepts(write(t, &image.Partition)); err != nil {
					t.Errorf("%s: %v", m.name, err)
				}
			}
		}
	}
	if taken == 0 {
		t.Error("it takes none of the programs")
	}
}
