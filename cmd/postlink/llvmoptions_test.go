package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"offlink/cmd/internal/cli"
	"offlink/internal/testtool"
)

// helpOption is a line of LLVM's help text: an option with the form of its value.
var helpOption = regexp.MustCompile(`(?m)^ +--?([A-Za-z0-9-]+)(\[?[= ]\S+)? +- `)

// TestOptionsOfLLVMSPIRV: each option that an installed llvm-spirv lists is known, so
// that it is taken, or refused with a reason.
func TestOptionsOfLLVMSPIRV(t *testing.T) {
	tools := []string{"llvm-spirv-15"}
	if _, err := exec.LookPath("llvm-spirv-14"); err == nil { // not among the packages of setup
		tools = append(tools, "llvm-spirv-14")
	}
	for _, tool := range tools {
		help, err := exec.Command(testtool.Path(t, tool), "--help").Output()
		if err != nil {
			t.Fatal(err)
		}
		options := helpOption.FindAllStringSubmatch(string(help), -1)
		if len(options) < 100 {
			t.Fatalf("%s: %d options were found in its help text", tool, len(options))
		}
		for _, o := range options {
			arg := "--" + o[1]
			if strings.HasPrefix(o[2], "=") || strings.HasPrefix(o[2], "[") {
				arg += "=1"
			}
			streams := cli.Streams{Out: new(strings.Builder), Err: new(strings.Builder), In: strings.NewReader("")}
			err := new(spirvTool).defineFlags(streams).Parse([]string{arg})
			if err != nil && (strings.Contains(err.Error(), "unknown") || strings.Contains(err.Error(), "not a value for the boolean") || strings.Contains(err.Error(), "needs a value") && o[1] != "o") {
				t.Errorf("%s: %s: %v", tool, arg, err)
			}
		}
	}
}
