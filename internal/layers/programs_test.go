package layers

import (
	"os/exec"
	"path/filepath"
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

// TestProgramsKeepWhatTheyUse: where a program can look for a method by its name, as
// text/template does, the linker keeps every method of every type that becomes an
// interface: 2.4 MB of devrun.
func TestProgramsKeepWhatTheyUse(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program")
	}
	c := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-dumpdep", "-o", filepath.Join(t.TempDir(), "devrun"), "./cmd/devrun")
	c.Dir = "../.."
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasSuffix(strings.TrimSpace(line), "-> reflect.Value.MethodByName") {
			t.Errorf("devrun looks for methods by their names: %s", line)
		}
	}
}
