package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"offlink/internal/testtool"
)

// TestWrongArguments calls every function of offlink.h with drawn arguments, on two devices
// whose objects are mixed up.
func TestWrongArguments(t *testing.T) {
	testtool.Need(t, "gcc")
	w := newWorkshop(t)
	c := w.build(t, "testdata/drivers/wrong_arguments.c")
	intel := "OCL_ICD_VENDORS=" + testtool.Python(t, "lib/libintelocl.so")
	for _, device := range []string{"host:0", "opencl:0"} {
		t.Run(device, func(t *testing.T) {
			t.Parallel()
			run := exec.CommandContext(t.Context(), filepath.Join(c.dir, c.name), device, "host:0", "4000")
			run.Dir, run.Env = c.dir, slices.Concat(c.env, []string{"OCL_ICD_FILENAMES=", intel}) // c.env is shared
			if out, err := run.CombinedOutput(); err != nil {
				t.Errorf("%v\n%.2000s", err, out)
			}
		})
	}
}
