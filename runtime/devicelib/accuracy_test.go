package devicelib_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime"
	"offlink/runtime/backends"
	"offlink/runtime/driver"
	"offlink/runtime/registry"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// program is kernels that call functions of the library, on the embedded
// device.
type program struct {
	t       *testing.T
	runtime *runtime.Runtime
	device  *runtime.Device
	queue   driver.Queue
}

// compile makes SPIR-V of OpenCL C and registers it.
func compile(t *testing.T, source string) *program {
	t.Helper()
	compiler := testtool.OpenCLCompiler(t)
	base := filepath.Join(t.TempDir(), "k")
	if err := os.WriteFile(base+".cl", []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]string{
		append([]string{compiler.Clang, "--target=spir64-unknown-unknown", "-cl-std=CL3.0", "-O1", "-fno-builtin", "-c", "-emit-llvm", "-o", base + ".bc", base + ".cl"}, compiler.Options...),
		{compiler.Translator, "--spirv-max-version=1.1", "-o", base + ".spv", base + ".bc"},
	} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c[0], err, out)
		}
	}
	code, err := os.ReadFile(base + ".spv")
	if err != nil {
		t.Fatal(err)
	}
	img := &devimg.Image{Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64", Code: devimg.Bytes(code), HasEntries: true}
	if img.Entries, err = wrapper.KernelNames(img); err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, runtime: runtime.New(backends.Open(backends.Options{}))}
	t.Cleanup(func() { p.runtime.Shutdown() })
	p.runtime.Register(registry.Owner{Name: "test"}, []*devimg.Image{img})
	if p.device, err = p.runtime.Device("host"); err != nil {
		t.Fatal(err)
	}
	if p.queue, err = p.device.NewQueue(driver.QueueOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.queue.Close() })
	return p
}

// launch runs a kernel with a work-item for each group of the input, of
// size bytes, and returns as many bytes of output.
func (p *program) launch(kernel string, input []byte, size int) []byte {
	p.t.Helper()
	program, err := p.runtime.Program(context.Background(), p.device, runtime.KernelRef{Name: kernel})
	p.check(err)
	defer program.Close()
	k, err := program.Kernel()
	p.check(err)
	defer k.Close()
	in, err := p.device.Alloc(driver.DeviceMemory, int64(len(input)))
	p.check(err)
	defer in.Close()
	out, err := p.device.Alloc(driver.DeviceMemory, int64(len(input)))
	p.check(err)
	defer out.Close()
	p.check(p.queue.Write(in, 0, input, driver.Sync{Block: true}))
	p.check(k.Launch(p.queue, driver.Range{Global: []int{len(input) / size}}, []driver.Arg{{Memory: out}, {Memory: in}}, driver.Sync{Block: true}))
	result := make([]byte, len(input))
	p.check(p.queue.Read(out, 0, result, driver.Sync{Block: true}))
	return result
}

func (p *program) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// unary are the functions of <complex.h> that are tested, pairs those of two
// numbers.
var (
	unary = strings.Fields("cexp clog csqrt csinh ccosh ctanh csin ccos ctan casin cacos catan casinh cacosh catanh conj cproj")
	pairs = []string{"cpow", "mul", "div"}
)

