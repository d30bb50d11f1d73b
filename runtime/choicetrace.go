package runtime

import (
	"fmt"
	"io"
	"os"

	"offlink/runtime/selector"
)

// choiceTrace prints the lines that SYCL_PI_TRACE and SYCL_UR_TRACE have about the
// choice of a device, as DPC++'s runtimes spell them; they have scores where the
// order of the devices decides here. A nil choiceTrace prints nothing.
type choiceTrace struct {
	out    io.Writer
	prefix string
	all    bool
}

func (o *Options) choiceTrace() *choiceTrace {
	t, err := selector.TraceFromEnvironment(o.getenv) // a wrong value is an error of the back ends
	if err != nil || !t.Basic {
		return nil
	}
	c := &choiceTrace{o.Choices, "SYCL_PI_TRACE[all]: ", t.All}
	if t.Unified {
		c.prefix = "SYCL_UR_TRACE: "
	}
	if c.out == nil {
		c.out = os.Stderr
	}
	return c
}

// requested spells the selection that was asked for.
func (c *choiceTrace) requested(spelled string) {
	if c == nil {
		return
	}
	if spelled == "" {
		spelled = "*:*"
	}
	fmt.Fprintf(c.out, "%sRequested device: %s\n", c.prefix, spelled)
}

// candidate reports a device that was considered.
func (c *choiceTrace) candidate(d *Device) {
	if c != nil && c.all {
		c.describe("Candidate", d)
	}
}

// selected reports the device that was chosen.
func (c *choiceTrace) selected(d *Device) {
	if c != nil {
		c.describe("Selected", d)
	}
}

func (c *choiceTrace) describe(role string, d *Device) {
	info := d.Info()
	fmt.Fprintf(c.out, "%[1]s%[2]s device: %[3]v\n%[1]s  platform: %[4]s\n%[1]s  device: %[5]s\n", c.prefix, role, d, info.Platform, info.Name)
}
