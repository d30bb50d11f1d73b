package resolve

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/props"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/registry"
	"offlink/spirv"
	"offlink/wrapper/devimg"
)

// file is a file of a test: a name and its images.
type file struct {
	name   string
	images []*devimg.Image
}

// edit changes an image after it was made.
type edit func(*devimg.Image)

func target(t string) edit { return func(img *devimg.Image) { img.Target = t } }

func format(f devimg.Format) edit { return func(img *devimg.Image) { img.Format = f } }

func code(bytes string) edit {
	return func(img *devimg.Image) { img.Code = devimg.Bytes([]byte(bytes)) }
}

// noTables drops the property sets.
func noTables(img *devimg.Image) { img.Properties = nil }

// lists puts names into a table of symbols.
func lists(set string, names ...string) edit {
	return func(img *devimg.Image) {
		for _, name := range names {
			img.Properties.Put(set, name, props.Uint32(1))
		}
	}
}

// newImage returns a SPIR-V image whose tables list the symbols of the code.
func newImage(c drivertest.Code, edits ...edit) *devimg.Image {
	img := &devimg.Image{Target: "spir64", Code: devimg.Bytes(drivertest.SPIRV(c)), HasEntries: true, Properties: new(props.Sets)}
	img.Entries = append(append(img.Entries, c.Kernels...), c.Exports...)
	img.Properties.Open(props.SetExportedSymbols)
	lists(props.SetExportedSymbols, c.Exports...)(img)
	lists(props.SetExportedSymbols, c.Weak...)(img)
	lists(props.SetImportedSymbols, c.Imports...)(img)
	for _, e := range edits {
		e(img)
	}
	return img
}

func snapshot(files []file) *registry.Snapshot {
	var r registry.Registry
	for i, f := range files {
		r.Add(registry.Owner{ID: uint64(i), Name: f.name}, f.images)
	}
	return r.Snapshot()
}

// linking is the ability to link every target of the tests.
var linking = []string{"pi_ext_spirv64_linking", "pi_ext_spirv64_x86_64_linking"}

// acceptSPIRV is a device that takes code for spir64 and spir64_x86_64.
func acceptSPIRV(img driver.Image) error {
	if !strings.HasPrefix(img.Target, "spir64") {
		return fmt.Errorf("the device takes no code for %s", img.Target)
	}
	return nil
}

var kernelK = drivertest.Code{Kernels: []string{"k"}}

func imports(names ...string) drivertest.Code {
	return drivertest.Code{Kernels: []string{"k"}, Imports: names}
}

func exports(names ...string) drivertest.Code { return drivertest.Code{Exports: names} }

