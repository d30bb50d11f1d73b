package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"offlink/cmd/internal/cli"
	"offlink/internal/testtool"
	"offlink/props"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"devrun": main})
}

// TestScripts runs the scripts of testdata/script. $GOLDEN is the folder of the
// reference tool's objects. There are these commands more:
//
//	clc FILE.cl                     compiles to FILE.spv
//	wrap OUT FILE.spv [NAME=VALUE]  wraps into an object. kernels= and exports=
//	                                are entries and symbols, lists= are exports
//	                                without entries, removed= is a mask
//	                                of removed parameters, "0110" for the
//	                                second and third of four; target= is the
//	                                target
//	usage TEXT ARG...               devrun ARG... exits with 2, and the text is
//	                                in its message
//	installed FILE                  FILE becomes this devrun
//	damage FOLDER                   changes a byte in the middle of every file
func TestScripts(t *testing.T) {
	compiler := testtool.OpenCLCompiler(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOLDEN", filepath.Join(root, "testdata/wrapper"))
			e.Setenv("SUITE", filepath.Join(root, "runtime/drivertest/testdata"))
			e.Setenv("PLUGIN", filepath.Join(root, "runtime/piplugin/testdata"))
			e.Setenv("FAKECUDA", filepath.Join(root, "runtime/cuda/testdata/fakecuda.c"))
			e.Setenv("ONEAPI_DEVICE_SELECTOR", "host:*") // whatever drivers are installed
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"clc":       func(ts *testscript.TestScript, _ bool, args []string) { compile(ts, compiler, args) },
			"wrap":      wrap,
			"usage":     usage,
			"installed": installed,
			"damage":    damage,
		},
	})
}

// TestDriverScripts runs the scripts of testdata/opencl on Intel's CPU device.
func TestDriverScripts(t *testing.T) {
	icd, compiler := testtool.Python(t, "lib/libintelocl.so"), testtool.OpenCLCompiler(t)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/opencl",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ONEAPI_DEVICE_SELECTOR", "opencl:*")
			e.Setenv("OCL_ICD_VENDORS", icd)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"clc": func(ts *testscript.TestScript, _ bool, args []string) { compile(ts, compiler, args) },
		},
	})
}

// compile takes options of clang before the source.
func compile(ts *testscript.TestScript, c testtool.Compiler, args []string) {
	options, source := args[:len(args)-1], ts.MkAbs(args[len(args)-1])
	base := strings.TrimSuffix(source, ".cl")
	options = slices.Concat(c.Options, []string{"--target=spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-O1", "-c", "-emit-llvm"}, options)
	ts.Check(ts.Exec(c.Clang, append(options, "-o", base+".bc", source)...))
	ts.Check(ts.Exec(c.Translator, "--spirv-max-version=1.1", "-o", base+".spv", base+".bc"))
}

func wrap(ts *testscript.TestScript, _ bool, args []string) {
	img := &devimg.Image{
		Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64", HasEntries: true,
		Code:       devimg.Bytes([]byte(ts.ReadFile(args[1]))),
		Properties: new(props.Sets),
	}
	img.Properties.Open(props.SetExportedSymbols)
	images := []*devimg.Image{img}
	for _, arg := range args[2:] {
		if arg == "compressed" {
			images = compressed(ts, images)
			continue
		}
		name, value, _ := strings.Cut(arg, "=")
		ts.Check(describe(img, name, value))
	}
	var object bytes.Buffer
	ts.Check(wrapper.Wrap(&object, images, wrapper.WrapOptions{}))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), object.Bytes(), 0o666))
}

// compressed is the images with their code as -offload-compress writes it.
func compressed(ts *testscript.TestScript, images []*devimg.Image) []*devimg.Image {
	scratch, err := os.Create(ts.MkAbs("compressed.tmp"))
	ts.Check(err)
	ts.Defer(func() { scratch.Close() })
	small, err := wrapper.Compress(images, 10, scratch)
	ts.Check(err)
	return small
}

func usage(ts *testscript.TestScript, _ bool, args []string) {
	var stdout, stderr bytes.Buffer
	code := runCommand(args[1:], cli.Streams{Out: &stdout, Err: &stderr})
	if code != cli.ExitUsage || !strings.Contains(stderr.String(), args[0]) || stdout.Len() > 0 {
		ts.Fatalf("devrun %q: exit %d, stdout %q, stderr %q", args[1:], code, stdout.String(), stderr.String())
	}
}

func installed(ts *testscript.TestScript, _ bool, args []string) {
	self, err := os.Executable()
	ts.Check(err)
	data, err := os.ReadFile(self)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o777))
}

func describe(img *devimg.Image, name, value string) error {
	list := strings.Split(value, ",")
	switch name {
	case "kernels":
		img.Entries = append(img.Entries, list...)
	case "exports":
		img.Entries = append(img.Entries, list...)
		listExports(img, list)
	case "lists":
		listExports(img, list)
	case "removed":
		img.Properties.Put(props.SetKernelParamOpt, img.Entries[0], mask(value))
	case "target":
		img.Target = value
	default:
		return errors.New("wrap: " + name + "?")
	}
	return nil
}

func listExports(img *devimg.Image, symbols []string) {
	for _, symbol := range symbols {
		img.Properties.Put(props.SetExportedSymbols, symbol, props.Uint32(1))
	}
}

// mask reads "0110".
func mask(digits string) props.Value {
	bits := make([]byte, (len(digits)+7)/8)
	for i, d := range digits {
		if d == '1' {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return props.Bits(bits, uint64(len(digits)))
}

func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage FOLDER")
	}
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		data[len(data)/2] ^= 1
		return os.WriteFile(name, data, 0o600)
	}))
}
