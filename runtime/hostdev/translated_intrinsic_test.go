package hostdev

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/ir/irfile"
	"offlink/runtime/driver"
	"offlink/spirv"
	"offlink/spirv/fromir"
)

// moreIntCases are intrinsics that translators before clang 19 do not know, at a width.
func moreIntCases(w int) []irCase {
	t := fmt.Sprintf("i%d", w)
	head := "\n  %a = trunc i64 %x to T\n  %b = trunc i64 %y to T\n  %c = trunc i64 %z to T\n"
	tail := "\n  %r0 = zext T %r to i64\n  %r1 = sext T %r to i64\n"
	if w == 64 {
		head = "\n  %a = add i64 %x, 0\n  %b = add i64 %y, 0\n  %c = add i64 %z, 0\n"
		tail = "\n  %r0 = add T %r, 0\n  %r1 = sub T %r, %a\n"
	}
	var list []irCase
	add := func(name, body, tail string) {
		list = append(list, irCase{name: name + "_" + t, body: strings.ReplaceAll(head+body+tail, "T", t)})
	}
	add("rotl", "  %r = call T @llvm.fshl.T(T %a, T %a, T %c)", tail)
	add("rotr", "  %r = call T @llvm.fshr.T(T %a, T %a, T %c)", tail)
	add("uadd.sat_zero", "  %r = call T @llvm.uadd.sat.T(T %a, T 0)", tail)
	add("freeze", "  %r = freeze T %a", tail)
	for _, op := range []string{"scmp", "ucmp"} {
		add(op, "  %q = call i32 @llvm."+op+".i32.T(T %a, T %b)\n", "  %r0 = sext i32 %q to i64\n  %s = call i2 @llvm."+op+".i2.T(T %b, T %a)\n  %r1 = sext i2 %s to i64\n")
	}
	for _, predicate := range []string{"ne", "ugt", "uge", "slt", "sle"} {
		add("icmp_"+predicate, "  %q = icmp "+predicate+" T %a, %b\n  %r = select i1 %q, T %a, T %c", tail)
	}
	for _, sign := range []string{"s", "u"} {
		add("float_"+sign, "  %f = "+sign+"itofp T %a to double\n  %g = "+sign+"itofp T %b to float\n  %h = bitcast float %g to i32\n",
			"  %r0 = bitcast double %f to i64\n  %r1 = zext i32 %h to i64\n")
		add("sat_"+sign, "  %f = bitcast i64 %x to double\n  %g = trunc i64 %y to i32\n  %h = bitcast i32 %g to float\n  %s1 = call T @llvm.fpto"+sign+"i.sat.T.f64(double %f)\n  %s2 = call T @llvm.fpto"+sign+"i.sat.T.f32(float %h)\n",
			map[bool]string{false: "  %r0 = zext T %s1 to i64\n  %r1 = zext T %s2 to i64\n", true: "  %r0 = add T %s1, 0\n  %r1 = add T %s2, 0\n"}[w == 64])
	}
	add("phi", "  %q = icmp slt T %a, %b\n  br i1 %q, label %l, label %m\nl:\n  %d = sub T %a, %c\n  br label %m\nm:\n  %r = phi T [ %d, %l ], [ %b, %0 ]", tail)
	if w > 2 {
		add("switch", "  switch T %a, label %d [ T 0, label %l\n T 2, label %m\n T -1, label %n ]\nl:\n  br label %d\nm:\n  br label %d\nn:\n  br label %d\nd:\n  %r = phi T [ %a, %0 ], [ 1, %l ], [ 3, %m ], [ -2, %n ]", tail)
	}
	add("memory", "  %v = alloca [4 x T], align 8\n  store T %a, ptr %v, align 8\n  %p = getelementptr [4 x T], ptr %v, i64 0, i64 1\n  store T %b, ptr %p\n  %s = load T, ptr %v, align 8\n  %u = load T, ptr %p\n  %r = xor T %s, %u", tail)
	if w%8 == 0 && w < 64 {
		add("bytes", "  %v = alloca i64, align 8\n  store i64 %x, ptr %v, align 8\n  store T %b, ptr %v, align 1\n  %r = load T, ptr %v, align 1\n", "  %r0 = load i64, ptr %v\n  %r1 = sext T %r to i64\n")
	}
	for _, n := range []int{2, 3, 4} {
		vt := fmt.Sprintf("<%d x T>", n)
		fill := strings.ReplaceAll("  %v0 = insertelement V poison, T %a, i32 0\n  %v1 = insertelement V %v0, T %b, i32 1\n", "V", vt)
		last := "%v1"
		for i := 2; i < n; i++ {
			fill += fmt.Sprintf("  %%v%d = insertelement %s %s, T %%c, i32 %d\n", i, vt, last, i)
			last = fmt.Sprintf("%%v%d", i)
		}
		for _, op := range []string{"add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"} {
			add(fmt.Sprintf("reduce_%s_%d", op, n), fill+fmt.Sprintf("  %%r = call T @llvm.vector.reduce.%s.v%dT(%s %s)", op, n, vt, last), tail)
		}
		for _, op := range []string{"sadd.sat", "uadd.sat", "ssub.sat", "usub.sat", "smax", "umin"} {
			add(fmt.Sprintf("%s_v%d", op, n), fill+fmt.Sprintf("  %%w = shufflevector %s %s, %s poison, <%d x i32> <i32 1, i32 0%s>\n  %%s = call %s @llvm.%s.v%dT(%s %s, %s %%w)\n  %%e = extractelement %s %%s, i32 0\n  %%k = extractelement %s %%s, i32 1\n  %%r = xor T %%e, %%k",
				vt, last, vt, n, strings.Repeat(", i32 0", n-2), vt, op, n, vt, last, vt, vt, vt), tail)
		}
		add(fmt.Sprintf("overflow_v%d", n), fill+fmt.Sprintf("  %%s = call { %s, <%d x i1> } @llvm.umul.with.overflow.v%dT(%s %s, %s %s)\n  %%e = extractvalue { %s, <%d x i1> } %%s, 0\n  %%k = extractvalue { %s, <%d x i1> } %%s, 1\n  %%r = extractelement %s %%e, i32 1\n  %%o = extractelement <%d x i1> %%k, i32 0\n",
			vt, n, n, vt, last, vt, last, vt, n, vt, n, vt, n), "  %r0 = zext i1 %o to i64\n"+map[bool]string{false: "  %r1 = sext T %r to i64\n", true: "  %r1 = add T %r, 0\n"}[w == 64])
	}
	return list
}

