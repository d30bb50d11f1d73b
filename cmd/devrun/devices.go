package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/runtime"
	"offlink/runtime/backends"
)

func newDevicesCommand(s cli.Streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "devices",
		Short: "List the devices, in the order in which they are preferred",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return listDevices(s, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

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

func listDevices(s cli.Streams, asJSON bool) (err error) {
	rt := runtime.New(backends.Open(backends.Options{}))
	defer closeInto(&err, rt.Shutdown)
	devices, err := rt.Devices()
	if err != nil {
		return err
	}
	if asJSON {
		reports := make([]deviceReport, len(devices))
		for i, d := range devices {
			reports[i] = report(d)
		}
		return cli.WriteJSON(s.Out, reports)
	}
	w := tabwriter.NewWriter(s.Out, 0, 8, 2, ' ', 0)
	for _, d := range devices {
		info := d.Info()
		fmt.Fprintf(w, "%v\t%s\t%s\t%s\n", d, info.Type, info.Name, info.Version)
	}
	return w.Flush()
}

func report(d *runtime.Device) deviceReport {
	i := d.Info()
	return deviceReport{
		d.String(), string(i.Type), i.Name, i.Vendor, i.Version, i.ComputeUnits, i.MaxWorkGroup,
		i.LocalMemory, i.GlobalMemory, i.MaxAllocation, i.Formats,
	}
}

// closeInto calls close at the end of a function and keeps the first error.
func closeInto(err *error, close func() error) {
	if closed := close(); *err == nil {
		*err = closed
	}
}
