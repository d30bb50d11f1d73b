package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/runtime"
	"offlink/runtime/backends"
	"offlink/runtime/hostdev"
)

// newDevicesCommand makes "devrun devices". The order is that of a choice without a
// selector, so that the first line is the device that a program gets.
func newDevicesCommand(s cli.Streams) *cobra.Command {
	var asJSON, verbose bool
	var limit time.Duration
	c := &cobra.Command{
		Use:   "devices",
		Short: "List the devices, in the order in which they are preferred",
		Long: `devices lists the devices that the environment does not exclude, in the order in
which they are preferred. Drivers are asked in a process of their own: where one crashes, exits or
hangs, the devices of the other back ends are listed, and the exit status is 1. A plugin
that cannot be opened is a warning.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return listDevices(c.Context(), s, limit, func(list []listedDevice) error { return printDevices(s.Out, list, asJSON, verbose) })
		},
	}
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print every property")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	limitFlag(c, &limit)
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

// listedDevice is a device in the result of the process that lists it. Fields
// without tags pass between processes and are not printed.
type listedDevice struct {
	deviceReport
	Properties []listedProperty
}

// listedProperty is a line of devices --verbose.
type listedProperty struct {
	Name, Spelling string
}

// listDevices prints the devices of the back ends that the environment does not exclude;
// doctor lists those too, with the variable.
func listDevices(ctx context.Context, s cli.Streams, limit time.Duration, print func([]listedDevice) error) error {
	if err := backends.CheckEnvironment(backends.Options{}); err != nil {
		return err
	}
	all, bad := listBackends(ctx, s, limit)
	var failed []error
	for _, r := range all.Backends {
		if bad && r.Error != "" {
			failed = append(failed, fmt.Errorf("%s: %s", r.Name, r.Error))
		}
	}
	if len(all.Devices) == 0 {
		return errors.Join(append(failed, all.noDevice())...)
	}
	for _, warning := range all.Warnings {
		fmt.Fprintln(s.Err, "devrun: warning: "+warning)
	}
	return errors.Join(append([]error{print(all.Devices)}, failed...)...)
}

// noDevice is the error where no back end has a device.
func (l *listing) noDevice() error {
	var reasons []error
	for _, r := range l.Reasons {
		reasons = append(reasons, errors.New(r))
	}
	return &runtime.NoDeviceError{Causes: errors.Join(reasons...)}
}

func printDevices(out io.Writer, list []listedDevice, asJSON, verbose bool) error {
	if asJSON {
		reports := make([]deviceReport, len(list))
		for i, d := range list {
			reports[i] = d.deviceReport
		}
		return cli.WriteJSON(out, reports)
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, d := range list {
		if !verbose {
			fmt.Fprintf(w, "%v\t%s\t%s\t%s\n", d.Selector, d.Type, d.Name, d.Version)
			continue
		}
		fmt.Fprintf(w, "%v\n", d.Selector)
		for _, p := range d.Properties {
			fmt.Fprintf(w, "  %s\t%s\n", p.Name, p.Spelling)
		}
	}
	return w.Flush()
}

func listDevice(d *runtime.Device) listedDevice {
	return listedDevice{reportDevice(d), listProperties(d)}
}

func reportDevice(d *runtime.Device) deviceReport {
	i := d.Info()
	return deviceReport{
		d.String(), string(i.Type), i.Name, i.Vendor, i.Version, i.ComputeUnits, i.MaxWorkGroup,
		i.LocalMemory, i.GlobalMemory, i.MaxAllocation, i.Formats,
	}
}

// listProperties returns a line for each property that the driver reports. It uses
// reflection, so that a new field of driver.Info is printed without a change here. Zero
// means that the driver does not report the property.
func listProperties(d *runtime.Device) (list []listedProperty) {
	info := reflect.ValueOf(d.Info())
	for i := range info.NumField() {
		if value := info.Field(i); !value.IsZero() {
			list = append(list, listedProperty{info.Type().Field(i).Name, spellProperty(value)})
		}
	}
	if _, ok := d.Device.(*hostdev.Device); ok {
		for _, f := range hostdev.InterpretedFeatures {
			list = append(list, listedProperty{"Interpreted", f.Feature + ": " + f.Reason})
		}
	}
	return list
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