// moreFloatCases are for float and half, and for intrinsics that only newer translators
// know.
func moreFloatCases() []irCase {
	var list []irCase
	for _, f := range []struct {
		name, typ string
		bits      int
	}{{"f64", "double", 64}, {"f32", "float", 32}, {"f16", "half", 16}} {
		head := ""
		for i, name := range []string{"a", "b", "c"} {
			from := "%" + string("xyz"[i])
			whole := fmt.Sprintf("i%d", f.bits)
			if f.bits < 64 {
				head += fmt.Sprintf("  %%w%s = trunc i64 %s to %s\n", name, from, whole)
				from = "%w" + name
			}
			head += fmt.Sprintf("  %%%s = bitcast %s %s to %s\n", name, whole, from, f.typ)
		}
		// Which NaN an operation gives is left open.
		tail := fmt.Sprintf("\n  %%u = fcmp uno %s %%r, 0.0\n  %%k = select i1 %%u, %s 1.0, %s %%r\n  %%n = bitcast %s %%k to i%d\n  %%r1 = zext i1 %%u to i64\n", f.typ, f.typ, f.typ, f.typ, f.bits)
		if f.bits < 64 {
			tail += fmt.Sprintf("  %%r0 = zext i%d %%n to i64\n", f.bits)
		} else {
			tail += "  %r0 = add i64 %n, 0\n"
		}
		add := func(name, body string) {
			list = append(list, irCase{name: name + "_" + f.name, body: head + strings.NewReplacer("NINF", "0xFFF0000000000000", "INF", "0x7FF0000000000000", "T", f.typ, "F", f.name).Replace(body) + tail})
		}
		for _, op := range []string{"fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven", "sqrt"} {
			add(op, "  %r = call T @llvm."+op+".F(T %a)")
		}
		for _, op := range []string{"copysign", "minimum", "maximum"} {
			if op == "copysign" || f.bits > 16 {
				add(op, "  %r = call T @llvm."+op+".F(T %a, T %b)")
			}
		}
		add("fneg", "  %r = fneg T %a")
		add("fma", "  %r = call T @llvm.fma.F(T %a, T %b, T %c)")
		for _, op := range []string{"fadd", "fsub", "fmul", "fdiv"} {
			add(op, "  %r = "+op+" T %a, %b")
		}
		for mask := 1; mask < 1<<10; mask <<= 1 {
			add(fmt.Sprintf("class_%d", mask), fmt.Sprintf("  %%q = call i1 @llvm.is.fpclass.F(T %%a, i32 %d)\n  %%r = select i1 %%q, T 1.0, T 0.0", mask))
		}
		add("class_some", "  %q = call i1 @llvm.is.fpclass.F(T %a, i32 615)\n  %r = select i1 %q, T 1.0, T 0.0")
		for _, p := range []string{"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule", "une"} {
			add("fcmp_"+p, "  %q = fcmp "+p+" T %a, %b\n  %r = select i1 %q, T 1.0, T 0.0")
		}
		if f.bits > 16 {
			add("reduce_fadd", "  %v = insertelement <2 x T> poison, T %a, i32 0\n  %w = insertelement <2 x T> %v, T %b, i32 1\n  %r = call T @llvm.vector.reduce.fadd.v2F(T %c, <2 x T> %w)")
			add("frexp", "  %p = call { T, i32 } @llvm.frexp.F.i32(T %a)\n  %e = extractvalue { T, i32 } %p, 0\n  %g = extractvalue { T, i32 } %p, 1\n  %fin = fcmp one T %a, INF\n  %neg = fcmp une T %a, NINF\n  %ok = and i1 %fin, %neg\n  %gg = select i1 %ok, i32 %g, i32 0\n  %h = sitofp i32 %gg to T\n  %r = fadd T %e, %h")
			add("ldexp", "  %e = trunc i64 %y to i32\n  %j = srem i32 %e, 40\n  %r = call T @llvm.ldexp.F.i32(T %a, i32 %j)")
		}
	}
	return list
}

