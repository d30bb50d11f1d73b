package hostdev

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
	"offlink/toolchain"
)

// hostLevel is the least processor level of this machine.
func hostLevel(t testing.TB) string {
	t.Helper()
	for _, p := range Processors {
		if p.GOARCH == runtime.GOARCH && processorLacks(p.Name) == nil {
			return p.Name
		}
	}
	t.Skip("native images are not made for this processor")
	return ""
}

// nativeLibraryOf compiles the native image of a module for a level.
func nativeLibraryOf(t testing.TB, s *NativeSource, level string) []byte {
	t.Helper()
	goarch := runtime.GOARCH
	for _, p := range Processors {
		if p.Name == level {
			goarch = p.GOARCH
		}
	}
	testtool.Need(t, "gcc")
	cc, err := toolchain.FindCCompiler("", goarch, &toolchain.Runner{})
	if err != nil {
		t.Skip(err)
	}
	note, err := s.NoteFile(level)
	if err != nil {
		t.Fatal(err)
	}
	text, names := map[string]string{}, []string{}
	for _, f := range append(s.Files[:len(s.Files):len(s.Files)], note) {
		text[f.Name], names = f.Text, append(names, f.Name)
	}
	code, err := cc.BuildLibrary(t.Context(), names, text, NativeFlags(level))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// precompiledModule is a module with its native image.
func precompiledModule(t testing.TB, name string, code []byte) driver.Module {
	t.Helper()
	s, err := NativeC(t.Context(), name, code)
	if err != nil {
		t.Fatal(err)
	}
	m := module(name, code)
	device := New(Options{Loader: dl.Loader{}}).device
	if m.Precompiled, err = device.OpenPrecompiled(nativeLibraryOf(t, s, hostLevel(t)), code); err != nil {
		t.Fatal(err)
	}
	return m
}

// Native images give the bits of the other executors, without a compiler, a cache
// or WebAssembly.
func TestNativeImageKernels(t *testing.T) {
	code, err := os.ReadFile("testdata/golden/throughput.spv")
	if err != nil {
		t.Fatal(err)
	}
	run := func(m driver.Module) map[string][]byte {
		results := map[string][]byte{}
		p := buildModules(t, Options{}, driver.BuildOptions{}, m)
		for _, l := range throughputLaunches(p, 512, 48) {
			p.launch(l.kernel, l.r, l.args...)
			results[l.kernel] = readBuffer[byte](p, l.args[l.out])
			if m.Precompiled == nil {
				continue
			}
			k, err := p.program.Kernel(l.kernel)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := launchedCode(k); err != nil || n.module != nil || n.fast.Load() == nil || Precompiled(k) != nil {
				t.Errorf("kernel %s does not run out of the native image: %v, %v", l.kernel, err, Precompiled(k))
			}
		}
		return results
	}
	want := run(module("throughput", code))
	for kernel, got := range run(precompiledModule(t, "throughput", code)) {
		if !bytes.Equal(got, want[kernel]) {
			t.Errorf("%s: the native image gives other results than WebAssembly", kernel)
		}
	}
}

// A kernel that no launch can serve is left out: the limits of a note are those of a launch.
func TestNativeImageLimits(t *testing.T) {
	code, err := os.ReadFile("testdata/golden/faults.spv")
	if err != nil {
		t.Fatal(err)
	}
	s, err := NativeC(t.Context(), "faults", code)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(s.Refused, func(r RefusedKernel) bool { return r.Kernel == "huge_local" })
	if i < 0 || !strings.Contains(s.Refused[i].Reason, "2097152 bytes of local memory") {
		t.Errorf("huge_local is not refused for its local memory: %v", s.Refused)
	}
	if len(s.Kernels) < 10 {
		t.Errorf("the others are gone: %v", s.Kernels)
	}
}

// Every module of the tests: the kernels of the native image give the same results
// as the code that is compiled at the first launch; one that it lacks has a reason.
func TestNativeImageSources(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.spv")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	kernels, refused := 0, 0
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NativeC(t.Context(), file, code)
		if err != nil {
			t.Logf("%s: %v", file, err) // imports, or code that the device refuses
			continue
		}
		kernels, refused = kernels+len(s.Kernels), refused+len(s.Refused)
		for _, r := range s.Refused {
			if r.Reason == "" {
				t.Errorf("%s: kernel %s has no reason", file, r.Kernel)
			}
		}
		again, err := NativeC(t.Context(), file, code)
		if err != nil || len(again.Files) != len(s.Files) {
			t.Fatalf("%s: a second time: %v", file, err)
		}
		for i := range s.Files {
			if s.Files[i] != again.Files[i] {
				t.Errorf("%s: %s differs from run to run", file, s.Files[i].Name)
			}
		}
	}
	if kernels == 0 {
		t.Error("no kernel has C")
	}
	t.Logf("%d kernels have C, %d do not", kernels, refused)
}

