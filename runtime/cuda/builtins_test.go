package cuda

import (
	"context"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

// TestFunctionsOfOpenCL: a call of one that the driver does not have is refused with a remedy,
// before the driver's linker sees it; work-item functions are there.
func TestFunctionsOfOpenCL(t *testing.T) {
	f, device := newFakeDevice(t)
	for name, want := range map[string]string{
		"_Z4fabsf":                "k.ptx calls fabs(float), a function of OpenCL C",
		"_Z10atomic_addPU3AS1Vii": "OFFLINK_LIBCLC",
		"_Z13get_global_idj":      "",
	} {
		code := ".version 6.3\n.target sm_75\n.address_size 64\n.extern .func (.param .b64 result) " + name +
			"(.param .b32 value);\n.visible .entry nothing() {\n.param .b32 v; .param .b64 r;\ncall.uni (r), " + name + ", (v);\nret;\n}\n"
		o, err := device.Compile(context.Background(), driver.Module{Name: "k.ptx", Code: []byte(code)}, driver.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := device.Link(context.Background(), []driver.Object{o}, driver.LinkOptions{})
		switch {
		case err == nil && want != "":
			t.Errorf("%s: no error", name)
		case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v; want %q", name, err, want)
		}
		if err == nil {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	f.Verify(t)
}
