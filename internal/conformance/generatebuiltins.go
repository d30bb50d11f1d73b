package main

import "fmt"

// Statements that call built-in functions of OpenCL C, of every family. Results of
// functions that OpenCL gives a tolerance differ between devices, not between
// translators on one device.

// pick returns one of a list.
func (p *program) pick(list ...string) string { return list[p.IntN(len(list))] }

// number returns an expression of a floating-point type, from 0 to 512: sums of a few
// stay finite in a half too.
func (p *program) number(t string) string {
	return fmt.Sprintf("((%s)((%s) & 0xfff) * (%s)0.125)", t, p.expression(1), t)
}

// digestBits returns a statement that mixes the bits of a value, of a type of that many
// bytes, into the result r.
func digestBits(value string, bytes int) string {
	as := map[int]string{2: "as_short", 4: "as_int", 8: "as_long"}[bytes]
	return fmt.Sprintf("r ^= %s(%s);", as, value)
}

var floatSizes = map[string]int{"half": 2, "float": 4, "double": 8}

// builtinCall appends a call of a family.
func (p *program) builtinCall() {
	families := []func() string{
		p.unaryMath, p.binaryMath, p.mathWithPointer, p.integerFunction, p.relationalFunction, p.geometricFunction,
		p.commonFunction, p.halfMemory, p.shuffleFunction, p.roundedConversion, p.vectorMath,
	}
	fmt.Fprintf(&p.text, "  { %s }\n", families[p.IntN(len(families))]())
}

func (p *program) unaryMath() string {
	t := p.pick("half", "float", "double")
	name := p.pick("acos", "acosh", "acospi", "asin", "asinh", "asinpi", "atan", "atanh", "atanpi", "cbrt", "ceil", "cos", "cosh", "cospi", "erfc", "erf",
		"exp", "exp2", "exp10", "expm1", "fabs", "floor", "lgamma", "log", "log2", "log10", "log1p", "logb", "rint", "round", "rsqrt", "sin", "sinh", "sinpi",
		"sqrt", "tan", "tanh", "tanpi", "tgamma", "trunc")
	if t == "float" && p.IntN(4) == 0 {
		name = p.pick("native_", "half_") + p.pick("cos", "exp", "exp2", "exp10", "log", "log2", "log10", "recip", "rsqrt", "sin", "sqrt", "tan")
	}
	return digestBits(fmt.Sprintf("%s(%s)", name, p.number(t)), floatSizes[t])
}

func (p *program) binaryMath() string {
	t := p.pick("half", "float", "double")
	switch p.IntN(5) {
	case 0:
		return digestBits(fmt.Sprintf("%s(%s, %s, %s)", p.pick("fma", "mad", "clamp", "mix", "smoothstep", "fma"), p.number(t), p.number(t), p.number(t)), floatSizes[t])
	case 1:
		return digestBits(fmt.Sprintf("%s(%s, (int)((%s) & 7))", p.pick("ldexp", "pown", "rootn"), p.number(t), p.expression(1)), floatSizes[t])
	case 2:
		return fmt.Sprintf("r += ilogb(%s + (%s)1);", p.number(t), t)
	}
	name := p.pick("atan2", "atan2pi", "copysign", "fdim", "fmax", "fmin", "fmod", "hypot", "maxmag", "minmag", "nextafter", "pow", "powr", "remainder", "max", "min", "step")
	return digestBits(fmt.Sprintf("%s(%s, %s)", name, p.number(t), p.number(t)), floatSizes[t])
}

func (p *program) mathWithPointer() string {
	t := p.pick("half", "float", "double")
	bytes := floatSizes[t]
	switch p.IntN(3) {
	case 0:
		return fmt.Sprintf("int e = 0; %s %s r += e;", digestBits(fmt.Sprintf("%s(%s, &e)", p.pick("frexp", "lgamma_r"), p.number(t)), bytes), "")
	case 1:
		return fmt.Sprintf("int q = 0; %s r += q & 127;", digestBits(fmt.Sprintf("remquo(%s, %s + (%s)1, &q)", p.number(t), p.number(t), t), bytes))
	}
	return fmt.Sprintf("%s z = 0; %s %s", t, digestBits(fmt.Sprintf("%s(%s, &z)", p.pick("fract", "modf", "sincos"), p.number(t)), bytes), digestBits("z", bytes))
}

