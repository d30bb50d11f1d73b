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
	"time"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/lazyregexp"
	"offlink/runtime"
	"offlink/runtime/backends"
	"offlink/runtime/driver"
)

// Some drivers end the process that queries them, and some never return. So doctor and
// devices query them in separate processes, by hidden subcommands whose output is JSON.
const (
	listCommand     = "doctor-list"
	selfTestCommand = "doctor-self-test"
)

// processDelay is how long a process that was stopped may keep its output open by
// children of its own.
const processDelay = time.Second

// askProcess runs devrun with a hidden subcommand and decodes its output. A complete
// result is taken whatever the exit status: some drivers crash after it.
func askProcess(ctx context.Context, s cli.Streams, limit time.Duration, result any, args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.WaitDelay = processDelay
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	if readResult(out.Bytes(), result) {
		_, _ = s.Err.Write(said.Bytes()) // the traces of calls
		return nil
	}
	switch words := driversWords(said.String()); {
	case ctx.Err() != nil:
		return fmt.Errorf("it did not end within %v", limit)
	case err != nil && words == "":
		return fmt.Errorf("the driver ended the process (%v)", err)
	case err != nil:
		return fmt.Errorf("the driver ended the process (%v): %s", err, words)
	}
	return errors.New("the process ended without a result")
}

// resultMark precedes the result of a process: where divertOutput does nothing, drivers
// may print on standard output too.
const resultMark = "\n-- the result of devrun doctor --\n"

// writeResult writes the result of a process, which then ends without closing its
// drivers: some crash or hang when they are closed.
func writeResult(out io.Writer, result any) error {
	if _, err := io.WriteString(out, resultMark); err != nil {
		return err
	}
	return cli.WriteJSON(out, result)
}

// readResult decodes the last result in the output, and reports whether it is complete.
// Text after it is ignored, as it comes from a driver.
func readResult(output []byte, result any) bool {
	at := bytes.LastIndex(output, []byte(resultMark))
	return at >= 0 && json.NewDecoder(bytes.NewReader(output[at+len(resultMark):])).Decode(result) == nil
}

// driversWords returns the last words of a driver: the last line, or the line before the
// one with which Go reports a signal, together with that.
func driversWords(said string) string {
	lines := strings.Split(strings.TrimSpace(runtimeNotice().ReplaceAllString(said, "")), "\n")
	for i, line := range lines {
		if !goTrace().MatchString(line) {
			continue
		}
		if i == 0 {
			return line
		}
		return lines[i-1] + " (" + line + ")"
	}
	return lines[len(lines)-1]
}

// runtimeNotice matches the line of the runtime that names a driver which ends the process: here
// that is known.
var runtimeNotice = lazyregexp.New(`offlink: .* ended the process; .*\n`)

// goTrace matches the first line that Go prints when a signal or a fault ends a process.
var goTrace = lazyregexp.New(`^(SIG[A-Z]+: |fatal error: |panic: |unexpected fault address)`)

// listing is the result of the process that lists back ends, or those of several.
type listing struct {
	Backends []backendReport
	// Parts are the values of backends.Options.Only that open each of Backends alone.
	Parts   []string
	Devices []listedDevice // the chosen ones
	// Warnings are about back ends that fail while others have devices.
	Warnings []string
	// Reasons say why back ends have no devices.
	Reasons []string
}

// listBackends lists the back ends in one process. If that fails, each part of them is
// listed in a process of its own, and bad says that one of these failed.
func listBackends(ctx context.Context, s cli.Streams, limit time.Duration) (all listing, bad bool) {
	if askProcess(ctx, s, limit, &all, listCommand) == nil {
		return all, false
	}
	all = listing{}
	for _, part := range backends.Parts(backends.Options{}) {
		if r, ok := replacedPart(all.Backends, part); ok {
			all.Backends = append(all.Backends, r)
			all.Parts = append(all.Parts, part)
			continue
		}
		var one listing
		if err := askProcess(ctx, s, limit, &one, listCommand, part); err != nil {
			one = failedPart(part, err)
			bad = true
		}
		all.Backends = append(all.Backends, one.Backends...)
		all.Parts = append(all.Parts, one.Parts...)
		all.Devices = append(all.Devices, one.Devices...)
		all.Warnings = append(all.Warnings, one.Warnings...)
		all.Reasons = append(all.Reasons, one.Reasons...)
	}
	return all, bad
}

