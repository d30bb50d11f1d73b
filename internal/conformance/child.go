package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"offlink/runtime/driver"
	"offlink/runtime/opencl"
)

// A driver of OpenCL may exit or crash on a module. So a child process makes the launches
// there, and a module that ends it only loses its own results.

// childJob is one module for the child: a line of JSON on its standard input.
type childJob struct {
	Code    string // a file
	Kernels []string
	Source  string // a file: the child reads the signatures there
}

// childResult is the child's answer, a line on file descriptor 3.
type childResult struct {
	Results map[string]string
	Error   string
}

// childMain serves jobs until standard input ends.
func childMain(in io.Reader, out io.Writer) error {
	d, err := opencl.Open(opencl.Options{})
	if err != nil {
		return err
	}
	devices, err := d.Devices()
	if err != nil {
		return err
	}
	if len(devices) == 0 {
		return fmt.Errorf("OpenCL lists no device")
	}
	lines := bufio.NewReader(in)
	encoder := json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var j childJob
		if err := json.Unmarshal(line, &j); err != nil {
			return err
		}
		if err := encoder.Encode(j.launch(devices[0])); err != nil {
			return err
		}
	}
}

func (j *childJob) launch(device driver.Device) (r childResult) {
	code, err := os.ReadFile(j.Code)
	if err != nil {
		return childResult{Error: err.Error()}
	}
	kernels, err := readSignatures(j.Source)
	if err == nil {
		r.Results, err = launchAll(device, code, kernels)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// child is a process that launches on an OpenCL device.
type child struct {
	icd    string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stdout bytes.Buffer // the output of kernels, and of the driver
}

// launch has the child launch the kernels of a module. The child is started if none runs.
// With alone the module gets a child of its own, and the results have a digest of the
// output of its kernels.
func (c *child) launch(code, source string, alone bool) (map[string]string, error) {
	if c.cmd == nil || alone {
		c.close()
		if err := c.start(); err != nil {
			return nil, err
		}
	}
	line, err := json.Marshal(childJob{Code: code, Source: source})
	if err != nil {
		return nil, err
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		c.close()
		return nil, err
	}
	answer, err := c.out.ReadBytes('\n')
	if err != nil {
		ended := c.close()
		return nil, fmt.Errorf("the driver ended the process: %v", ended)
	}
	var r childResult
	if err := json.Unmarshal(answer, &r); err != nil {
		return nil, err
	}
	if r.Error != "" {
		return nil, fmt.Errorf("%s", r.Error)
	}
	if alone {
		c.close()
		r.Results["printed"] = digestOf(c.stdout.Bytes())
	}
	return r.Results, nil
}

func (c *child) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	results, write, err := os.Pipe()
	if err != nil {
		return err
	}
	c.stdout.Reset()
	// The exit of a Go program leaves buffers of C's standard output unwritten.
	c.cmd = exec.Command("stdbuf", "-o0", self)
	c.cmd.Env = append(os.Environ(), "OCL_ICD_VENDORS="+c.icd, childVariable+"=1")
	c.cmd.ExtraFiles = []*os.File{write}
	c.cmd.Stdout = &c.stdout
	if c.in, err = c.cmd.StdinPipe(); err == nil {
		err = c.cmd.Start()
	}
	write.Close()
	c.out = bufio.NewReader(results)
	if err != nil {
		c.cmd = nil
	}
	return err
}

// childVariable is set in children.
const childVariable = "OFFLINK_CONFORMANCE_CHILD"

// close ends the child and returns how it ended.
func (c *child) close() error {
	if c.cmd == nil {
		return nil
	}
	c.in.Close()
	err := c.cmd.Wait()
	c.cmd = nil
	return err
}

func readSignatures(source string) ([]signature, error) {
	text, err := os.ReadFile(source)
	return parseSignatures(string(text)), err
}
