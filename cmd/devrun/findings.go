package main

import (
	"offlink/cmd/internal/cli"
	"offlink/runtime"
	"offlink/runtime/hostdev"
)

// findingsReport is the output of launch --json in checked mode, where the kernel
// has faults.
type findingsReport struct {
	Kernel    string             `json:"kernel"`
	Device    string             `json:"device"`
	Findings  []*hostdev.Finding `json:"findings"`
	Dropped   int                `json:"dropped"`
	Unwatched bool               `json:"unwatched"`
}

// printFindings prints the findings of the checked mode as JSON, if that was
// asked for. Otherwise they are the error of the launch.
func (j *job) printFindings(err error, program *runtime.Program, s cli.Streams) error {
	found, ok := hostdev.IsCheckError(err)
	if !ok || !j.options.json {
		return err
	}
	report := findingsReport{j.options.kernel, program.Device.String(), found.Findings, found.Dropped, found.Unwatched}
	if err := cli.WriteJSON(s.Out, report); err != nil {
		return err
	}
	return &cli.ExitError{Code: 1}
}
