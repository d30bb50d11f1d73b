package layers

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestProgramsWithACompiler: programs that launch kernels are linked with the compiler of
// WebAssembly, as kernels are interpreted without one. The build tools are not: they are started
// for each file, and wazero makes tables at the start of a program.
func TestProgramsWithACompiler(t *testing.T) {
	for program, want := range map[string]bool{
		"cmd/postlink": false, "cmd/offload-wrap": false,
		"cmd/devrun": true, "runtime/libofflink-core": true, "runtime/libpi_offlink": true,
		"internal/devdiff": true, "internal/conformance": true, "internal/bench": true,
	} {
		c := exec.CommandContext(t.Context(), "go", "list", "-deps", "./"+program)
		c.Dir = "../.."
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", program, err)
		}
		list := strings.Fields(string(out))
		for _, name := range []string{module + "/runtime/hostdev/wazeroengine", "github.com/tetratelabs/wazero"} {
			if slices.Contains(list, name) != want {
				t.Errorf("%s is linked with %s: %v, want %v", program, name, !want, want)
			}
		}
	}
}
