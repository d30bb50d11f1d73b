package main

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/runtime"
	"offlink/runtime/backends"
	"offlink/runtime/hostdev"
)

// newDevicesCommand makes "devrun devices". The order is that of the choice without
// a selector, so the first line is the device that a program gets.
func newDevicesCommand(s cli.Streams) *cobra.Command {
	var asJSON, verbose bool
	c := &cobra.Command{
		Use:   "devices",
		Short: "List the devices, in the order in which they are preferred",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return listDevices(s, asJSON, verbose) },
	}
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print every property")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// noArgs is cobra.NoArgs with the exit code and the words of bad usage.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return cli.Usagef("%s takes no argument; %q was given", c.CommandPath(), args[0])
	}
	return nil
}

// deviceReport is one device in devices --json.
type deviceReport struct {
	Selector      string   `json:"selector"`
	Type          string   `json:"type"`
	Name          string   `json:"name"`
	Vendor        string   `json:"vendor"`
	Version       string   `json:"version"`
	ComputeUnits  int      `json:"computeUnits"`
	MaxWorkGroup  int      `json:"maxWorkGroup"`
	LocalMemory   int64    `json:"localMemory"`
	GlobalMemory  int64    `json:"globalMemory"`
	MaxAllocation int64    `json:"maxAllocation"`
	Formats       []string `json:"formats"`
}

// listDevices opens every back end that the environment leaves. doctor lists the excluded
// ones, and why.
func listDevices(s cli.Streams, asJSON, verbose bool) (err error) {
	rt := runtime.New(backends.Open(backends.Options{Trace: s.Err}))
	defer closeInto(&err, rt.Shutdown)
	devices, err := rt.Devices()
	if err != nil {
		return err
	}
	if asJSON {
		reports := make([]deviceReport, len(devices))
		for i, d := range devices {
			reports[i] = reportDevice(d)
		}
		return cli.WriteJSON(s.Out, reports)
	}
	w := tabwriter.NewWriter(s.Out, 0, 8, 2, ' ', 0)
	for _, d := range devices {
		if verbose {
			printProperties(w, d)
			continue
		}
		info := d.Info()
		fmt.Fprintf(w, "%v\t%s\t%s\t%s\n", d, info.Type, info.Name, info.Version)
	}
	return w.Flush()
}

func reportDevice(d *runtime.Device) deviceReport {
	i := d.Info()
	return deviceReport{
		d.String(), string(i.Type), i.Name, i.Vendor, i.Version, i.ComputeUnits, i.MaxWorkGroup,
		i.LocalMemory, i.GlobalMemory, i.MaxAllocation, i.Formats,
	}
}

// printProperties prints a line for each property that the driver tells, by
// reflection, so that a new field of driver.Info is printed without a change
// here. Zero is "the driver does not tell".
func printProperties(w io.Writer, d *runtime.Device) {
	fmt.Fprintf(w, "%v\n", d)
	info := reflect.ValueOf(d.Info())
	for i := range info.NumField() {
		if value := info.Field(i); !value.IsZero() {
			fmt.Fprintf(w, "  %s\t%s\n", info.Type().Field(i).Name, spellProperty(value))
		}
	}
	if _, ok := d.Device.(*hostdev.Device); ok {
		for _, f := range hostdev.InterpretedFeatures {
			fmt.Fprintf(w, "  Interpreted\t%s: %s\n", f.Feature, f.Reason)
		}
	}
}

// spellProperty spells lists as words.
func spellProperty(value reflect.Value) string {
	switch list := value.Interface().(type) {
	case []string:
		return strings.Join(list, " ")
	case []int:
		return strings.Trim(fmt.Sprint(list), "[]")
	}
	return fmt.Sprintf("%+v", value.Interface())
}

// closeInto calls close at the end of a function and keeps the first error.
func closeInto(err *error, close func() error) {
	if closed := close(); *err == nil {
		*err = closed
	}
}