func (p *program) integerFunction() string {
	t := p.pick(programTypes...)
	a, b, c := fmt.Sprintf("(%s)(%s)", t, p.expression(1)), fmt.Sprintf("(%s)(%s)", t, p.expression(1)), fmt.Sprintf("(%s)(%s)", t, p.expression(1))
	switch p.IntN(6) {
	case 0:
		return fmt.Sprintf("r ^= %s(%s, %s, %s);", p.pick("mad_hi", "mad_sat", "bitselect"), a, b, c)
	case 1:
		return fmt.Sprintf("r ^= %s((int)(%s) & 0x7fffff, (int)(%s) & 0x7fffff, 5);", "mad24", p.expression(1), p.expression(1))
	case 2:
		return fmt.Sprintf("r ^= %s((uint)(%s) & 0xffffff, (uint)(%s) & 0xffffff);", "mul24", p.expression(1), p.expression(1))
	case 3:
		signed := p.pick("char", "short", "int")
		return fmt.Sprintf("r ^= upsample((%s)(%s), (u%s)(%s));", signed, p.expression(1), signed, p.expression(1))
	case 4:
		return fmt.Sprintf("r ^= ctz((%s)(%s)) + clamp(%s, (%s)1, (%s)9);", t, p.expression(1), a, t, t)
	}
	width := p.pick("2", "3", "4", "8", "16")
	v := t + width
	return fmt.Sprintf("%s x = (%s)(%s), y = (%s)(%s); x = %s(x, y); r ^= x.s0 + x.s1;", v, v, a, v, b,
		p.pick("add_sat", "sub_sat", "hadd", "rhadd", "max", "min", "mul_hi", "rotate"))
}

func (p *program) relationalFunction() string {
	t := p.pick("half", "float", "double")
	integer := map[string]string{"half": "short", "float": "int", "double": "long"}[t]
	switch p.IntN(4) {
	case 0:
		return fmt.Sprintf("r += %s(%s / %s);", p.pick("isnan", "isinf", "isfinite", "isnormal", "signbit"), p.number(t), p.number(t))
	case 1:
		return fmt.Sprintf("%s4 x = (%s4)(%s, 0, 1, NAN), y = (%s4)(%s); %s4 z = %s(x, y); r ^= z.x + 2 * z.y + 4 * z.z + 8 * z.w + any(z) + 3 * all(z);", t, t, p.number(t), t, p.number(t), integer,
			p.pick("isequal", "isnotequal", "isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater", "isordered", "isunordered"))
	case 2:
		return fmt.Sprintf("%s3 x = (%s3)(%s), y = (%s3)(%s); x = select(x, y, (%s3)(-1, 0, %s)); %s", t, t, p.number(t), t, p.number(t), integer, p.literal(), digestBits("x.y", floatSizes[t])+digestBits("x.z", floatSizes[t]))
	}
	return digestBits(fmt.Sprintf("bitselect(%s, %s, %s)", p.number(t), p.number(t), p.number(t)), floatSizes[t])
}

func (p *program) geometricFunction() string {
	t, n := p.pick("float", "double"), p.pick("2", "3", "4")
	v := fmt.Sprintf("%s%s a = (%s%s)(%s), b = (%s%s)(%s); b.x += 1; ", t, n, t, n, p.number(t), t, n, p.number(t))
	bytes := floatSizes[t]
	switch p.IntN(4) {
	case 0:
		return v + digestBits(p.pick("dot(a, b)", "distance(a, b)", "length(b)"), bytes)
	case 1:
		return v + digestBits("normalize(b).y", bytes)
	case 2:
		if n != "2" {
			return v + digestBits("cross(a, b).z", bytes)
		}
	}
	return fmt.Sprintf("float2 a = (float2)(%s), b = (float2)(%s, 3); ", p.number("float"), p.number("float")) + digestBits(p.pick("fast_length(b)", "fast_distance(a, b)", "fast_normalize(b).x"), 4)
}

func (p *program) commonFunction() string {
	t := p.pick("half", "float", "double")
	return digestBits(fmt.Sprintf("%s(%s)", p.pick("degrees", "radians", "sign"), p.number(t)), floatSizes[t])
}

// halfMemory stores halves and loads them again.
func (p *program) halfMemory() string {
	rounding := p.pick("", "_rte", "_rtz", "_rtp", "_rtn")
	n := p.pick("2", "3", "4", "8", "16")
	aligned := p.pick("", "a")
	t := p.pick("float", "double")
	return fmt.Sprintf("half m[20] __attribute__((aligned(32))) = {0}; vstore%s_half%s%s((%s%s)(%s), 0, m); float%s x = vload%s_half%s(0, m); vstore_half%s(%s, 17, m); ", aligned, n, rounding, t, n, p.number(t), n, aligned, n, rounding, p.number(t)) +
		digestBits("x.s1", 4) + digestBits("vload_half(17, m)", 4)
}

func (p *program) shuffleFunction() string {
	t := p.pick("char", "ushort", "int", "long", "float")
	mask := map[string]string{"char": "uchar", "ushort": "ushort", "int": "uint", "long": "ulong", "float": "uint"}[t]
	return fmt.Sprintf("%s4 a = (%s4)(1, 2, 3, %s), b = (%s4)(5, 6, 7, 8); %s8 c = shuffle2(a, b, (%s8)(%s, 1, 7, 3, 2, 4, 5, 6)); a = shuffle(c, (%s4)(7, %s, 2, 0)); r ^= (long)a.x + (long)c.s2;",
		t, t, p.pick("4", "9"), t, t, mask, p.pick("0", "6", "(ulong)id & 7"), mask, p.pick("1", "3"))
}