// failedPart reports a part whose process failed. All drivers of OpenCL are one part.
func failedPart(part string, failed error) listing {
	name, plugin := strings.CutPrefix(part, backends.Plugins+":")
	words := failed.Error()
	if name == "opencl" && !plugin {
		words += "; set OCL_ICD_VENDORS to one driver at a time to find the one that fails"
	}
	return listing{Backends: []backendReport{{Name: name, Plugin: plugin, Error: words}}, Parts: []string{part}}
}

// replacedPart reports a back end whose place a plugin takes.
func replacedPart(reports []backendReport, part string) (backendReport, bool) {
	for _, r := range reports {
		if r.Plugin && r.Name == part && len(r.Devices) > 0 {
			return backendReport{Name: part, Filtered: "the plugin " + r.Path}, true
		}
	}
	return backendReport{}, false
}

// newListCommand is the process that lists the back ends, or one part of them.
func newListCommand(s cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:    listCommand + " [PART]",
		Hidden: true,
		Args:   cobra.MaximumNArgs(1),
		RunE:   func(_ *cobra.Command, args []string) error { return listPart(s, strings.Join(args, "")) },
	}
}

// discoverPart opens the back ends of one part, or of all, in a process of its own.
// out takes the result, which drivers cannot print into.
func discoverPart(s cli.Streams, part string) (found *backends.Discovery, out io.Writer, err error) {
	if out, err = divertOutput(); err != nil {
		return nil, nil, err
	}
	found, err = backends.Discover(backends.Options{Output: io.Discard, Trace: s.Err, Only: part})
	return found, out, err
}

// addFailures adds the warning about a back end, and the reason why it has no device.
func (l *listing) addFailures(f *backends.Found) {
	if warning := f.Warning(); warning != "" {
		l.Warnings = append(l.Warnings, warning)
	}
	_, excluded := f.Reason().(runtime.ExcludedError)
	if f.Driver == nil && !excluded {
		l.Reasons = append(l.Reasons, f.Reason().Error())
	}
}

// listPart is the process that lists one part of the back ends, or all.
func listPart(s cli.Streams, part string) error {
	found, out, err := discoverPart(s, part)
	if err != nil {
		return err
	}
	result := listing{Backends: []backendReport{}}
	for _, f := range found.Backends {
		result.Backends = append(result.Backends, reportBackend(f))
		result.Parts = append(result.Parts, f.Part)
		result.addFailures(f)
	}
	devices, _ := runtime.New(found.Drivers()).Devices() // the reasons why there is none are those of found
	for _, d := range devices {
		result.Devices = append(result.Devices, listDevice(d))
	}
	return writeResult(out, result)
}

// runSelfTest runs the self-test of a device in its own process: a kernel that does
// not end cannot be stopped on every driver.
func runSelfTest(ctx context.Context, s cli.Streams, limit time.Duration, part, selector string) *selfTestEntry {
	entry := new(selfTestEntry)
	if err := askProcess(ctx, s, limit, entry, selfTestCommand, part, selector); err != nil {
		return &selfTestEntry{Error: err.Error()}
	}
	return entry
}

func newSelfTestCommand(s cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:    selfTestCommand + " PART SELECTOR",
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE:   func(c *cobra.Command, args []string) error { return selfTest(c.Context(), s, args[0], args[1]) },
	}
}

// selfTest is the process with one device. It numbers the chosen devices as the
// listing did, as both see the same environment.
func selfTest(ctx context.Context, s cli.Streams, part, selector string) error {
	found, out, err := discoverPart(s, part)
	if err != nil {
		return err
	}
	for _, f := range found.Backends {
		for i, d := range f.Chosen {
			if fmt.Sprintf("%s:%d", f.Name, i) == selector {
				return writeResult(out, testOneDevice(ctx, d))
			}
		}
	}
	return fmt.Errorf("there is no device %s", selector)
}

// testOneDevice runs the self-test. A device that does not take the test's SPIR-V is
// skipped, which is not a fault.
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
