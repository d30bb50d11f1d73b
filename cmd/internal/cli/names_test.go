package cli

import "testing"

// A part of a kernel's name means the kernel, not the wrapper that SYCL makes
// of it where it rounds up ranges.
func TestFindNamePrefersKernelsToTheirWrappers(t *testing.T) {
	const (
		kernel  = "_ZTS4Blur"
		wrapper = "_ZTSN4sycl3_V16detail19__pf_kernel_wrapperI4BlurEE"
		other   = "_ZTSN4sycl3_V16detail19__pf_kernel_wrapperI4EdgeEE"
	)
	for _, c := range []struct {
		wanted string
		names  []string
		want   int
	}{
		{"Blur", []string{wrapper, kernel}, 1},
		{"lur", []string{wrapper, kernel}, 1},
		{"lur", []string{kernel, wrapper, other}, 0},
		{"lur", []string{other, wrapper}, 1},
		{wrapper, []string{kernel, wrapper}, 1},
		{"__pf_kernel_wrapper", []string{kernel, wrapper}, 1},
	} {
		if got, err := FindName(c.wanted, "kernel", c.names); got != c.want || err != nil {
			t.Errorf("FindName(%q, %q) = %d, %v, want %d", c.wanted, c.names, got, err, c.want)
		}
	}
	if _, err := FindName("wrapper", "kernel", []string{wrapper, other}); err == nil {
		t.Error("a part that two wrappers have finds one of them")
	}
}