func TestLink(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []file
		want  []string // file and number of the images
		err   string
	}{
		{
			name:  "alone",
			files: []file{{"app", []*devimg.Image{newImage(kernelK)}}},
			want:  []string{"app 0"},
		},
		{
			name:  "an image that imports intrinsics alone",
			files: []file{{"app", []*devimg.Image{newImage(imports("llvm.usub.sat.i32"))}}},
			want:  []string{"app 0"},
		},
		{
			name: "transitive, and only what is needed",
			files: []file{
				{"app", []*devimg.Image{newImage(imports("f"))}},
				{"other", []*devimg.Image{newImage(exports("h"))}},
				{"g", []*devimg.Image{newImage(exports("g"))}},
				{"f", []*devimg.Image{newImage(exports("e")), newImage(drivertest.Code{Imports: []string{"g"}, Exports: []string{"f"}})}},
			},
			want: []string{"app 0", "f 1", "g 0"},
		},
		{
			name: "a cycle",
			files: []file{
				{"app", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"k"}, Imports: []string{"f"}, Exports: []string{"g"}})}},
				{"f", []*devimg.Image{newImage(drivertest.Code{Imports: []string{"g"}, Exports: []string{"f"}})}},
			},
			want: []string{"app 0", "f 0"},
		},
		{
			name: "the first of two exporters",
			files: []file{
				{"app", []*devimg.Image{newImage(imports("f"))}},
				{"one", []*devimg.Image{newImage(exports("f"))}},
				{"two", []*devimg.Image{newImage(exports("f"))}},
			},
			want: []string{"app 0", "one 0"},
		},
		{
			name: "one image for two symbols",
			files: []file{
				{"app", []*devimg.Image{newImage(imports("f", "g"))}},
				{"both", []*devimg.Image{newImage(exports("f", "g"))}},
				{"g", []*devimg.Image{newImage(exports("g"))}},
			},
			want: []string{"app 0", "both 0"},
		},
		{
			name: "an image without tables exports what its code does",
			files: []file{
				{"app", []*devimg.Image{newImage(imports("f"))}},
				{"lib", []*devimg.Image{newImage(exports("f"), noTables)}},
			},
			want: []string{"app 0", "lib 0"},
		},
		{
			name: "a variable is in no table",
			files: []file{
				{"app", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"k"}, VariableImports: []string{"v"}})}},
				{"lib", []*devimg.Image{newImage(drivertest.Code{Exports: []string{"f"}, VariableExports: []string{"v"}})}},
			},
			want: []string{"app 0", "lib 0"},
		},
		{
			name: "imports are the code's, not the table's",
			files: []file{
				{"app", []*devimg.Image{newImage(kernelK, lists(props.SetImportedSymbols, "_Z13get_global_idj", "_Z3sinf", "printf", "gone"))}},
			},
			want: []string{"app 0"},
		},
		{
			name: "other formats: the table's, without what the device provides",
			files: []file{
				{"app", []*devimg.Image{newImage(kernelK, format(devimg.FormatLLVMBitcode), lists(props.SetImportedSymbols,
					"_Z13get_global_idj", "_Z3sinf", "printf", "_Z6vload4mPU3AS1Kf", "_Z33__spirv_BuiltInGlobalInvocationIdi", "f"))}},
				{"spirv", []*devimg.Image{newImage(exports("f"))}},
				{"lib", []*devimg.Image{newImage(exports("f"), format(devimg.FormatLLVMBitcode))}},
			},
			want: []string{"app 0", "lib 0"},
		},
		{
			name: "ahead of time for the device, else the last for any, in the same target",
			files: []file{
				{"app", []*devimg.Image{newImage(imports("f")), newImage(imports("f")), newImage(imports("f"), target("spir64_gen"))}},
				{"lib", []*devimg.Image{newImage(exports("f"), target("spir64_gen")), newImage(exports("f"))}},
			},
			want: []string{"app 1", "lib 1"},
		},
		{
			name:  "ahead of time first",
			files: []file{{"app", []*devimg.Image{newImage(kernelK, target("spir64_x86_64")), newImage(kernelK)}}},
			want:  []string{"app 0"},
		},
		{
			name: "unresolved",
			files: []file{
				{"app", []*devimg.Image{newImage(imports("g"))}},
				{"g", []*devimg.Image{newImage(drivertest.Code{Imports: []string{"f"}, Exports: []string{"g"}})}},
				{"native", []*devimg.Image{newImage(exports("f"), format(devimg.FormatNative))}},
				{"ptx", []*devimg.Image{newImage(exports("f"), target("nvptx64"))}},
				{"broken", []*devimg.Image{newImage(exports("f"), code("\x03\x02\x23\x07"))}},
				{"liar", []*devimg.Image{newImage(exports("h"), lists(props.SetExportedSymbols, "f"))}},
				{"bare", []*devimg.Image{newImage(exports("h"), noTables)}},
			},
			err: `kernel k needs f, imported by g: image 0 (spir64, spirv), and no image provides it; load the file whose device code exports it. Looked at:
  app: image 0 (spir64, spirv): does not export it
  g: image 0 (spir64, spirv): does not export it
  native: image 0 (spir64, native): cannot be linked with code for spir64 in spirv
  ptx: image 0 (nvptx64, spirv): cannot be linked with code for spir64 in spirv
  broken: image 0 (spir64, spirv): not valid SPIR-V: ...
  liar: image 0 (spir64, spirv): its table lists it, but its code does not define it
  bare: image 0 (spir64, spirv): does not export it`,
		},
		{
			name:  "a built-in that the translator did not know",
			files: []file{{"app", []*devimg.Image{newImage(imports("_Z13get_global_idj"))}}},
			err: `kernel k needs _Z13get_global_idj, imported by app: image 0 (spir64, spirv), and no image provides it; it is built into OpenCL C, and the code calls it as if it were not: translate from a module that says that it is OpenCL C. Looked at:
  app: image 0 (spir64, spirv): does not export it`,
		},
		{
			name:  "no such kernel",
			files: []file{{"app", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"b", "a"}, Exports: []string{"k"}})}}},
			err:   "kernel k: no image has it; the kernels that are there: a, b",
		},
		{
			name: "nothing at all",
			err:  "kernel k: no image has it; no image that is loaded has any kernel",
		},
		{
			name:  "refused by the device",
			files: []file{{"app", []*devimg.Image{newImage(kernelK, target("nvptx64"))}}},
			err: `kernel k: no image that has it can be used on this device:
  app: image 0 (nvptx64, spirv): the device takes no code for nvptx64`,
		},
		{
			name:  "broken",
			files: []file{{"app", []*devimg.Image{newImage(kernelK, code("\x03\x02\x23\x07"))}}},
			err:   "app: image 0 (spir64, spirv): not valid SPIR-V: ...",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			link, err := new(Resolver).Link(snapshot(c.files), Request{Kernel: "k", Accepts: acceptSPIRV, Extensions: linking, DeviceType: driver.CPU})
			var got []string
			if link != nil {
				for _, img := range link.Images {
					got = append(got, fmt.Sprint(img.Owner.Name, " ", img.Index))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.err, withoutReason(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// withoutReason is the error's text without the part from package spirv.
func withoutReason(err error) string {
	if err == nil {
		return ""
	}
	const mark = "not valid SPIR-V: "
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		if before, _, ok := strings.Cut(line, mark); ok {
			lines[i] = before + mark + "..."
		}
	}
	return strings.Join(lines, "\n")
}

// TestDefaultsOnly takes an image whose constants have become their default
// values only where the program gives no values.
func TestDefaultsOnly(t *testing.T) {
	defaults := func(img *devimg.Image) {
		img.Properties.Put(props.SetMiscProperties, "specConstsReplacedWithDefault", props.Uint32(1))
	}
	jit, copied := newImage(kernelK), newImage(kernelK, defaults)
	aot := newImage(kernelK, target("spir64_x86_64"))
	for _, test := range []struct {
		name   string
		images []*devimg.Image
		given  bool
		want   int
	}{
		{"values", []*devimg.Image{jit, copied}, true, 0},
		{"no values", []*devimg.Image{jit, copied}, false, 1},
		{"no values, the copy first", []*devimg.Image{copied, jit}, false, 0},
		{"values, only the copy", []*devimg.Image{copied}, true, 0},
		{"no copy", []*devimg.Image{jit}, false, 0},
		{"no values, a copy for another target", []*devimg.Image{aot, jit, copied}, false, 0},
		{"values, a copy for another target", []*devimg.Image{aot, copied}, true, 0},
	} {
		s := snapshot([]file{{"a.out", test.images}})
		link, err := new(Resolver).Link(s, Request{Kernel: "k", Accepts: acceptSPIRV, DeviceType: driver.CPU, Extensions: linking, SpecConstants: test.given})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := link.Images[0]; got != s.Images[test.want] {
			t.Errorf("%s: took %v, want image %d", test.name, got, test.want)
		}
	}
}

// TestCompileTargets takes, of images for several architectures of NVIDIA's GPUs, that for the newest
// which the device takes, wherever it stands.
func TestCompileTargets(t *testing.T) {
	compiled := func(name string) *devimg.Image {
		return newImage(kernelK, target("nvptx64"), func(img *devimg.Image) {
			img.Properties.Put(props.SetDeviceRequirements, "compile_target", props.String(name))
		})
	}
	plain := newImage(kernelK, target("nvptx64"))
	for _, test := range []struct {
		name   string
		images []*devimg.Image
		newest string // that the device takes
		want   int
	}{
		{"the device's", []*devimg.Image{compiled("nvidia_gpu_sm_70"), compiled("nvidia_gpu_sm_90"), compiled("nvidia_gpu_sm_80")}, "nvidia_gpu_sm_90", 1},
		{"an older one", []*devimg.Image{compiled("nvidia_gpu_sm_80"), compiled("nvidia_gpu_sm_70"), compiled("nvidia_gpu_sm_90")}, "nvidia_gpu_sm_80", 0},
		{"only an older one", []*devimg.Image{compiled("nvidia_gpu_sm_50"), compiled("nvidia_gpu_sm_90")}, "nvidia_gpu_sm_70", 0},
		{"other names", []*devimg.Image{compiled("intel_gpu_pvc"), plain}, "nvidia_gpu_sm_90", 1},
	} {
		s := snapshot([]file{{"a.out", test.images}})
		accepts := func(img driver.Image) error {
			if strings.HasPrefix(img.CompileTarget, "nvidia_gpu_") && img.CompileTarget > test.newest {
				return errors.New("it is for a newer device")
			}
			return nil
		}
		link, err := new(Resolver).Link(s, Request{Kernel: "k", Accepts: accepts, DeviceType: driver.GPU, Extensions: linking})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := link.Images[0]; got != s.Images[test.want] {
			t.Errorf("%s: took %v, want image %d", test.name, got, test.want)
		}
	}
	s := snapshot([]file{{"a.out", []*devimg.Image{compiled("nvidia_gpu_sm_70"), compiled("nvidia_gpu_sm_90")}}, {"b.so", []*devimg.Image{compiled("nvidia_gpu_sm_80")}}})
	if !Alternatives(s.Images[0], s.Images[1]) || Alternatives(s.Images[0], s.Images[2]) {
		t.Error("the images of one file for two architectures are alternatives, those of two files are not")
	}
}

// TestAlternatives holds that a copy with default values stands beside the images
// of its own file only: definitions of another file are duplicates.
func TestAlternatives(t *testing.T) {
	defaults := func(img *devimg.Image) {
		img.Properties.Put(props.SetMiscProperties, "specConstsReplacedWithDefault", props.Uint32(1))
	}
	s := snapshot([]file{{"a.out", []*devimg.Image{newImage(kernelK), newImage(kernelK, defaults)}}, {"b.so", []*devimg.Image{newImage(kernelK)}}})
	image, copied, other := s.Images[0], s.Images[1], s.Images[2]
	if !Alternatives(image, copied) || Alternatives(copied, other) || Alternatives(image, other) {
		t.Errorf("image and copy %v, copy and another file's %v, image and another file's %v; want true, false, false",
			Alternatives(image, copied), Alternatives(copied, other), Alternatives(image, other))
	}
}

func TestErrorTypes(t *testing.T) {
	app := file{"app", []*devimg.Image{newImage(imports("f"))}}
	link := func(kernel string, files ...file) error {
		_, err := new(Resolver).Link(snapshot(files), Request{Kernel: kernel, Accepts: acceptSPIRV, Extensions: linking})
		return err
	}
	if e, ok := errors.AsType[*UnresolvedError](link("k", app)); !ok || e.Symbol != "f" || e.Kernel != "k" || e.Importer.Owner.Name != "app" || len(e.Refusals) != 1 {
		t.Errorf("unresolved: %+v", e)
	}
	if e, ok := errors.AsType[*NoKernelError](link("x", app)); !ok || e.Kernel != "x" {
		t.Errorf("no kernel: %+v", e)
	}
	broken := file{"broken", []*devimg.Image{newImage(kernelK, code("\x03\x02\x23\x07"))}}
	if e, ok := errors.AsType[*ImageError](link("k", broken)); !ok || e.Image.Owner.Name != "broken" || e.Err == nil {
		t.Errorf("broken: %+v", e)
	}
}

// TestParsedOnce: the symbols of an image are kept until Forget.
func TestParsedOnce(t *testing.T) {
	img := newImage(kernelK)
	counted := &countingCode{Code: img.Code}
	img.Code = counted
	s := snapshot([]file{{"app", []*devimg.Image{img}}})
	var r Resolver
	link := func() {
		if _, err := r.Link(s, Request{Kernel: "k", Accepts: acceptSPIRV, Extensions: linking}); err != nil {
			t.Fatal(err)
		}
	}
	before := counted.whole
	link()
	link()
	if n := counted.whole - before; n != 1 {
		t.Errorf("read %d times; want 1", n)
	}
	r.Forget(s.Images)
	link()
	if n := counted.whole - before; n != 2 {
		t.Errorf("read %d times after Forget; want 2", n)
	}
}

type countingCode struct {
	devimg.Code
	whole int // reads of all of it
}

func (c *countingCode) ReadAt(p []byte, off int64) (int, error) {
	if int64(len(p)) == c.Size() {
		c.whole++
	}
	return c.Code.ReadAt(p, off)
}

// TestDuplicates: of equal definitions one stays, unequal ones are refused.
func TestDuplicates(t *testing.T) {
	both := drivertest.Code{Kernels: []string{"k"}, Imports: []string{"f"}, Exports: []string{"shared"}, VariableExports: []string{"v"}}
	lib := drivertest.Code{Kernels: []string{"k"}, Exports: []string{"f", "shared"}, VariableExports: []string{"v"}}
	unlisted := func(img *devimg.Image) {
		img.Properties = new(props.Sets)
		lists(props.SetExportedSymbols, "f")(img)
	}
	for _, c := range []struct {
		name     string
		app, lib *devimg.Image
		want     []spirv.Trim
	}{
		{
			"equal", newImage(both), newImage(lib),
			[]spirv.Trim{{}, {Import: []string{"v", "shared"}, Kernels: []string{"k"}}},
		},
		{
			"nobody else's in the library", newImage(both), newImage(lib, unlisted),
			[]spirv.Trim{{}, {Import: []string{"v"}, Hide: []string{"shared"}, Kernels: []string{"k"}}},
		},
		{
			"nobody else's in the program", newImage(both, unlisted), newImage(lib),
			[]spirv.Trim{{Hide: []string{"shared"}}, {Import: []string{"v"}, Kernels: []string{"k"}}},
		},
	} {
		s := snapshot([]file{{"app", []*devimg.Image{c.app}}, {"lib", []*devimg.Image{c.lib}}})
		link, err := new(Resolver).Link(s, Request{Kernel: "k", Owner: registry.Owner{Name: "app"}, Accepts: acceptSPIRV, Extensions: linking})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, link.trims); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		linkAll(t, c.name, link)
	}
}

// linkAll checks that the code of a link can be linked as it is given out.
func linkAll(t *testing.T, name string, link *Link) {
	t.Helper()
	var inputs []spirv.Input
	for i, img := range link.Images {
		code, err := link.Code(i)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := spirv.Parse(code)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		inputs = append(inputs, spirv.Input{Name: img.String(), Module: m})
	}
	if _, err := spirv.Link(inputs, spirv.LinkOptions{}); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func TestConflict(t *testing.T) {
	// The later "shared" calls something, the earlier does not.
	first := newImage(drivertest.Code{Kernels: []string{"k"}, Imports: []string{"f"}, Exports: []string{"shared"}})
	second := newImage(drivertest.Code{Exports: []string{"f", "shared"}, Calls: true})
	s := snapshot([]file{{"app", []*devimg.Image{first}}, {"lib", []*devimg.Image{second}}})
	_, err := new(Resolver).Link(s, Request{Kernel: "k", Accepts: acceptSPIRV, Extensions: linking})
	e, ok := errors.AsType[*ConflictError](err)
	if !ok || e.Symbol != "shared" || e.Images[0].Owner.Name != "app" || e.Images[1].Owner.Name != "lib" {
		t.Fatalf("got %v", err)
	}
	want := "kernel k needs two images that define shared differently: app: image 0 (spir64, spirv) and lib: image 0 (spir64, spirv); give one of the two another name"
	if err.Error() != want {
		t.Errorf("got %v; want %s", err, want)
	}
}

// TestWeak: of definitions that differ, a weak one gives way to any other, and
// to an earlier weak one.
func TestWeak(t *testing.T) {
	for _, c := range []struct {
		name     string
		app, lib drivertest.Code
		want     []spirv.Trim
	}{
		{
			"both weak",
			drivertest.Code{Weak: []string{"shared"}},
			drivertest.Code{Exports: []string{"f"}, Weak: []string{"shared"}},
			[]spirv.Trim{{Strong: true}, {Import: []string{"shared"}, Strong: true}},
		},
		{
			"the first weak",
			drivertest.Code{Weak: []string{"shared"}},
			drivertest.Code{Exports: []string{"f", "shared"}},
			[]spirv.Trim{{Import: []string{"shared"}, Strong: true}, {}},
		},
		{
			"the second weak",
			drivertest.Code{Exports: []string{"shared"}},
			drivertest.Code{Exports: []string{"f"}, Weak: []string{"shared"}},
			[]spirv.Trim{{}, {Import: []string{"shared"}, Strong: true}},
		},
	} {
		c.app.Kernels, c.app.Imports = []string{"k"}, []string{"f"}
		c.lib.Calls = true // so that the two definitions differ
		first, second := newImage(c.app), newImage(c.lib)
		s := snapshot([]file{{"app", []*devimg.Image{first}}, {"lib", []*devimg.Image{second}}})
		r := new(Resolver)
		link, err := r.Link(s, Request{Kernel: "k", Owner: registry.Owner{Name: "app"}, Accepts: acceptSPIRV, Extensions: linking})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, link.trims); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		linkAll(t, c.name, link)
		for i := range link.Images {
			code, err := link.Code(i)
			if err != nil {
				t.Fatal(err)
			}
			if m, err := spirv.Parse(code); err != nil || slices.Contains(m.Capabilities(), "WeakLinkageAMD") || len(m.Extensions()) > 0 {
				t.Errorf("%s: image %d declares weak linkage: %v, %v, %v", c.name, i, m.Capabilities(), m.Extensions(), err)
			}
		}
		if same, known := r.SameDefinition(s.Images[0], s.Images[1], "shared"); !same || !known {
			t.Errorf("%s: the definitions are reported as different", c.name)
		}
	}
}

// TestLinkingAbility: a device that does not link takes kernels that need no
// second image, and names the two images of the others.
func TestLinkingAbility(t *testing.T) {
	files := []file{
		{"app", []*devimg.Image{newImage(imports("f")), newImage(drivertest.Code{Kernels: []string{"alone"}})}},
		{"lib", []*devimg.Image{newImage(exports("f"))}},
	}
	for _, c := range []struct {
		kernel     string
		extensions []string
		refused    bool
	}{
		{"k", nil, true},
		{"k", []string{"pi_ext_spirv64_gen_linking"}, true},
		{"k", linking, false},
		{"alone", nil, false},
	} {
		_, err := new(Resolver).Link(snapshot(files), Request{Kernel: c.kernel, Accepts: acceptSPIRV, Extensions: c.extensions})
		e, ok := errors.AsType[*LinkingError](err)
		switch {
		case ok != c.refused || !ok && err != nil:
			t.Errorf("%s with %v: %v", c.kernel, c.extensions, err)
		case ok && (e.Symbol != "f" || e.Images[0].Owner.Name != "app" || e.Images[1].Owner.Name != "lib" || !strings.Contains(err.Error(), "pi_ext_spirv64_linking")):
			t.Errorf("%s: %v", c.kernel, err)
		}
	}
	for name, extension := range map[string]string{
		"spir64": "pi_ext_spirv64_linking", "spir64_x86_64": "pi_ext_spirv64_x86_64_linking",
		"spir64_gen": "pi_ext_spirv64_gen_linking", "spir64_fpga": "pi_ext_spirv64_fpga_linking",
	} {
		of := snapshot([]file{{"app", []*devimg.Image{newImage(imports("f"), target(name))}}, {"lib", []*devimg.Image{newImage(exports("f"), target(name))}}})
		for _, able := range []string{"pi_ext_spirv64_linking", "pi_ext_spirv64_x86_64_linking", "pi_ext_spirv64_gen_linking", "pi_ext_spirv64_fpga_linking"} {
			_, err := new(Resolver).Link(of, Request{Kernel: "k", Accepts: acceptSPIRV, Extensions: []string{able}})
			if (err == nil) != (able == extension) {
				t.Errorf("images for %s, a device with %s: %v", name, able, err)
			}
		}
	}
	// Targets that no extension string is for are the driver's to refuse.
	nvptx := []file{{"app", []*devimg.Image{newImage(imports("f"), target("nvptx64"))}}, {"lib", []*devimg.Image{newImage(exports("f"), target("nvptx64"))}}}
	if _, err := new(Resolver).Link(snapshot(nvptx), Request{Kernel: "k", Accepts: func(driver.Image) error { return nil }}); err != nil {
		t.Error(err)
	}
}

// TestMainByDeviceType: a device prefers the first image that was compiled for its type, and
// without one takes the last for any device, as DPC++'s plugins do.
func TestMainByDeviceType(t *testing.T) {
	all := []string{"spir64_gen", "spir64_fpga", "spir64", "spir64_x86_64", "spir64_gen", "spir64", "spir64_fpga", "spir64_x86_64"}
	for _, c := range []struct {
		targets []string
		kind    driver.Type
		want    int
	}{
		{all, driver.CPU, 3},
		{all, driver.GPU, 0},
		{all, driver.Accelerator, 1},
		{[]string{"spir64", "spir64", "spir64_x86_64"}, driver.GPU, 1},
		{[]string{"spir64", "spir64_gen", "spir64", "spir64_gen"}, driver.Accelerator, 2},
	} {
		var images []*devimg.Image
		for _, name := range c.targets {
			images = append(images, newImage(kernelK, target(name)))
		}
		link, err := new(Resolver).Link(snapshot([]file{{"app", images}}), Request{Kernel: "k", DeviceType: c.kind, Accepts: acceptSPIRV, Extensions: linking})
		if err != nil || link.Images[0].Index != c.want {
			t.Errorf("%v of %v: %v, %v; want image %d", c.kind, c.targets, link, err, c.want)
		}
	}
}

func TestOtherDefinitions(t *testing.T) {
	same := drivertest.Code{Exports: []string{"g", "f"}}
	other := drivertest.Code{Exports: []string{"g", "f"}, Calls: true} // here f calls g
	s := snapshot([]file{
		{"app", []*devimg.Image{newImage(imports("f"))}},
		{"first", []*devimg.Image{newImage(same)}},
		{"equal", []*devimg.Image{newImage(same)}},
		{"other", []*devimg.Image{newImage(other)}},
		{"elsewhere", []*devimg.Image{newImage(other, target("spir64_x86_64"))}},
	})
	var r Resolver
	link, err := r.Link(s, Request{Kernel: "k", Accepts: acceptSPIRV, Extensions: linking})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range r.Duplicates(s, link) {
		got = append(got, d.String())
	}
	want := []string{"f is defined differently by first: image 0 (spir64, spirv), which is taken, and by other: image 0 (spir64, spirv)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkLink resolves a kernel that needs another library, among 10,000
// images with 100,000 symbols.
func BenchmarkLink(b *testing.B) {
	var reg registry.Registry
	for i := range 10000 {
		c := drivertest.Code{}
		for j := range 5 {
			c.Kernels = append(c.Kernels, fmt.Sprintf("_ZTS6KernelILi%dELi%dEE", i, j))
			c.Exports = append(c.Exports, fmt.Sprintf("_Z8functionILi%dELi%dEEvPi", i, j))
		}
		c.Imports = []string{fmt.Sprintf("_Z8functionILi%dELi0EEvPi", (i+1)%5+i/5*5)}
		reg.Add(registry.Owner{ID: uint64(i), Name: "lib"}, []*devimg.Image{newImage(c)})
	}
	s := reg.Snapshot()
	var r Resolver
	request := Request{Kernel: "_ZTS6KernelILi5000ELi3EE", Accepts: acceptSPIRV, Extensions: linking}
	if link, err := r.Link(s, request); err != nil || len(link.Images) != 5 {
		b.Fatal(link, err)
	}
	for b.Loop() {
		if _, err := r.Link(s, request); err != nil {
			b.Fatal(err)
		}
	}
}

// bfloat16 marks an image as a form of the device library of conversions.
func bfloat16(native uint32) edit {
	return func(img *devimg.Image) {
		img.Properties.Put(props.SetDevicelibMetadata, "bfloat16", props.Uint32(native))
	}
}

// TestBFloat16Library: a program carries both forms of the library, in any
// order; the device's extensions choose, and nobody is warned.
func TestBFloat16Library(t *testing.T) {
	const symbol = "__devicelib_ConvertFToBF16INTEL"
	program := newImage(drivertest.Code{Kernels: []string{"k"}, Imports: []string{symbol}})
	native := newImage(drivertest.Code{Exports: []string{symbol}}, bfloat16(1))
	emulated := newImage(drivertest.Code{Exports: []string{"other", symbol}, Calls: true}, bfloat16(0))
	withExtension := append([]string{bfloat16Extension}, linking...)
	for _, c := range []struct {
		name       string
		images     []*devimg.Image
		extensions []string
		want       *devimg.Image
	}{
		{"without the extension", []*devimg.Image{program, native, emulated}, linking, emulated},
		{"emulated first", []*devimg.Image{program, emulated, native}, withExtension, native},
		{"native first", []*devimg.Image{program, native, emulated}, withExtension, native},
		{"emulated alone", []*devimg.Image{program, emulated}, withExtension, emulated},
		{"native alone", []*devimg.Image{program, native}, linking, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r Resolver
			s := snapshot([]file{{"a", c.images}})
			link, err := r.Link(s, Request{Kernel: "k", Accepts: acceptSPIRV, Extensions: c.extensions})
			if c.want == nil {
				if err == nil || !strings.Contains(err.Error(), bfloat16Extension) {
					t.Fatalf("%v, want an error about %s", err, bfloat16Extension)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := link.Images[1].Image; got != c.want {
				t.Errorf("linked with %v", link.Images[1])
			}
			if list := r.Duplicates(s, link); len(list) != 0 {
				t.Errorf("warned of %v", list)
			}
		})
	}
}