// maskedCases load and store the elements of a vector that a mask chooses.
func maskedCases() []irCase {
	var list []irCase
	add := func(name, body string) {
		list = append(list, irCase{name: name, body: `
  %v = alloca [8 x i16], align 16
  %v1 = getelementptr i8, ptr %v, i64 8
  store i64 %x, ptr %v, align 8
  store i64 %y, ptr %v1, align 8
  %n = trunc i64 %z to i4
  %m = bitcast i4 %n to <4 x i1>
  %o = bitcast i64 %z to <4 x i16>
` + body + `
  %r1 = load i64, ptr %v1
`})
	}
	after := "  %r0 = load i64, ptr %v"
	add("masked_load", "  %s = call <4 x i16> @llvm.masked.load.v4i16.p0(ptr %v1, i32 2, <4 x i1> %m, <4 x i16> %o)\n  %r0 = bitcast <4 x i16> %s to i64")
	add("masked_store", "  call void @llvm.masked.store.v4i16.p0(<4 x i16> %o, ptr %v, i32 8, <4 x i1> %m)\n"+after)
	add("expandload", "  %s = call <4 x i16> @llvm.masked.expandload.v4i16(ptr %v1, <4 x i1> %m, <4 x i16> %o)\n  %r0 = bitcast <4 x i16> %s to i64")
	add("compressstore", "  call void @llvm.masked.compressstore.v4i16(<4 x i16> %o, ptr %v, <4 x i1> %m)\n"+after)
	return list
}

// opaquePointers spells pointers as LLVM 16 does.
func opaquePointers(text string) string {
	for _, old := range []string{"i64 addrspace(1)*", "[4 x i64]*", "i8*", "i64*"} {
		text = strings.ReplaceAll(text, old, map[bool]string{true: "ptr addrspace(1)", false: "ptr"}[strings.Contains(old, "addrspace")])
	}
	return text
}

// translateText makes SPIR-V of textual IR with spirv/fromir.
func translateText(t testing.TB, text, extensions string) []byte {
	t.Helper()
	m, err := irfile.Parse("in.ll", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	options := fromir.Options{Version: spirv.Version1_4}
	if err := options.AllowExtensions(extensions); err != nil {
		t.Fatal(err)
	}
	code, err := fromir.Translate(m, options)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestTranslatedIntrinsics compares the translation of intrinsics and
// of instructions with the code that clang makes of them for the machine of the test, at
// widths that SPIR-V has and at others.
func TestTranslatedIntrinsics(t *testing.T) {
	testtool.Need(t, "clang-19")
	sets := map[string][]irCase{"vectors": append(maskedCases(), vectorCases...), "floats": floatCases(), "more floats": moreFloatCases()}
	for _, w := range []int{1, 3, 7, 8, 16, 24, 32, 33, 48, 64} {
		sets[fmt.Sprintf("i%d", w)] = append(intCases(w), moreIntCases(w)...)
	}
	operands := irOperands()
	for name, cases := range sets {
		for _, extensions := range []string{"", "+SPV_INTEL_arbitrary_precision_integers", "+all,-SPV_KHR_fma"} {
			t.Run(name+extensions, func(t *testing.T) {
				t.Parallel()
				testIRWith(t, "clang-19", opaquePointers, cases, operands, translateText(t, opaquePointers(irModule(cases, true)), extensions))
			})
		}
	}
}

// TestTranslatedTrap: a kernel that comes to a trap is stopped.
func TestTranslatedTrap(t *testing.T) {
	code := translateText(t, `target triple = "spir64-unknown-unknown"
define spir_kernel void @k() {
  call void @llvm.trap()
  unreachable
}
declare void @llvm.trap()
`, "")
	p := buildModules(t, Options{}, driver.BuildOptions{}, module("trap", code))
	var fault *Fault
	if err := p.tryLaunch("k", items(1)); !errors.As(err, &fault) {
		t.Errorf("error %v; want a Fault", err)
	}
}