func (p *program) roundedConversion() string {
	from, to := p.pick("float", "double", "half"), p.pick(programTypes...)
	rounding := p.pick("_rte", "_rtz", "_rtp", "_rtn", "")
	switch p.IntN(3) {
	case 0:
		return fmt.Sprintf("r ^= convert_%s_sat%s(-%s * (%s)1.5);", to, rounding, p.number(from), from)
	case 1:
		return digestBits(fmt.Sprintf("convert_%s%s((%s)(%s))", from, rounding, to, p.expression(1)), floatSizes[from])
	}
	return fmt.Sprintf("%s4 x = (%s4)(%s, 1.5, -2.5, 3); %s4 y = convert_%s4_sat%s(x); r ^= y.x + y.y * 3 + y.z * 5;", from, from, p.number(from), to, to, rounding)
}

func (p *program) vectorMath() string {
	t, n := p.pick("half", "float", "double"), p.pick("2", "3", "4", "8", "16")
	return fmt.Sprintf("%s%s x = (%s%s)(%s), y = (%s%s)(%s); x = %s; ", t, n, t, n, p.number(t), t, n, p.number(t),
		p.pick("fma(x, y, x)", "fmin(x, y)", "fmax(x, y.x)", "clamp(x, (y.x), y.x + 1)", "mix(x, y, y)", "exp2(x)", "sqrt(x)", "ldexp(x, 2)", "fabs(-x)", "hypot(x, y)")) + digestBits("x.s1", floatSizes[t])
}

// cppText declares things that C++ for OpenCL adds to OpenCL C and SYCL's headers are
// full of: templates, inheritance, lambdas.
const cppText = `#ifdef __OPENCL_CPP_VERSION__
template <typename T, int N> struct Range { T part[N]; Range(T first) { for (int k = 0; k < N; k++) part[k] = first + k; } T operator[](int k) const { return part[k & (N - 1)]; } template <typename U> U sum() const { U s = 0; for (T x : part) s += x; return s; } };
struct Shape { int sides; Shape(int n) : sides(n) {} long area() const { return sides * 3; } };
struct Square : Shape { long extra; Square(int n) : Shape(n), extra(n * 5) {} long area() const { return Shape::area() + extra; } };
template <typename F> long apply(F f, long x) { return f(x) ^ f(x + 1); }
#endif
`

// cppStatement appends a statement that uses the declarations of cppText.
func (p *program) cppStatement() {
	fmt.Fprintf(&p.text, "#ifdef __OPENCL_CPP_VERSION__\n  { Range<%s, %d> range((%s)); Square square((int)(%s) & 0xff); auto f = [=](long x) { return x * %s + range[(int)x]; };\n  r ^= apply(f, %s) + range.template sum<long>() + square.area(); }\n#endif\n",
		p.pick("char", "short", "int", "long"), 1<<(1+p.IntN(3)), p.expression(1), p.expression(1), p.literal(), p.expression(1))
}

// groupStatements appends calls that all work-items of a group must make.
func (p *program) groupStatements() {
	for range p.IntN(4) {
		fmt.Fprintf(&p.text, "  { %s }\n", p.groupStatement())
	}
}

func (p *program) groupStatement() string {
	t := p.pick("int", "uint", "long", "ulong")
	value := fmt.Sprintf("(%s)(%s)", t, p.expression(1))
	scope := p.pick("work_group", "sub_group")
	switch p.IntN(7) {
	case 0:
		return fmt.Sprintf("r ^= %s_%s_%s(%s);", scope, p.pick("reduce", "scan_inclusive", "scan_exclusive"), p.pick("add", "min", "max"), value)
	case 1:
		return fmt.Sprintf("r += %s_%s((int)(%s) & 1);", scope, p.pick("any", "all"), p.expression(1))
	case 2:
		return fmt.Sprintf("r ^= %s_broadcast(%s, %s);", scope, value, "0")
	case 3:
		return fmt.Sprintf("if (lid < 4) cells[lid] = %s; barrier(CLK_LOCAL_MEM_FENCE); atomic_%s(&cells[lid & 3], (int)(%s)); barrier(CLK_LOCAL_MEM_FENCE); r ^= cells[3 - (lid & 3)]; barrier(CLK_LOCAL_MEM_FENCE);",
			p.literal(), p.pick("add", "sub", "min", "max", "and", "or", "xor"), p.expression(1))
	case 4:
		return "event_t e = async_work_group_copy(cells, in, 16, 0); wait_group_events(1, &e); r ^= cells[lid & 15]; barrier(CLK_LOCAL_MEM_FENCE);"
	case 5:
		return fmt.Sprintf("if (lid < 2) counts[lid] = 3; barrier(CLK_LOCAL_MEM_FENCE); atomic_%s(&counts[lid & 1]); work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group); r += counts[lid & 1]; barrier(CLK_LOCAL_MEM_FENCE);", p.pick("inc", "dec"))
	}
	return "r ^= get_global_size(0) + get_num_groups(0) * 3 + get_global_linear_id() * 5 + get_local_linear_id() + get_work_dim() + get_enqueued_local_size(1) + get_group_id(2);"
}
