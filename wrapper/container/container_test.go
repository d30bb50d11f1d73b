package container

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/internal/testtool"
	"offlink/props"
	"offlink/wrapper/devimg"
)

// shown has the fields of an entry that a test compares.
type shown struct {
	Arch    string
	Kind    devimg.Kind
	Format  devimg.Format
	Target  string
	Name    string
	Code    string
	Entries []string
	Strings []String
}

func show(t testing.TB, data []byte) []shown {
	t.Helper()
	entries, err := Read(data, NewBudget(0))
	if err != nil {
		t.Fatal(err)
	}
	var list []shown
	for _, e := range entries {
		if e.Offset >= 0 && !bytes.Equal(data[e.Offset:][:len(e.Data)], e.Data) {
			t.Errorf("entry %s is not at %#x", e.Name, e.Offset)
		}
		list = append(list, shown{e.Arch, e.Kind, e.Format, e.Target, e.Name, string(e.Data), e.Entries, e.Strings})
	}
	return list
}

func check(t testing.TB, data []byte, want []shown) {
	t.Helper()
	if diff := cmp.Diff(want, show(t, data)); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// checkReplace replaces and removes every entry and reads the result.
func checkReplace(t testing.TB, data []byte) {
	t.Helper()
	before := show(t, data)
	for n := range before {
		for _, code := range []string{"x", strings.Repeat("longer ", 1000)} {
			want := append([]shown{}, before...)
			want[n].Code = code
			pieces, err := Replace(data, n, devimg.Bytes([]byte(code)), NewBudget(0))
			if err != nil {
				t.Fatal(err)
			}
			whole, _ := join(pieces)
			check(t, whole, want)
		}
		pieces, err := Replace(data, n, nil, NewBudget(0))
		if err != nil {
			t.Fatal(err)
		}
		whole, _ := join(pieces)
		if rest := append(before[:n:n], before[n+1:]...); len(rest) > 0 {
			check(t, whole, rest)
		}
	}
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	testtool.Need(t, name)
	c := exec.Command(name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

func files(t *testing.T, contents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestOffloadPackager(t *testing.T) {
	dir := files(t, map[string]string{"a.spv": "first code", "b.cubin": "second"})
	run(t, dir, "clang-offload-packager-19", "-o", "out.bin",
		"--image=file=a.spv,triple=spir64-unknown-unknown,arch=,kind=openmp,compile-opts=-O2",
		"--image=file=b.cubin,triple=nvptx64-nvidia-cuda,arch=sm_70,kind=cuda")
	data := read(t, dir, "out.bin")
	check(t, data, []shown{
		{Kind: devimg.KindOpenMP, Target: "spir64-unknown-unknown", Name: "spir64-unknown-unknown", Code: "first code"},
		{
			Kind: devimg.KindCUDA, Format: devimg.FormatNative, Target: "nvptx64-nvidia-cuda", Name: "nvptx64-nvidia-cuda", Code: "second",
			Arch: "sm_70",
		},
	})
	checkReplace(t, data)
}

func TestOffloadPackagerReadsOurs(t *testing.T) {
	parts := []offloadPart{{head: []byte{1, 0, 4, 0, 0, 0, 0, 0}, strings: []String{{"triple", "amdgcn-amd-amdhsa"}, {"arch", "gfx906"}}, code: devimg.Bytes([]byte("the code"))}}
	whole, _ := join(encodeOffload(1, parts))
	dir := files(t, map[string]string{"in.bin": string(whole)})
	run(t, dir, "clang-offload-packager-19", "in.bin", "--image=file=out.o,triple=amdgcn-amd-amdhsa,arch=gfx906")
	if got := read(t, dir, "out.o"); string(got) != "the code" {
		t.Errorf("clang-offload-packager took out %q", got)
	}
}

func offloadParts() []offloadPart {
	return []offloadPart{
		{head: []byte{6, 0, 8, 0, 0, 0, 0, 0}, code: devimg.Bytes([]byte("SPIR-V")), strings: []String{
			{"triple", "spirv64"}, {"symbols", "one\x00two\x00"}, {"link-opts", "-l"},
		}},
		{head: []byte{0, 0, 8, 0, 1, 0, 0, 0}, code: devimg.Bytes(nil), strings: []String{{"about", "all"}}}, // no image
		{head: []byte{2, 0, 1, 0, 0, 0, 0, 0}, code: devimg.Bytes([]byte("bitcode")), strings: []String{
			{"triple", "amdgcn"}, {"symbols", "a\nb"},
		}},
	}
}

var offloadShown = []shown{
	{Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spirv64", Name: "spirv64", Code: "SPIR-V", Entries: []string{"one", "two"}},
	{Kind: devimg.KindOpenMP, Format: devimg.FormatLLVMBitcode, Target: "amdgcn", Name: "amdgcn", Code: "bitcode", Entries: []string{"a", "b"}},
}

func TestOffloadBinaryVersions(t *testing.T) {
	for _, version := range []uint32{2, 3} {
		whole, _ := join(encodeOffload(version, offloadParts()))
		check(t, whole, offloadShown)
		checkReplace(t, whole)
		check(t, append(bytes.Clone(whole), whole...), append(offloadShown[:2:2], offloadShown...))
		checkReplace(t, append(bytes.Clone(whole), whole...))
	}
}

// compressed is an OffloadBinary of version 3 with its entries compressed.
func compressed(t testing.TB, isZstd bool) []byte {
	t.Helper()
	whole, _ := join(encodeOffload(3, offloadParts()))
	packed, err := packedBytes(whole[offloadHeaderSize3:], isZstd)
	if err != nil {
		t.Fatal(err)
	}
	header := bytes.Clone(whole[:offloadHeaderSize3])
	binary.LittleEndian.PutUint64(header[32:], uint64(len(whole)))
	binary.LittleEndian.PutUint64(header[8:], uint64(len(header)+len(packed)))
	return append(header, packed...)
}

func TestOffloadBinaryCompressed(t *testing.T) {
	for _, isZstd := range []bool{true, false} {
		data := compressed(t, isZstd)
		check(t, data, offloadShown)
		checkReplace(t, data)
	}
}

func TestBundler(t *testing.T) {
	dir := files(t, map[string]string{
		"host.bc": "BC\xc0\xdehost", "a.bc": "BC\xc0\xdefirst", "b.bc": "BC\xc0\xdesecond",
		"host.s": "host text\n", "a.s": "first text\nof two lines\n", "b.s": "",
	})
	targets := "-targets=host-x86_64-unknown-linux-gnu,hip-amdgcn-amd-amdhsa--gfx906,openmp-spir64-unknown-unknown"
	want := func(host, a, b string) []shown {
		return []shown{
			// The tool fills triples up with dashes.
			{Kind: devimg.KindHost, Target: "x86_64-unknown-linux-gnu-", Name: "host-x86_64-unknown-linux-gnu-", Code: host},
			{Arch: "gfx906", Kind: devimg.KindHIP, Target: "amdgcn-amd-amdhsa--gfx906", Name: "hip-amdgcn-amd-amdhsa--gfx906", Code: a},
			{Kind: devimg.KindOpenMP, Target: "spir64-unknown-unknown--", Name: "openmp-spir64-unknown-unknown--", Code: b},
		}
	}
	for _, test := range []struct {
		name string
		args []string
	}{
		{"binary", nil},
		{"aligned", []string{"-bundle-align=4096"}},
		{"compressed", []string{"-compress"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			run(t, dir, "clang-offload-bundler-19", append(test.args, "-type=bc", targets, "-input=host.bc", "-input=a.bc", "-input=b.bc", "-output=out.bc")...)
			data := read(t, dir, "out.bc")
			check(t, data, want("BC\xc0\xdehost", "BC\xc0\xdefirst", "BC\xc0\xdesecond"))
			checkReplace(t, data)
		})
	}
	t.Run("text", func(t *testing.T) {
		run(t, dir, "clang-offload-bundler-19", "-type=s", targets, "-input=host.s", "-input=a.s", "-input=b.s", "-output=out.s")
		data := read(t, dir, "out.s")
		check(t, data, want("host text\n", "first text\nof two lines\n", ""))
		pieces, err := Replace(data, 1, nil, NewBudget(0))
		if err != nil {
			t.Fatal(err)
		}
		whole, _ := join(pieces)
		all := want("host text\n", "", "")
		check(t, whole, []shown{all[0], all[2]})
	})
}

// TestBundlerReadsOurs lets the reference tool take a bundle apart that was
// made anew.
func TestBundlerReadsOurs(t *testing.T) {
	ids := []string{"host-x86_64-unknown-linux-gnu-", "openmp-spir64-unknown-unknown--"}
	whole, _ := join(encodeBundle(ids, []devimg.Code{devimg.Bytes([]byte("BC\xc0\xdeh")), devimg.Bytes([]byte("BC\xc0\xded"))}, 16))
	packed, err := packedBytes(whole, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []uint16{0, 2} { // LLVM 20 reads 3
		in := whole
		if version > 0 {
			head, err := encodeCCOB(version, 1, int64(len(whole)), int64(len(packed)), make([]byte, 16))
			if err != nil {
				t.Fatal(err)
			}
			in = append(head, packed...)
		}
		dir := files(t, map[string]string{"in.bc": string(in)})
		run(t, dir, "clang-offload-bundler-19", "-unbundle", "-type=bc", "-targets=openmp-spir64-unknown-unknown", "-input=in.bc", "-output=out.bc")
		if got := read(t, dir, "out.bc"); string(got) != "BC\xc0\xded" {
			t.Errorf("version %d: clang-offload-bundler took out %q", version, got)
		}
	}
}

func TestCompressedVersions(t *testing.T) {
	whole, _ := join(encodeBundle([]string{"sycl-spir64"}, []devimg.Code{devimg.Bytes([]byte("code"))}, 1))
	packed, err := packedBytes(whole, true)
	if err != nil {
		t.Fatal(err)
	}
	for version := uint16(1); version <= 3; version++ {
		head, err := encodeCCOB(version, 1, int64(len(whole)), int64(len(packed)), make([]byte, 16))
		if err != nil {
			t.Fatal(err)
		}
		one := append(head, packed...)
		want := shown{Kind: devimg.KindSYCL, Target: "spir64", Name: "sycl-spir64", Code: "code"}
		check(t, one, []shown{want})
		checkReplace(t, one)
		if version > 1 { // version 1 does not say where it ends
			check(t, append(bytes.Clone(one), one...), []shown{want, want})
		}
	}
}

// syclbin makes a SYCLBIN of version 1: two abstract modules, the first with
// an IR module and a native image, the second with an IR module.
func syclbin(t testing.TB) []byte {
	t.Helper()
	text := func(set, name string, v props.Value) []byte {
		sets := &props.Sets{}
		sets.Put(set, name, v)
		b, err := sets.Text()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var metadata, code, headers []byte
	u := binary.LittleEndian
	put := func(table *[]byte, b []byte) []byte {
		at := len(*table)
		*table = append(*table, b...)
		*table = append(*table, make([]byte, -len(*table)&7)...)
		return u.AppendUint64(u.AppendUint64(nil, uint64(at)), uint64(len(b)))
	}
	global := put(&metadata, text(props.SetSYCLBINGlobalMetadata, "state", props.Uint32(0)))
	abstract := func(names string, ir, firstIR, native, firstNative uint32) {
		headers = append(headers, put(&metadata, text(props.SetKernelNames, names, props.Uint32(1)))...)
		for _, v := range []uint32{ir, firstIR, native, firstNative} {
			headers = u.AppendUint32(headers, v)
		}
	}
	abstract("first", 1, 0, 1, 0)
	abstract("second", 1, 1, 0, 1)
	module := func(meta []byte, bytes string) {
		headers = append(headers, put(&metadata, meta)...)
		headers = append(headers, put(&code, []byte(bytes))...)
	}
	module(text(props.SetSYCLBINModuleMetadata, "type", props.Uint32(0)), "first SPIR-V")
	module(text(props.SetSYCLBINModuleMetadata, "type", props.Uint32(1)), "second PTX")
	module(text(props.SetSYCLBINNativeMetadata, "arch", props.String("intel_gpu_pvc")), "native")
	file := u.AppendUint32(nil, syclbinMagic)
	for _, v := range []uint32{1, 2, 2, 1, 0} {
		file = u.AppendUint32(file, v)
	}
	file = u.AppendUint64(u.AppendUint64(file, uint64(len(metadata))), uint64(len(code)))
	return append(append(append(append(file, global...), headers...), metadata...), code...)
}

var syclbinShown = []shown{
	{Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64", Name: "spir64", Code: "first SPIR-V", Entries: []string{"first"}},
	{Arch: "intel_gpu_pvc", Kind: devimg.KindSYCL, Format: devimg.FormatNative, Target: "intel_gpu_pvc", Name: "intel_gpu_pvc", Code: "native", Entries: []string{"first"}},
	{Kind: devimg.KindSYCL, Target: "nvptx64", Name: "nvptx64", Code: "second PTX", Entries: []string{"second"}},
}

func TestSYCLBIN(t *testing.T) {
	data := syclbin(t)
	check(t, data, syclbinShown)
	checkReplace(t, data)
	entries, err := Read(data, NewBudget(0))
	if err != nil {
		t.Fatal(err)
	}
	var sets []string
	for _, s := range entries[1].Properties.All {
		sets = append(sets, s.Name)
	}
	want := []string{props.SetKernelNames, props.SetSYCLBINNativeMetadata, props.SetSYCLBINGlobalMetadata}
	if diff := cmp.Diff(want, sets); diff != "" {
		t.Errorf("sets (-want +got):\n%s", diff)
	}
}

func TestSYCLBINVersion2(t *testing.T) {
	prefixed := func(meta, code string) devimg.Code {
		return devimg.Bytes(append(binary.LittleEndian.AppendUint64(nil, uint64(len(meta))), meta+code...))
	}
	part := func(code devimg.Code, strings ...string) offloadPart {
		p := offloadPart{head: []byte{7, 0, 8, 0, 0, 0, 0, 0}, code: code}
		for i := 0; i < len(strings); i += 2 {
			p.strings = append(p.strings, String{strings[i], strings[i+1]})
		}
		return p
	}
	whole, _ := join(encodeOffload(2, []offloadPart{
		part(devimg.Bytes([]byte("[SYCLBIN/global metadata]\nstate=1|0\n")), "role", "global_metadata"),
		part(devimg.Bytes([]byte("[SYCL/kernel names]\nk=1|1\n")), "role", "am_metadata", "am_index", "0"),
		part(prefixed("[SYCLBIN/ir module metadata]\ntype=1|0\n", "the IR"), "role", "ir", "am_index", "0", "triple", "spir64-unknown-unknown"),
		part(prefixed("", "the code"), "role", "native", "am_index", "0", "triple", "spir64_gen"),
	}))
	want := []shown{
		{Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64", Name: "spir64", Code: "the IR", Entries: []string{"k"}},
		{Kind: devimg.KindSYCL, Format: devimg.FormatNone, Code: "the code", Entries: []string{"k"}},
	}
	check(t, whole, want)
	checkReplace(t, whole)
}

func TestErrors(t *testing.T) {
	v2, _ := join(encodeOffload(2, offloadParts()))
	bundle, _ := join(encodeBundle([]string{"sycl-spir64"}, []devimg.Code{devimg.Bytes([]byte("code"))}, 1))
	patch := func(data []byte, at int, v uint64) []byte {
		data = bytes.Clone(data)
		binary.LittleEndian.PutUint64(data[at:], v)
		return data
	}
	sb := syclbin(t)
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, ""},
		{"text", []byte("text"), "no envelope"},
		{"version", patch(v2, 4, 4), "version 4"},
		{"size", patch(v2, 8, 1<<40), "the whole"},
		{"entries", patch(v2, 24, 1<<60), "entries: 1152921504606846976 records"},
		{"image", patch(v2, offloadHeaderSize+24, 1<<50), "entry 0"},
		{"strings", patch(v2, offloadHeaderSize+16, 1<<50), "entry 0"},
		{"bundle entries", patch(bundle, len(BundleMagic), 1<<40), "entry"},
		{"bundle code", patch(bundle, len(BundleMagic)+8, 1<<40), "code"},
		{"bundle id", patch(bundle, len(BundleMagic)+24, 1<<63), "id"},
		{"text without end", []byte("# " + bundleStart + "a\nxyz"), "no end delimiter"},
		{"CCOB version", []byte("CCOB\x09\x00\x01\x00"), "version 9"},
		{"CCOB size", []byte("CCOB\x03\x00\x01\x00" + strings.Repeat("\xff", 24)), "a size of"},
		{"SYCLBIN version", patch(sb, 4, 9), "version 9"},
		{"SYCLBIN modules", patch(sb, 8, 1<<31), "abstract module headers"},
		{"SYCLBIN code", patch(sb, 32, 1<<60), "the code table"},
		{"SYCLBIN metadata", patch(sb, 40, 1<<60), "metadata of"},
		{"rubbish after", append(bytes.Clone(v2), "rubbish"...), "not another envelope"},
	} {
		entries, err := Read(test.data, NewBudget(0))
		if test.want == "" {
			if err != nil || len(entries) > 0 {
				t.Errorf("%s: %d entries, %v", test.name, len(entries), err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: Read = %v, want %q", test.name, err, test.want)
		}
	}
}

// TestBomb inflates a gigabyte of zeros under a limit, and checks that memory
// follows the limit.
func TestBomb(t *testing.T) {
	for _, isZstd := range []bool{true, false} {
		bomb, err := packedBytes(make([]byte, 64<<20), isZstd)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewBudget(1<<20).inflate(nil, bomb, 64<<20); err != ErrBudget {
			t.Errorf("inflate(64 MiB, limit 1 MiB) = %v, want %v", err, ErrBudget)
		}
		for name, b := range map[string]*Budget{"held": NewBudget(100 << 20), "in files": NewScratchBudget(100 << 20)} {
			out, err := b.inflate([]byte("first"), bomb, 64<<20+5)
			if err != nil || len(out.data) != 64<<20+5 || string(out.data[:6]) != "first\x00" || out.code.Size() != 64<<20+5 {
				t.Errorf("%s: inflate(64 MiB, limit 100 MiB) = %d bytes, %v", name, len(out.data), err)
			}
			if _, err := b.inflate(nil, bomb, 64<<20); err != ErrBudget {
				t.Errorf("%s: inflate again of what is left = %v, want %v", name, err, ErrBudget)
			}
			b.Close()
		}
		// The promise of the header is a limit, and is not trusted.
		if _, err := NewBudget(0).inflate(nil, bomb, 100); err == nil || !strings.Contains(err.Error(), "past the 100 bytes") {
			t.Errorf("inflate of a bomb that promises 100 bytes = %v", err)
		}
		if _, err := NewBudget(0).inflate(nil, bomb, 65<<20); err == nil || !strings.Contains(err.Error(), "the header says") {
			t.Errorf("inflate of less than is promised = %v", err)
		}
	}
}

// TestInflatedCode reads compressed code in order, back and forth, and past
// the size that its headers promise.
func TestInflatedCode(t *testing.T) {
	plain := make([]byte, 3<<20)
	for i := range plain {
		plain[i] = byte(i * i >> 8)
	}
	one := zstdOf(t, plain)
	two := append(bytes.Clone(one), zstdOf(t, []byte("tail"))...)
	streamed, err := packedBytes(plain, true) // without its size
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ packed, want []byte }{
		"one frame": {one, plain}, "two frames": {two, append(bytes.Clone(plain), "tail"...)}, "no size": {streamed, plain},
	} {
		c, err := InflateImage(devimg.Bytes(test.packed), NewBudget(0))
		if err != nil || c.Size() != int64(len(test.want)) {
			t.Fatalf("%s: %v", name, err)
		}
		for _, off := range []int64{0, 5, 1 << 20, 77, c.Size() - 9} {
			p := make([]byte, 1000)
			n, err := c.ReadAt(p, off)
			if want := test.want[off:min(off+1000, c.Size())]; !bytes.Equal(p[:n], want) || err != nil && err != io.EOF {
				t.Errorf("%s: ReadAt(%d) = %d bytes, %v", name, off, n, err)
			}
		}
		var out bytes.Buffer
		if err := devimg.Copy(&out, c); err != nil || !bytes.Equal(out.Bytes(), test.want) {
			t.Errorf("%s: Copy: %v", name, err)
		}
		if _, err := InflateImage(devimg.Bytes(test.packed), NewBudget(1<<20)); err != ErrBudget {
			t.Errorf("%s: over the limit: %v", name, err)
		}
	}
	damaged := bytes.Clone(one)
	damaged[len(damaged)-1] ^= 1 // the checksum
	c, err := InflateImage(devimg.Bytes(damaged), NewBudget(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := devimg.Copy(io.Discard, c); err == nil {
		t.Error("Copy of damaged code: no error")
	}
	if _, err := io.Copy(io.Discard, io.NewSectionReader(c, 0, c.Size())); err == nil {
		t.Error("reading damaged code: no error")
	}
}

func TestUncompress(t *testing.T) {
	code := bytes.Repeat([]byte("code "), 100)
	packed, err := packedBytes(code, true)
	if err != nil {
		t.Fatal(err)
	}
	img := &devimg.Image{Format: devimg.FormatCompressedNone, Code: devimg.Bytes(packed), Properties: &props.Sets{}}
	img.Properties.Put("other", "x", props.Uint32(1))
	img.Properties.Put(props.SetOfflinkImage, props.ImageFormat, props.Uint32(2))
	img.Properties.Put(props.SetOfflinkImage, props.ImageSize, props.Uint64s(uint64(len(code))))
	plain, err := Uncompress(img, NewBudget(0))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := devimg.ReadCode(plain.Code)
	if !bytes.Equal(got, code) || plain.Format != devimg.FormatSPIRV || len(plain.Properties.All) != 1 {
		t.Errorf("Uncompress = %q, %v, %d sets", got, plain.Format, len(plain.Properties.All))
	}
	if has, err := VerifyDigest(img, NewBudget(0)); has || err != nil {
		t.Errorf("VerifyDigest without digest = %v, %v", has, err)
	}
	img.Properties.Put(props.SetOfflinkImage, props.ImageSHA256, props.Bytes(make([]byte, 32)))
	_, err = VerifyDigest(img, NewBudget(0))
	if _, ok := err.(*DigestError); !ok {
		t.Errorf("VerifyDigest with a wrong digest = %v, want a DigestError", err)
	}
	img.Properties.Put(props.SetOfflinkImage, props.ImageSize, props.Uint64s(1))
	if _, err := Uncompress(img, NewBudget(0)); err == nil {
		t.Error("Uncompress with a wrong size succeeded")
	}
	head := make([]byte, 7)
	for range 2 {
		if n, err := Peek(devimg.Bytes(packed), head); n != 7 || err != nil || string(head) != "code co" {
			t.Errorf("Peek = %d, %q, %v", n, head, err)
		}
	}
	if _, err := Peek(devimg.Bytes(code), head); err == nil {
		t.Error("Peek of code that is not zstd succeeded")
	}
}

func FuzzContainer(f *testing.F) {
	for version := uint32(1); version <= 3; version++ {
		whole, _ := join(encodeOffload(version, offloadParts()[:1]))
		f.Add(whole)
	}
	f.Add(compressed(f, true))
	bundle, _ := join(encodeBundle([]string{"sycl-spir64", "host-"}, []devimg.Code{devimg.Bytes([]byte("code")), devimg.Bytes(nil)}, 8))
	f.Add(bundle)
	packed, _ := packedBytes(bundle, false)
	head, _ := encodeCCOB(2, 0, int64(len(bundle)), int64(len(packed)), make([]byte, 16))
	f.Add(append(head, packed...))
	f.Add([]byte("; " + bundleStart + "sycl-x\ntext\n\n; " + bundleEnd + "sycl-x\n"))
	f.Add(syclbin(f))
	f.Add(append(fatBinary(), fatBinary()...))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := Read(data, NewBudget(1<<20))
		if err != nil {
			return
		}
		for i := range entries {
			e := &entries[i]
			if e.Offset >= 0 && string(data[e.Offset:][:len(e.Data)]) != string(e.Data) {
				t.Fatalf("entry %d is not at %#x", i, e.Offset)
			}
			if i > 3 {
				continue
			}
			for _, replace := range []func([]byte, int, devimg.Code, *Budget) ([]devimg.Code, error){Replace, replaceInPlace} {
				pieces, err := replace(data, i, devimg.Bytes([]byte("new")), NewBudget(1<<20))
				if err != nil {
					continue
				}
				if _, err := join(pieces); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
