package hostdev

import (
	"bytes"
	"testing"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/lanes"
)

// TestRows: rows that every width divides run code without steps of one work-item, and
// other rows code that has them too. Each is made when it is first needed, and both leave
// the same results.
func TestRows(t *testing.T) {
	const size = 240 // a multiple of each of the local sizes
	for _, options := range []Options{{}, nativeOptions(t, 0)} {
		if options.Cache != nil && testing.Short() {
			continue
		}
		p := buildModules(t, options, driver.BuildOptions{}, readModules(t, "golden/throughput.spv")...)
		k, err := p.program.Kernel("sha256")
		if err != nil {
			t.Fatal(err)
		}
		native := &k.(*kernel).native
		var want []byte
		for _, local := range []int{48, 40, 24, 16, 3} {
			out := p.buffer(make([]uint32, 8*size))
			p.launch("sha256", groups(size, local), out)
			got := readBuffer[byte](p, out)
			if want == nil {
				want = got
				if native[lanes.AnyRows].code != nil {
					t.Error("rows of 48 work-items had the code for all rows made")
				}
			}
			if !bytes.Equal(got, want) {
				t.Errorf("rows of %d work-items leave other results than rows of 48", local)
			}
		}
		steps, rest := native[lanes.WholeSteps].code, native[lanes.AnyRows].code
		if steps == nil || rest == nil {
			t.Fatalf("the codes are not there: %v, %v", native[lanes.WholeSteps].err, native[lanes.AnyRows].err)
		}
		if len(steps.code.Insts)*4 > len(rest.code.Insts)*3 {
			t.Errorf("the code of whole steps has %d instructions, that of all rows %d", len(steps.code.Insts), len(rest.code.Insts))
		}
	}
}
