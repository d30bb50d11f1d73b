package hostdev

import (
	"testing"

	"offlink/runtime/driver"
)

// TestFirstUseNative launches native code on a device of which no memory was allocated: the
// record of the work-group is there all the same.
func TestFirstUseNative(t *testing.T) {
	if testing.Short() {
		t.Skip("-short runs no C compiler")
	}
	p := buildModules(t, nativeOptions(t, 8), driver.BuildOptions{}, asmModule(t, "nothing"))
	p.launch("nothing", items(64), byValueOf(int32(1)))
}
