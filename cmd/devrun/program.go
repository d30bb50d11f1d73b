package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/runtime/trace"
)

// libraryName is the name by which programs look for libofflink.
const libraryName = "libofflink.so.0"

// newRunCommand makes "devrun run", a second spelling of the root: all that follows
// is the program's, also a name that is a subcommand's.
func newRunCommand() *cobra.Command {
	var traceFile string
	run := &cobra.Command{
		Use:   "run FILE [ARG...]",
		Short: "Run a program so that it finds libofflink",
		Long:  "run runs the program FILE so that it finds libofflink, as devrun FILE does.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("name the program to run; see 'devrun run --help'")
			}
			return nil
		},
		RunE:                  func(_ *cobra.Command, args []string) error { return runProgram(args, traceFile) },
		DisableFlagsInUseLine: true,
	}
	setProgramOptions(run, &traceFile)
	return run
}

func setProgramOptions(c *cobra.Command, traceFile *string) {
	c.Flags().StringVar(traceFile, "trace", "", "have the program write the steps of the runtime with their times to `FILE`, for ui.perfetto.dev")
	c.Flags().SetInterspersed(false) // the arguments after FILE are the program's
}

// runProgram becomes the program args[0], with the folder of libofflink first
// on its library path. It returns only if that fails. The process is replaced,
// not a child started, so that signals, the terminal and the exit code are the
// program's. With a file for a trace it has the program write one: the name is
// made absolute, as the program may change its folder.
func runProgram(args []string, traceFile string) error {
	file := args[0]
	if runtime.GOOS == "windows" {
		return errors.New("host programs run with libofflink on Linux only; devrun launch runs their kernels")
	}
	if err := checkProgram(file); err != nil {
		return err
	}
	library, err := libraryFolder()
	if err != nil {
		return err
	}
	path := file
	if !strings.ContainsRune(file, filepath.Separator) {
		path = "./" + file // a file, not a command to look up
	}
	env := libraryPath(os.Environ(), library)
	if traceFile != "" {
		if traceFile, err = filepath.Abs(traceFile); err != nil {
			return fileError(traceFile, err)
		}
		env = append(env, trace.Variable+"="+traceFile)
	}
	cli.CloseStreams()
	err = syscall.Exec(path, append([]string{path}, args[1:]...), env)
	if errors.Is(err, syscall.ENOEXEC) {
		return fmt.Errorf("%s: not a program for this machine", file)
	}
	return fmt.Errorf("%s: cannot be run: %w", file, err)
}

// checkProgram finds the common mistakes before exec, whose errors name none of
// them: "permission denied" for a library that was meant for launch.
func checkProgram(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return fileError(file, err)
	case info.IsDir():
		return fmt.Errorf("%s: is a folder, not a program", file)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("%s: is not executable; to run a kernel out of it: devrun launch --kernel NAME --global N %s", file, file)
	}
	return nil
}

// libraryFolder finds libofflink in the folder of devrun, as in the build tree, or in the lib
// folder next to that, as installed.
func libraryFolder() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return "", err
	}
	folders := []string{filepath.Dir(self), filepath.Join(filepath.Dir(self), "..", "lib")}
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, libraryName)); err == nil {
			return filepath.Clean(folder), nil
		}
	}
	return "", fmt.Errorf("%s is neither in %s nor in %s; install it with devrun (make install)",
		libraryName, folders[0], filepath.Clean(folders[1]))
}

// libraryPath returns the environment with folder first on LD_LIBRARY_PATH. The
// other folders stay; an empty value is dropped, as the loader takes an empty
// entry for the current folder.
func libraryPath(env []string, folder string) []string {
	const variable = "LD_LIBRARY_PATH="
	value := folder
	var rest []string
	for _, v := range env {
		if old, ok := strings.CutPrefix(v, variable); !ok {
			rest = append(rest, v)
		} else if old != "" {
			value = folder + ":" + old
		}
	}
	return append(rest, variable+value)
}
