package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
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
kernel, in a process of its own, and prints how long that took. The exit status
is 1 if a device fails.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return examineBackends(c.Context(), s, asJSON, limit) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().DurationVar(&limit, "timeout", time.Minute, "stop the kernel of a device after `TIME`")
	return c
}

// backendReport is one back end of doctor --json.
type backendReport struct {
	Name     string         `json:"name"`
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

// errUnwell makes the exit status 1 after a listing that was printed whole:
// scripts look at the status, people at the listing.
var errUnwell = errors.New("a device failed its self-test")

// examineBackends finds the back ends in this process and tests each device in
// another. All are listed before one is tested, so that a driver that hangs
// costs its time limit and nothing else.
func examineBackends(ctx context.Context, s cli.Streams, asJSON bool, limit time.Duration) (err error) {
	found, err := backends.Discover(backends.Options{Output: io.Discard, Trace: s.Err}) // standard output is for the listing
	if err != nil {
		return err
	}
	defer closeInto(&err, found.Close)
	reports := []backendReport{}
	for _, f := range found.Backends {
		reports = append(reports, reportBackend(f))
	}
	unwell := false
	for i := range reports {
		for j := range reports[i].Devices {
			d := &reports[i].Devices[j]
			if d.Chosen {
				d.SelfTest = runSelfTest(ctx, d.Selector, limit)
				unwell = unwell || d.SelfTest.Error != ""
			}
		}
	}
	if asJSON {
		err = cli.WriteJSON(s.Out, reports)
	} else {
		err = printReports(s.Out, reports)
	}
	if err == nil && unwell {
		err = errUnwell
	}
	return err
}

// reportBackend describes a back end. It advises to install something only where
// nothing is there and no variable excludes it: a package does not help against
// a variable.
func reportBackend(f *backends.Found) backendReport {
	r := backendReport{Name: f.Name, Found: f.Err == nil && len(f.All) > 0, Path: f.Path, Version: f.Version, Filtered: f.Filtered}
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
	chosen := map[driver.Device]int{} // 1 and up, as 0 says that it is not there
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

// runSelfTest runs the self-test in another process: some drivers end theirs, and
// a kernel that does not end cannot be stopped on every driver. The result is
// taken where it is whole, whatever the exit code: drivers crash after it, too.
func runSelfTest(ctx context.Context, selector string, limit time.Duration) *selfTestEntry {
	self, err := os.Executable()
	if err != nil {
		return &selfTestEntry{Error: err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, selfTestCommand, selector)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	entry := new(selfTestEntry)
	if decoded := json.Unmarshal(out.Bytes(), entry); decoded == nil {
		return entry
	}
	entry = &selfTestEntry{Error: "the process ended without a result"}
	switch {
	case ctx.Err() != nil:
		entry.Error = fmt.Sprintf("it did not end within %v", limit)
	case err != nil:
		entry.Error = fmt.Sprintf("the driver ended the process (%v): %s", err, lastLine(said.String()))
	}
	return entry
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// selfTestCommand is the hidden subcommand of the process with one device.
const selfTestCommand = "doctor-self-test"

func newSelfTestCommand(s cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:    selfTestCommand + " SELECTOR",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE:   func(c *cobra.Command, args []string) error { return selfTest(c.Context(), s, args[0]) },
	}
}

// selfTest is the other process. It numbers the chosen devices as the first one
// did, as both see the same environment.
func selfTest(ctx context.Context, s cli.Streams, selector string) (err error) {
	found, err := backends.Discover(backends.Options{Output: io.Discard, Trace: s.Err})
	if err != nil {
		return err
	}
	defer closeInto(&err, found.Close)
	for _, f := range found.Backends {
		for i, d := range f.Chosen {
			if fmt.Sprintf("%s:%d", f.Name, i) == selector {
				return cli.WriteJSON(s.Out, testOneDevice(ctx, d))
			}
		}
	}
	return fmt.Errorf("there is no device %s", selector)
}

// testOneDevice tells a device that cannot take the test's SPIR-V from one that
// fails: the former is not a fault.
func testOneDevice(ctx context.Context, d driver.Device) selfTestEntry {
	times, err := backends.SelfTest(ctx, d)
	if refused, ok := errors.AsType[*backends.RefusedError](err); ok {
		return selfTestEntry{Skipped: refused.Error()}
	}
	if err != nil {
		return selfTestEntry{Error: err.Error()}
	}
	return selfTestEntry{BuildMicroseconds: times.Build.Microseconds(), LaunchMicroseconds: times.Launch.Microseconds()}
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

// foundState is the state in words. A variable comes first, as the other states
// follow from it: a back end that is not opened has no devices.
func (r *backendReport) foundState() string {
	switch {
	case r.Filtered != "" && len(r.Devices) == 0:
		return "not opened: excluded by " + r.Filtered
	case r.Filtered != "":
		return "found; all devices are excluded by " + r.Filtered
	case len(r.Tried) > 0 && len(r.Devices) == 0:
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
		name += " (" + h.Platform + ", driver " + h.DriverVersion + ")"
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
