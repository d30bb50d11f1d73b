// Streams uses the standard streams as its argument says.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"offlink/cmd/internal/cli"
)

func main() {
	s := cli.OSStreams()
	cli.Exit(s.Report("streams", useStreams(os.Args[1], s)))
}

func useStreams(use string, s cli.Streams) error {
	switch use {
	case "nothing":
		return nil
	case "print":
		fmt.Fprintln(s.Out, "printed") // the failure is found by Report
		return nil
	case "read":
		data, err := io.ReadAll(s.In)
		fmt.Fprintf(s.Err, "%d bytes\n", len(data))
		return err
	case "output":
		var o cli.Outputs
		defer o.Abort()
		return errors.Join(o.WriteFile("/dev/stdout", []byte("written\n")), o.Commit())
	case "become":
		cli.CloseStreams()
		return syscall.Exec("/bin/sh", []string{"sh", "-c", "echo from a shell"}, os.Environ())
	}
	return errors.New("no such use: " + use)
}