// oracle has the C library compute the functions of points in long double,
// which has eleven digits more in binary than a double. The points are pairs,
// for functions of two numbers.
func oracle(t *testing.T, points []complex128) map[string][]complex128 {
	t.Helper()
	testtool.Need(t, "gcc")
	var b strings.Builder
	b.WriteString("#include <complex.h>\n#include <stdio.h>\nstatic double p[][2] = {")
	for _, z := range points {
		fmt.Fprintf(&b, "{%x, %x},", real(z), imag(z))
	}
	b.WriteString("};\n#define Z(i) CMPLXL(p[i][0], p[i][1])\n" +
		"#define SHOW(name, value) { long double complex r = value; printf(\"%s %.17Lg %.17Lg\\n\", name, creall(r), cimagl(r)); }\n" +
		"int main(void) { for (int i = 0; i < sizeof p / sizeof *p; i++) {\n")
	for _, name := range unary {
		fmt.Fprintf(&b, "SHOW(%q, %sl(Z(i)))\n", name, name)
	}
	b.WriteString("if (i % 2 == 0) { SHOW(\"cpow\", cpowl(Z(i), Z(i + 1))) SHOW(\"mul\", Z(i) * Z(i + 1)) SHOW(\"div\", Z(i) / Z(i + 1)) }\n} }\n")
	exe := filepath.Join(t.TempDir(), "oracle")
	c := exec.Command("gcc", "-std=gnu11", "-o", exe, "-x", "c", "-", "-lm")
	c.Stdin = strings.NewReader(b.String())
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	out, err := exec.Command(exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	results := make(map[string][]complex128)
	for line := range strings.Lines(string(out)) {
		var name string
		var re, im float64
		if _, err := fmt.Sscan(line, &name, &re, &im); err != nil {
			t.Fatal(err)
		}
		results[name] = append(results[name], complex(re, im))
	}
	return results
}

// complexKernels is a kernel for each function and type.
func complexKernels() string {
	var b strings.Builder
	b.WriteString("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n")
	for _, typ := range []struct{ name, suffix, letter string }{{"float", "f", "s"}, {"double", "", "d"}} {
		fmt.Fprintf(&b, "typedef struct { %s re, im; } c%s;\n", typ.name, typ.name)
		for _, name := range unary {
			fmt.Fprintf(&b, "void f_%[1]s%[2]s(c%[3]s *r, c%[3]s z) __asm(\"%[1]s%[2]s\");\n"+
				"kernel void %[1]s_%[3]s(global c%[3]s *out, global const c%[3]s *in) { size_t i = get_global_id(0); c%[3]s r; f_%[1]s%[2]s(&r, in[i]); out[i] = r; }\n",
				name, typ.suffix, typ.name)
		}
		fmt.Fprintf(&b, "void f_cpow%[1]s(c%[2]s *r, c%[2]s z, c%[2]s w) __asm(\"cpow%[1]s\");\n"+
			"kernel void cpow_%[2]s(global c%[2]s *out, global const c%[2]s *in) { size_t i = 2 * get_global_id(0); c%[2]s r; f_cpow%[1]s(&r, in[i], in[i + 1]); out[i] = r; }\n",
			typ.suffix, typ.name)
		for _, name := range []string{"mul", "div"} {
			fmt.Fprintf(&b, "void f_%[1]s%[2]s(c%[3]s *r, %[3]s a, %[3]s b, %[3]s c, %[3]s d) __asm(\"__%[1]s%[2]sc3\");\n"+
				"kernel void %[1]s_%[3]s(global c%[3]s *out, global const c%[3]s *in) { size_t i = 2 * get_global_id(0); c%[3]s r; f_%[1]s%[2]s(&r, in[i].re, in[i].im, in[i + 1].re, in[i + 1].im); out[i] = r; }\n",
				name, typ.letter, typ.name)
		}
	}
	return b.String()
}

// points are complex numbers of many sizes and angles, off the branch cuts.
func points() (list []complex128) {
	for _, size := range []float64{1e-6, 0.01, 0.3, 0.97, 1, 1.03, 2.5, 9, 21} {
		for angle := 0.1; angle < 6.3; angle += 0.37 {
			list = append(list, cmplx.Rect(size, angle))
		}
	}
	return list
}

// encode and decode are for complex numbers of either type.
func encode(list []complex128, double bool) (data []byte) {
	for _, z := range list {
		for _, x := range []float64{real(z), imag(z)} {
			if double {
				data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
			} else {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
			}
		}
	}
	return data
}

func decode(data []byte, double bool) (list []complex128) {
	part := func(i int) float64 {
		if double {
			return math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
	}
	size := 8
	if double {
		size = 16
	}
	for i := range len(data) / size {
		list = append(list, complex(part(2*i), part(2*i+1)))
	}
	return list
}

// TestComplex compares with long double. The errors are in units of the last
// place of the result's size.
func TestComplex(t *testing.T) {
	p := compile(t, complexKernels())
	for _, double := range []bool{false, true} {
		typ, unit := "float", math.Pow(2, -23)
		if double {
			typ, unit = "double", math.Pow(2, -52)
		}
		in := decode(encode(points(), double), double) // as the type has them
		in = in[:len(in)/2*2]
		size := len(encode(in[:1], double))
		want := oracle(t, in)
		for _, name := range unary {
			got := decode(p.launch(name+"_"+typ, encode(in, double), size), double)
			for i, z := range in {
				checkNear(t, fmt.Sprintf("%s of %s(%v)", typ, name, z), got[i], want[name][i], unit, 6)
			}
		}
		for _, name := range pairs {
			limit := 6.0
			if name == "cpow" {
				limit = 400 // the product of exponent and logarithm is rounded
			}
			got := decode(p.launch(name+"_"+typ, encode(in, double), 2*size), double)
			for i := 0; i < len(in); i += 2 {
				checkNear(t, fmt.Sprintf("%s of %s(%v, %v)", typ, name, in[i], in[i+1]), got[i], want[name][i/2], unit, limit)
			}
		}
	}
}

func checkNear(t *testing.T, what string, got, want complex128, unit, limit float64) {
	t.Helper()
	if e := cmplx.Abs(got-want) / (cmplx.Abs(want) * unit); !(e <= limit) {
		t.Errorf("%s = %v; want %v, error %.0f", what, got, want, e)
	}
}

// TestInfinities are the cases of annex G that the products alone get wrong.
func TestInfinities(t *testing.T) {
	p := compile(t, complexKernels())
	inf, nan := math.Inf(1), math.NaN()
	in := []complex128{
		complex(inf, nan), complex(1, 2), // infinite although a part is NaN
		complex(inf, inf), complex(1, 0),
		complex(1, 1), complex(0, 0), // divided by zero
		complex(1, 1), complex(inf, 1), // divided by infinity
	}
	mul := decode(p.launch("mul_double", encode(in, true), 32), true)
	div := decode(p.launch("div_double", encode(in, true), 32), true)
	if !cmplx.IsInf(mul[0]) || !cmplx.IsInf(mul[2]) || !cmplx.IsInf(div[4]) || div[6] != 0 {
		t.Errorf("products %v, quotients %v", mul, div)
	}
	// exp(89) alone is beyond float.
	sin, cos := math.Sincos(float64(float32(0.785)))
	exp := decode(p.launch("cexp_float", encode([]complex128{complex(89, 0.785), complex(-inf, 3)}, false), 8), false)
	if want := complex(math.Exp(89)*cos, math.Exp(89)*sin); cmplx.Abs(exp[0]-want)/cmplx.Abs(want) > 1e-5 || exp[1] != 0 {
		t.Errorf("exp = %v; want %v and 0", exp, want)
	}
}

// TestReal are functions that are more than OpenCL's.
func TestReal(t *testing.T) {
	p := compile(t, `#pragma OPENCL EXTENSION cl_khr_fp64 : enable
double f_frexp(double, int *) __asm("frexp"); double f_scalbln(double, long) __asm("scalbln"); int f_ilogb(double) __asm("ilogb");
double f_nearby(double) __asm("nearbyint"); long f_lround(double) __asm("lround"); double f_remquo(double, double, int *) __asm("remquo");
int f_classify(double) __asm("__fpclassify"); double f_modf(double, double *) __asm("modf"); int f_isinf(double) __asm("__isinf");
int f_rd(double) __asm("__imf_double2int_rd"); int f_ru(double) __asm("__imf_double2int_ru"); uint f_brev(uint) __asm("__imf_brev");
uint f_perm(uint, uint, uint) __asm("__imf_byte_perm"); int f_ffs(int) __asm("__imf_ffs"); long f_hi(long, long) __asm("__imf_mul64hi");
float f_bf(const ushort *) __asm("__devicelib_ConvertBF16ToFINTEL"); ushort f_fb(const float *) __asm("__devicelib_ConvertFToBF16INTEL");
size_t f_strlen(const char *) __asm("strlen"); int f_memcmp(const void *, const void *, size_t) __asm("memcmp");
void *f_memmove(void *, const void *, size_t) __asm("memmove"); void *f_memset(void *, int, size_t) __asm("memset");
typedef struct { long q, r; } division; void f_ldiv(division *, long, long) __asm("ldiv");
kernel void k(global double *out, global const double *in) {
  int e; double w; division d; char text[8] = "abcdef";
  out[0] = f_frexp(in[0], &e); out[1] = e; out[2] = f_scalbln(in[0], 70000); out[3] = f_ilogb(in[0]); out[4] = f_nearby(2.5);
  out[5] = f_lround(-2.5); out[6] = f_remquo(29.0, in[0], &e); out[7] = e & 7; out[8] = f_classify(in[0] * 0); out[9] = f_modf(-in[0], &w);
  out[10] = w; out[11] = f_isinf(-INFINITY); out[12] = f_rd(-1.5); out[13] = f_ru(-1.5); out[14] = f_brev(6); out[15] = f_perm(0x33221100, 0x77665544, 0x7531);
  out[16] = f_ffs(8); out[17] = f_hi(1l << 62, 12); ushort h; float x = 1.00390625f, y = 1.01171875f; h = f_fb(&x); out[18] = f_bf(&h); h = f_fb(&y); out[19] = f_bf(&h);
  f_ldiv(&d, -7, 2); out[20] = d.q; out[21] = d.r; out[22] = f_strlen(text); f_memmove(text + 1, text, 5); out[23] = text[5]; out[24] = f_memcmp(text, text + 1, 2);
  f_memset(text, 'z', 3); out[25] = text[2]; out[26] = text[3];
}`)
	in := make([]byte, 8*27)
	binary.LittleEndian.PutUint64(in, math.Float64bits(12.5))
	out := p.launch("k", in, len(in))
	want := []float64{
		0.78125, 4, math.Inf(1), 3, 2, -3, 4, 2, 2, -0.5, -12, -1, -2, -1, 0, 0x77553311,
		4, 3, 1, 1.015625, -3, -1, 6, 'e', -1, 'z', 'c',
	}
	want[14] = float64(uint32(0x60000000))
	for i, w := range want {
		if got := math.Float64frombits(binary.LittleEndian.Uint64(out[8*i:])); got != w {
			t.Errorf("out[%d] = %v; want %v", i, got, w)
		}
	}
}