// An image that does not fit is refused with its reason.
func TestNativeImageRefusals(t *testing.T) {
	code, err := os.ReadFile("testdata/golden/groups.spv")
	if err != nil {
		t.Fatal(err)
	}
	// The image is its note alone: nothing else is looked at.
	image := func(change func(*nativeNote)) []byte {
		s, err := NativeC(t.Context(), "groups", code)
		if err != nil {
			t.Fatal(err)
		}
		change(&s.note)
		s.Files = nil
		return nativeLibraryOf(t, s, hostLevel(t))
	}
	same := image(func(*nativeNote) {})
	loads := Options{Loader: dl.Loader{}}
	for _, tt := range []struct {
		name          string
		image, module []byte
		o             Options
		want          string
	}{
		{"another module", same, code[:len(code)-4], loads, "another SPIR-V module"},
		{"cut off", same[:len(same)/2], code, loads, ""},
		{"nothing", nil, code, loads, "not an ELF file"},
		{"another library", image(func(n *nativeNote) { n.Version = 0 })[:64], code, loads, ""},
		{"no loader", same, code, Options{}, "cannot be opened here"},
		{"checked mode", same, code, Options{Loader: dl.Loader{}, Check: true}, "checked mode"},
		{"version", image(func(n *nativeNote) { n.Version++ }), code, loads, "another version of postlink"},
		{"layout", image(func(n *nativeNote) { n.Layout = "other" }), code, loads, "another version of postlink"},
		{"digest", image(func(n *nativeNote) { n.SPIRV = "00" }), code, loads, "digest"},
		{"sizes", image(func(n *nativeNote) { n.Kernels[0].Frame = -1 }), code, loads, "a size of -1 bytes"},
		{"width", image(func(n *nativeNote) { n.Kernels[0].Width = 3 }), code, loads, "steps of 3"},
		{"strings", image(func(n *nativeNote) { n.Strings = nil; n.Kernels[0].Sites = []noteSite{{siteOp: 5}} }), code, loads, "string 5 of 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := New(tt.o).device.OpenPrecompiled(tt.image, tt.module)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("OpenPrecompiled = %v, %v; want an error with %q", got, err, tt.want)
			}
		})
	}
	if _, err := New(loads).device.OpenPrecompiled(same, code); err != nil {
		t.Errorf("the image as it was made: %v", err)
	}
	if _, err := New(Options{}).device.OpenPrecompiled(same, code); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("a device without a loader: %v", err)
	}
}

// The levels of processors that this machine lacks are told by their features.
func TestProcessorLevels(t *testing.T) {
	for _, tt := range []struct{ level, want string }{
		{"x86-64-v9", "does not know"},
		{otherLevel(), "this processor lacks "},
	} {
		if err := processorLacks(tt.level); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v; want %q", tt.level, err, tt.want)
		}
	}
}

// otherLevel is one of another architecture.
func otherLevel() string {
	if runtime.GOARCH == "arm64" {
		return "x86-64-v2"
	}
	return "armv8.2-a"
}

// An image whose code is not in the library: the kernel is compiled.
func TestNativeImageWithoutSymbol(t *testing.T) {
	code, err := os.ReadFile("testdata/golden/groups.spv")
	if err != nil {
		t.Fatal(err)
	}
	s, err := NativeC(t.Context(), "groups", code)
	if err != nil {
		t.Fatal(err)
	}
	s.Files = nil
	m := module("groups", code)
	if m.Precompiled, err = New(Options{Loader: dl.Loader{}}).device.OpenPrecompiled(nativeLibraryOf(t, s, hostLevel(t)), code); err != nil {
		t.Fatal(err)
	}
	p := buildModules(t, Options{}, driver.BuildOptions{}, m)
	k, err := p.program.Kernel(s.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	if n, err := launchedCode(k); err != nil || n.fast.Load() != nil || Precompiled(k) == nil {
		t.Errorf("the kernel is not compiled: %v, %v", err, Precompiled(k))
	}
}

// FuzzNativeNote: any bytes are a note or an error.
func FuzzNativeNote(f *testing.F) {
	code, err := os.ReadFile("testdata/golden/groups.spv")
	if err != nil {
		f.Fatal(err)
	}
	s, err := NativeC(f.Context(), "groups", code)
	if err != nil {
		f.Fatal(err)
	}
	text, err := json.Marshal(&s.note)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, uint16(0x3e))
	f.Add([]byte(`{"Kernels":[{"Name":"k","Width":4,"Sites":[[4,1,0,0,0,0,7]]}],"Strings":[""],"SPIRV":"00"}`), uint16(0xb7))
	f.Fuzz(func(t *testing.T, descriptor []byte, machine uint16) {
		note := binary.LittleEndian.AppendUint32(nil, uint32(len(noteOwner)+1))
		note = binary.LittleEndian.AppendUint32(note, uint32(len(descriptor)))
		note = append(binary.LittleEndian.AppendUint32(note, noteType), noteOwner+"\x00"...)
		n, err := parseNote(binary.LittleEndian, append(note, descriptor...))
		if err != nil {
			return
		}
		image, err := n.describe(elf.Machine(machine))
		if err != nil {
			return
		}
		_ = image.fitsHere()
		for _, kernel := range image.Kernels {
			row := n.kernelRow(kernel)
			values, sites := n.sitesOf(row)
			if len(values) != len(row.Sites) || len(sites) != len(row.Sites) {
				t.Errorf("%d values and %d sites of %d", len(values), len(sites), len(row.Sites))
			}
			for _, v := range values {
				v.Access()
			}
		}
	})
}

// FuzzNativeImage: any bytes are a native image or an error.
func FuzzNativeImage(f *testing.F) {
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	f.Fuzz(func(_ *testing.T, code []byte) {
		_, _ = ReadNativeImage(bytes.NewReader(code))
	})
}
