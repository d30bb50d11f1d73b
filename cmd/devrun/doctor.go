package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/runtime/backends"
	"offlink/runtime/driver"
)

// newDoctorCommand makes "devrun doctor", the answer to "why does my program not
// find its device": the facts that a report of a fault needs, in one listing.
func newDoctorCommand(s cli.Streams) *cobra.Command {
	var asJSON bool
	var limit time.Duration
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say which back ends and devices were found, and try a kernel on each",
		Long: `doctor lists every back end: found or not, which library, which version, which
variable excludes it, what to install. On each device it builds and runs one
kernel, and prints how long that took. Drivers are asked in processes of their
own: one that crashes, exits or hangs fails, and the others are listed. The exit
status is 1 if a driver or a device fails.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return examineBackends(c.Context(), s, asJSON, limit) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	limitFlag(c, &limit)
	return c
}

// limitFlag defines the option of the commands that query drivers in separate processes.
func limitFlag(c *cobra.Command, limit *time.Duration) {
	c.Flags().DurationVar(limit, "timeout", time.Minute, "stop a driver that does not answer after `TIME`")
}

// backendReport is one back end of doctor --json.
type backendReport struct {
	Name     string         `json:"name"`
	Plugin   bool           `json:"plugin,omitempty"`
	Found    bool           `json:"found"`
	Path     string         `json:"path,omitempty"`
	Version  string         `json:"version,omitempty"`
	Tried    []triedPath    `json:"tried,omitempty"`
	Error    string         `json:"error,omitempty"`
	Filtered string         `json:"filteredBy,omitempty"`
	Install  string         `json:"install,omitempty"`
	Devices  []healthReport `json:"devices,omitempty"`
}

// triedPath is a path that the loader tried, with its words where it failed.
type triedPath struct {
	Path  string `json:"path"`
	Error string `json:"error,omitempty"`
}

// healthReport is one device, with the self-test of those that are chosen.
type healthReport struct {
	Selector      string         `json:"selector"`
	Name          string         `json:"name"`
	Platform      string         `json:"platform,omitempty"`
	DriverVersion string         `json:"driverVersion,omitempty"`
	Chosen        bool           `json:"chosen"`
	Quirks        []string       `json:"quirks,omitempty"`
	SelfTest      *selfTestEntry `json:"selfTest,omitempty"`
}

// selfTestEntry is the output of the process with a device.
type selfTestEntry struct {
	BuildMicroseconds  int64  `json:"buildMicroseconds,omitempty"`
	LaunchMicroseconds int64  `json:"launchMicroseconds,omitempty"`
	Skipped            string `json:"skipped,omitempty"` // why it was not run
	Error              string `json:"error,omitempty"`
}

// errUnwell makes the exit status 1 after the whole listing was printed: scripts look at
// the status, people at the listing.
var errUnwell = errors.New("a driver or a device failed")

// examineBackends lists the back ends and tests their devices. All are listed
// before one is tested, so that a device that hangs costs its time limit and
// nothing else.
func examineBackends(ctx context.Context, s cli.Streams, asJSON bool, limit time.Duration) error {
	if err := backends.CheckEnvironment(backends.Options{}); err != nil {
		return err
	}
	all, unwell := listBackends(ctx, s, limit)
	reports := all.Backends
	for i := range reports {
		for j := range reports[i].Devices {
			d := &reports[i].Devices[j]
			if d.Chosen {
				d.SelfTest = runSelfTest(ctx, s, limit, all.Parts[i], d.Selector)
				unwell = unwell || d.SelfTest.Error != ""
			}
		}
	}
	write := printReports
	if asJSON {
		write = func(out io.Writer, list []backendReport) error { return cli.WriteJSON(out, list) }
	}
	if err := write(s.Out, reports); err != nil || !unwell {
		return err
	}
	return errUnwell
}

// reportBackend describes a back end. It advises to install something only where
// nothing is there and no variable excludes it: a package does not help against
// a variable.
func reportBackend(f *backends.Found) backendReport {
	r := backendReport{Name: f.Name, Plugin: f.Plugin, Found: f.Err == nil && len(f.All) > 0, Path: f.Path, Version: f.Version, Filtered: f.Filtered}
	for _, a := range f.Attempts {
		tried := triedPath{Path: a.Path}
		if a.Err != nil {
			tried.Error = a.Err.Error()
		}
		r.Tried = append(r.Tried, tried)
	}
	if f.Err != nil {
		r.Error = f.Err.Error()
	}
	if !r.Found && f.Filtered == "" {
		r.Install = f.Install
	}
	chosen := map[driver.Device]int{} // numbers from 1, as 0 means not chosen
	for i, d := range f.Chosen {
		chosen[d] = i + 1
	}
	for _, d := range f.All {
		r.Devices = append(r.Devices, reportHealth(f.Name, d, chosen[d]-1))
	}
	return r
}

// reportHealth describes a device; number is its place among the chosen ones,
// negative for one that is not.
func reportHealth(backend string, d driver.Device, number int) healthReport {
	info := d.Info()
	h := healthReport{Name: info.Name, Platform: info.Platform, DriverVersion: info.DriverVersion, Chosen: number >= 0}
	if number >= 0 {
		h.Selector = fmt.Sprintf("%s:%d", backend, number)
	}
	if q, ok := d.(interface{ Quirks() []string }); ok {
		h.Quirks = q.Quirks()
	}
	return h
}

// printReports prints a block a back end, in two columns over all of them.
func printReports(out io.Writer, reports []backendReport) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, r := range reports {
		fmt.Fprintf(w, "%s\t%s\n", r.Name, r.foundState())
		r.printDetails(w)
		for _, d := range r.Devices {
			d.printHealth(w)
		}
	}
	return w.Flush()
}

// foundState returns the state in words. A variable that excludes the back end comes
// first, as the other states follow from it: a back end that is not opened has no
// devices.
func (r *backendReport) foundState() string {
	switch {
	case r.Filtered != "" && len(r.Devices) == 0:
		return "not opened: excluded by " + r.Filtered
	case r.Filtered != "":
		return "found; all devices are excluded by " + r.Filtered
	case len(r.Tried) > 0 && len(r.Devices) == 0 && r.Path == "":
		return "not found"
	case r.Error != "":
		return "failed"
	case len(r.Devices) == 0:
		return "found, without devices"
	}
	return "found"
}

func (r *backendReport) printDetails(w io.Writer) {
	for _, detail := range [][2]string{{"library", r.Path}, {"version", r.Version}, {"error", r.Error}, {"install", r.Install}} {
		if detail[1] != "" {
			fmt.Fprintf(w, "  %s\t%s\n", detail[0], detail[1])
		}
	}
}

func (h *healthReport) printHealth(w io.Writer) {
	name := h.Name
	if h.Platform != "" {
		name += " (" + h.Platform
		if h.DriverVersion != "" {
			name += ", driver " + h.DriverVersion
		}
		name += ")"
	}
	if !h.Chosen {
		fmt.Fprintf(w, "  excluded\t%s\n", name)
		return
	}
	fmt.Fprintf(w, "  %s\t%s\n", h.Selector, name)
	if len(h.Quirks) > 0 {
		fmt.Fprintf(w, "  \tquirks: %s\n", strings.Join(h.Quirks, ", "))
	}
	switch t := h.SelfTest; {
	case t.Error != "":
		fmt.Fprintf(w, "  \tself-test failed: %s\n", t.Error)
	case t.Skipped != "":
		fmt.Fprintf(w, "  \tno self-test: %s\n", t.Skipped)
	default:
		fmt.Fprintf(w, "  \tself-test passed: build %v, launch %v\n",
			time.Duration(t.BuildMicroseconds)*time.Microsecond, time.Duration(t.LaunchMicroseconds)*time.Microsecond)
	}
}
