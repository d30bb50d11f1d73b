package irgen_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"offlink/internal/irgen"
	"offlink/internal/testtool"
)

func generate(t *testing.T, c irgen.Config) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := irgen.Write(&out, c); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestShape(t *testing.T) {
	for _, c := range []irgen.Config{{Kernels: 1}, {Kernels: 40}, {Kernels: 40, Debug: true}} {
		text := string(generate(t, c))
		count := map[string]int{
			"define weak_odr dso_local spir_kernel": c.Kernels,
			"spir_func noundef i32 @helper_":        0,
			"@table_":                               0,
			`"sycl-module-id"=`:                     (c.Kernels + 9) / 10,
		}
		for what, want := range count {
			if got := strings.Count(text, what); want > 0 && got != want {
				t.Errorf("%+v: %d times %q; want %d", c, got, what, want)
			}
		}
		if helpers := strings.Count(text, "\ndefine internal") + strings.Count(text, "\ndefine linkonce_odr"); helpers != c.Kernels/2 {
			t.Errorf("%+v: %d helpers; want %d", c, helpers, c.Kernels/2)
		}
		if again := string(generate(t, c)); again != text {
			t.Errorf("%+v: a second run gives another module", c)
		}
	}
}

func TestVerifies(t *testing.T) {
	for _, version := range []string{"15", "19"} {
		as := testtool.Path(t, "llvm-as-"+version)
		for _, c := range []irgen.Config{{}, {Kernels: 1}, {Kernels: 7, Debug: true}, {Kernels: 100, Debug: true}} {
			cmd := exec.Command(as, "-o", os.DevNull)
			cmd.Stdin = bytes.NewReader(generate(t, c))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%+v: %v\n%s", c, err, out)
			}
		}
	}
}
