package main

import (
	"fmt"
	"slices"
	"strings"
)

// Generated kernels whose statements are about values: every type of OpenCL C, vectors and
// their parts, conversions, structs, arrays, pointers that are chosen at run time, and
// functions. Each work-item writes a digest of its variables, and memory of its own.

// valueType is a scalar of OpenCL C, or a vector of them.
type valueType struct {
	base  string
	width int // components
}

func (t valueType) String() string {
	if t.width == 1 {
		return t.base
	}
	return fmt.Sprintf("%s%d", t.base, t.width)
}

func (t valueType) float() bool { return t.base == "float" || t.base == "double" || t.base == "half" }

// size is the bytes of a component.
func (t valueType) size() int {
	return map[string]int{"char": 1, "uchar": 1, "short": 2, "ushort": 2, "half": 2, "int": 4, "uint": 4, "float": 4, "long": 8, "ulong": 8, "double": 8}[t.base]
}

var (
	integerBases = []string{"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"}
	floatBases   = []string{"float", "float", "double"}
)

// valueVariable is a variable of the work-item.
type valueVariable struct {
	name string
	t    valueType
}

// valueFunction is a function of the file that is not put in the place of its calls.
type valueFunction struct {
	name   string
	result valueType
	params []valueType
}

// values writes kernels about values.
type values struct {
	grammar
	half      bool // halves are a type among the others
	inside    bool // a function, which has its parameters and n alone
	variables []valueVariable
	functions []valueFunction
	label     int
}

// valuePrelude has the digest of a value: NaNs are one, zeros too, as OpenCL leaves their
// signs open.
const valuePrelude = `#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define OVERLOADED __attribute__((overloadable))
#define APART __attribute__((noinline))
struct inner { uchar b[5]; short2 c; };
struct state { int a; struct inner in[2]; ulong d; float f; };
struct args { int a; short b; float4 v; long c[3]; char d; };
ulong OVERLOADED bits(char x) { return x; }
ulong OVERLOADED bits(uchar x) { return x; }
ulong OVERLOADED bits(short x) { return x; }
ulong OVERLOADED bits(ushort x) { return x; }
ulong OVERLOADED bits(int x) { return x; }
ulong OVERLOADED bits(uint x) { return x; }
ulong OVERLOADED bits(long x) { return x; }
ulong OVERLOADED bits(ulong x) { return x; }
ulong OVERLOADED bits(float x) { return isnan(x) ? 7 : x == 0 ? 0 : as_uint(x); }
ulong OVERLOADED bits(double x) { return isnan(x) ? 7 : x == 0 ? 0 : as_ulong(x); }
void APART touch(int *p, int i, int v) { p[i & 3] = p[i & 3] * 3 + v; }
int APART peek(const int *p, int i) { return i & 1 ? p[i & 3] : -p[(i >> 1) & 3]; }
`

const halfPrelude = "ulong OVERLOADED bits(half x) { return isnan(x) ? 7 : x == 0 ? 0 : as_ushort(x); }\n"

func (g *values) scalarType() valueType {
	switch {
	case g.half && g.happens(25):
		return valueType{"half", 1}
	case g.happens(30):
		return valueType{g.pick(floatBases...), 1}
	}
	return valueType{g.pick(integerBases...), 1}
}

func (g *values) randomType() valueType {
	t := g.scalarType()
	if g.happens(45) {
		t.width = []int{2, 3, 4, 8}[g.random.IntN(4)]
	}
	return t
}

// parts names components of a vector of from components, in any order.
func (g *values) parts(from, n int) string {
	var b strings.Builder
	b.WriteString(".s")
	for range n {
		fmt.Fprintf(&b, "%x", g.random.IntN(from))
	}
	return b.String()
}

// convert makes a value of type to of an expression of type from.
func (g *values) convert(to, from valueType, text string) string {
	if from.width > 1 && from.width != to.width {
		return g.convert(to, valueType{from.base, to.width}, "("+text+")"+g.parts(from.width, to.width))
	}
	if from.width < to.width {
		return fmt.Sprintf("(%s)(%s)", to, g.convert(valueType{to.base, 1}, from, text))
	}
	if from.base == to.base {
		return text
	}
	how := ""
	if !to.float() && (from.float() || g.happens(40)) {
		how = "_sat"
	}
	if from.float() != to.float() && g.happens(50) || from.float() && to.float() && to.size() < from.size() && g.happens(50) {
		how += g.pick("_rte", "_rtz", "_rtp", "_rtn")
	}
	return fmt.Sprintf("convert_%s%s(%s)", to, how, text)
}

func (g *values) literal(t valueType) string {
	var text string
	switch {
	case t.float():
		text = g.pick("#", "0.5", "-1.25", "3.75e4", "-1e-3", "65504", "7e-8", "1e9", "INFINITY")
		if t.base == "float" || t.base == "half" {
			return fmt.Sprintf("(%s)(%s)(%s)", t, t.base, strings.ReplaceAll(text, "INFINITY", "1e30f * 1e30f"))
		}
	default:
		text = g.pick("#", "#", "-#", "1", "0", "127", "255", "-128", "0x7fff", "0xffff", "0x80000000", "0x7fffffff", "0x123456789abcdefL", "-1L")
	}
	return fmt.Sprintf("(%s)(%s)(%s)", t, t.base, text)
}

// leaf is an expression without operators.
func (g *values) leaf(t valueType) string {
	if g.happens(15) {
		return g.literal(t)
	}
	if !g.inside && g.happens(20) {
		from := []struct {
			text string
			t    valueType
		}{
			{"id", valueType{"int", 1}},
			{"l", valueType{"int", 1}},
			{"m", valueType{"int", 1}},
			{"a.v", valueType{"float", 4}},
			{"a.b", valueType{"short", 1}},
			{fmt.Sprintf("a.c[(uint)(%s) %% 3u]", g.pick("id", "m", "#", "n")), valueType{"long", 1}},
			{fmt.Sprintf("in[(%s) & 63]", g.pick("id * 3 + #", "m", "n + #")), valueType{"ulong", 1}},
			{"s.in[n & 1].c", valueType{"short", 2}},
			{fmt.Sprintf("ss[(id + #) & 3].in[%s].b[(uint)n %% 5u]", g.pick("0", "1", "m & 1")), valueType{"uchar", 1}},
			{"ss[n & 3].f", valueType{"float", 1}},
			{g.pick("p[n & 3]", "q[#&3]", "gen[(id + n) & 3]", "gp[#&3]", "lp[id & 3]", "peek(gen, n)"), valueType{"int", 1}},
			{"vec[n & 3]", valueType{"float", 4}},
		}
		k := from[g.random.IntN(len(from))]
		return g.convert(t, k.t, g.pick(k.text))
	}
	if same := g.variablesOf(t); len(same) > 0 && g.happens(60) {
		return same[g.random.IntN(len(same))].name
	}
	v := g.variables[g.random.IntN(len(g.variables))]
	return g.convert(t, v.t, v.name)
}

func (g *values) variablesOf(t valueType) (list []valueVariable) {
	for _, v := range g.variables {
		if v.t == t {
			list = append(list, v)
		}
	}
	return list
}

// expr is an expression of a type.
func (g *values) expr(t valueType, depth int) string {
	if depth <= 0 || g.happens(15) {
		return g.leaf(t)
	}
	switch k := g.random.IntN(100); {
	case k < 10:
		return g.choice(t, depth)
	case k < 20 && t.width > 1:
		return g.composed(t, depth)
	case k < 27:
		return g.reinterpreted(t, depth)
	case k < 35 && len(g.functions) > 0:
		return g.called(t, depth)
	case k < 42:
		from := g.randomType()
		return g.convert(t, from, g.expr(from, depth-1))
	case t.float():
		return g.floatOperation(t, depth)
	}
	return g.integerOperation(t, depth)
}

// cast keeps the type of a scalar, which the operators of C widen.
func cast(t valueType, text string) string {
	if t.width == 1 {
		return fmt.Sprintf("(%s)(%s)", t, text)
	}
	return "(" + text + ")"
}

// fill replaces $ by expressions of a type, and T by its name.
func (g *values) fill(t valueType, depth int, form string) string {
	var b strings.Builder
	for _, c := range form {
		switch c {
		case '$':
			b.WriteString(g.expr(t, depth-1))
		case 'T':
			b.WriteString(t.String())
		default:
			b.WriteRune(c)
		}
	}
	return cast(t, b.String())
}

func (g *values) integerOperation(t valueType, depth int) string {
	forms := []string{
		"$ + $", "$ - $", "$ * $", "$ & $", "$ | $", "$ ^ $", "~$", "-$", "$ << ($ & (T)7)", "$ >> ($ & (T)7)", "$ << $", "$ >> $",
		"$ / (($ & (T)7) + (T)2)", "$ % (($ & (T)31) + (T)2)", "$ / (T)10", "$ % (T)7", "$ * (T)3 + $",
		"min($, $)", "max($, $)", "clamp($, (T)3, (T)90)", "add_sat($, $)", "sub_sat($, $)", "mul_hi($, $)", "mad_hi($, $, $)", "mad_sat($, $, $)",
		"hadd($, $)", "rhadd($, $)", "rotate($, $)", "clz($)", "popcount($)", "bitselect($, $, $)",
	}
	return g.fill(t, depth, forms[g.random.IntN(len(forms))])
}

func (g *values) floatOperation(t valueType, depth int) string {
	forms := []string{
		"$ + $", "$ - $", "$ * $", "-$", "fma($, $, $)", "fmin($, $)", "fmax($, $)", "fabs($)", "floor($)", "ceil($)", "trunc($)", "rint($)", "round($)",
		"copysign($, (T)1)", "$ * (T)0.25f + $", "fmin(fmax($, (T)-100), (T)100)", "sqrt(fabs($))", "$ / (fabs($) + (T)1)", "fdim($, $)",
	}
	if t.base == "half" {
		forms = forms[:16]
	}
	return g.fill(t, depth, forms[g.random.IntN(len(forms))])
}

// condition is an integer that is zero or not.
func (g *values) condition(depth int) string {
	if g.inside && depth <= 0 {
		return "n < " + g.pick("1", "2", "#")
	}
	if depth <= 0 || !g.inside && g.happens(40) {
		return g.pick("id & 1", "l > #", "(id + n) % 3 == 1", "m > #", "(n & 1)", "m & 1", "n < #", "get_group_id(0)")
	}
	t := g.scalarType()
	op := g.pick("<", ">", "<=", ">=", "==", "!=")
	text := fmt.Sprintf("%s %s %s", g.expr(t, depth-1), op, g.expr(t, depth-1))
	switch g.random.IntN(6) {
	case 0:
		return fmt.Sprintf("(%s) && %s", text, g.condition(depth-1))
	case 1:
		return fmt.Sprintf("(%s) || %s", text, g.condition(depth-1))
	case 2:
		return fmt.Sprintf("!(%s)", text)
	}
	return text
}

// choice is one of two values.
func (g *values) choice(t valueType, depth int) string {
	if t.width == 1 {
		return cast(t, fmt.Sprintf("(%s) ? %s : %s", g.condition(depth-1), g.expr(t, depth-1), g.expr(t, depth-1)))
	}
	op := g.pick("<", ">", "<=", ">=", "==", "!=")
	compared := g.randomType()
	if compared.size() != t.size() {
		compared = t
	}
	compared.width = t.width
	return fmt.Sprintf("select(%s, %s, %s %s %s)", g.expr(t, depth-1), g.expr(t, depth-1), g.expr(compared, depth-1), op, g.expr(compared, depth-1))
}

// composed is a vector made of parts.
func (g *values) composed(t valueType, depth int) string {
	switch k := g.random.IntN(4); {
	case k == 0 && t.width == 3:
		return fmt.Sprintf("(%s)(%s, %s)", t, g.expr(valueType{t.base, 2}, depth-1), g.expr(valueType{t.base, 1}, depth-1))
	case k == 0:
		half := valueType{t.base, t.width / 2}
		return fmt.Sprintf("(%s)(%s, %s)", t, g.expr(half, depth-1), g.expr(half, depth-1))
	case k == 1 && t.width != 3:
		mask := valueType{map[int]string{1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[t.size()], t.width}
		return fmt.Sprintf("shuffle(%s, %s)", g.expr(t, depth-1), g.expr(mask, depth-1))
	case k == 2 && t.width != 3:
		mask := valueType{map[int]string{1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[t.size()], t.width}
		return fmt.Sprintf("shuffle2(%s, %s, %s)", g.expr(t, depth-1), g.expr(t, depth-1), g.expr(mask, depth-1))
	}
	from := valueType{t.base, []int{2, 3, 4, 8}[g.random.IntN(4)]}
	return fmt.Sprintf("(%s)%s", g.expr(from, depth-1), g.parts(from.width, t.width))
}

// reinterpreted is an integer, or a vector of them, with the bits of other ones: those of
// a NaN are open.
func (g *values) reinterpreted(t valueType, depth int) string {
	var list []valueType
	for _, base := range integerBases {
		for _, width := range []int{1, 2, 4, 8} {
			from := valueType{base, width}
			if !t.float() && t.width != 3 && from.size()*width == t.size()*t.width && from != t {
				list = append(list, from)
			}
		}
	}
	if len(list) == 0 {
		return g.leaf(t)
	}
	return fmt.Sprintf("as_%s(%s)", t, g.expr(list[g.random.IntN(len(list))], depth-1))
}

// called is the result of a function.
func (g *values) called(t valueType, depth int) string {
	f := g.functions[g.random.IntN(len(g.functions))]
	var args []string
	for _, p := range f.params {
		args = append(args, g.expr(p, depth-2))
	}
	return g.convert(t, f.result, fmt.Sprintf("%s(%s)", f.name, strings.Join(args, ", ")))
}

// function adds a function to the file.
func (g *values) function(name string) string {
	f := valueFunction{name: name, result: g.randomType()}
	inner := &values{grammar: g.grammar, half: g.half, inside: true, functions: slices.Clone(g.functions)}
	var params []string
	for i := range 1 + g.random.IntN(3) {
		t := g.randomType()
		f.params = append(f.params, t)
		v := valueVariable{fmt.Sprintf("p%d", i), t}
		inner.variables = append(inner.variables, v)
		params = append(params, t.String()+" "+v.name)
	}
	g.functions = append(g.functions, f)
	first := f.params[0]
	return fmt.Sprintf(`%s APART %s(%s) {
  int n = 0;
  if (%s) return %s;
  for (n = 0; n < (%s); n++) {
    p0 = %s;
    if (%s) break;
  }
  return %s;
}
`, f.result, name, strings.Join(params, ", "), inner.condition(1), inner.expr(f.result, 1), g.pick("2", "3", "# & 3"),
		inner.expr(first, 2), inner.condition(1), inner.expr(f.result, 2))
}

// assign changes a variable or memory of the work-item.
func (g *values) assign() string {
	v := g.variables[g.random.IntN(len(g.variables))]
	integer := valueType{"int", 1}
	switch k := g.random.IntN(100); {
	case k < 50:
		return fmt.Sprintf("%s = %s;", v.name, g.expr(v.t, 2))
	case k < 58 && v.t.width > 1:
		return fmt.Sprintf("%s.s%d = %s;", v.name, g.random.IntN(v.t.width), g.expr(valueType{v.t.base, 1}, 2))
	case k < 62 && v.t.width == 4:
		return fmt.Sprintf("%s%s = %s;", v.name, g.pick(".xz", ".lo", ".odd", ".wy"), g.expr(valueType{v.t.base, 2}, 2))
	case k < 68:
		return fmt.Sprintf("%s[(%s) & 3] %s %s;", g.pick("p", "q", "gp", "lp", "gen"), g.pick("n", "id", "#", "m", "id + n"), g.pick("=", "+=", "^="), g.expr(integer, 2))
	case k < 72:
		return fmt.Sprintf("touch(%s, %s, %s);", g.pick("p", "q", "gp", "lp", "gen"), g.pick("n", "id", "#"), g.expr(integer, 1))
	case k < 77:
		return fmt.Sprintf("%s = (%s) ? %s : %s;", g.pick("p", "q"), g.condition(1), g.pick("pa", "pb", "p", "q"), g.pick("pa", "pb"))
	case k < 80:
		return fmt.Sprintf("gen = (%s) ? (int *)%s : (int *)%s;", g.condition(1), g.pick("p", "pa", "lp", "gp"), g.pick("pb", "lp", "gp", "gen"))
	case k < 83:
		return fmt.Sprintf("gp = (%s) ? ga : gb; lp = (%s) ? la : lb;", g.condition(1), g.condition(0))
	case k < 86:
		return fmt.Sprintf("s = (%s) ? ss[(%s) & 3] : s;", g.condition(1), g.pick("n", "id", "#"))
	case k < 89:
		return fmt.Sprintf("ss[(%s) & 3] = s;", g.pick("n", "id", "#"))
	case k < 92:
		return fmt.Sprintf("s.in[%s].b[(uint)(%s) %% 5u] = %s; s.d += %s;", g.pick("n & 1", "0", "id & 1"), g.pick("n", "id", "#"), g.expr(valueType{"uchar", 1}, 2), g.expr(valueType{"ulong", 1}, 1))
	case k < 95:
		return fmt.Sprintf("vec[(%s) & 3] = %s; s.f = %s;", g.pick("n", "id", "#"), g.expr(valueType{"float", 4}, 2), g.expr(valueType{"float", 1}, 1))
	case k < 98:
		return fmt.Sprintf("vstore%[1]d(%[2]s, (%[3]s) & 1, raw); %[4]s = %[5]s;", 4, g.expr(valueType{"uchar", 4}, 2), g.pick("n", "id", "#"), v.name,
			g.convert(v.t, valueType{"uchar", 3}, fmt.Sprintf("vload3((%s) & 1, raw)", g.pick("n", "id"))))
	}
	return fmt.Sprintf("s.in[1].c = %s; s.a = %s;", g.expr(valueType{"short", 2}, 2), g.expr(integer, 2))
}

// statement is one in loops that are left by labels.
func (g *values) statement(depth int, labels []string) string {
	inner := func() string { return g.statement(depth+1, labels) }
	switch k := g.random.IntN(100); {
	case k < 50 || depth > 3:
		return g.assign()
	case k < 68:
		return g.branch(g.condition(2), 50, inner)
	case k < 78 && len(labels) > 0:
		list := []string{"break;", "continue;", "goto " + labels[g.random.IntN(len(labels))] + ";", "break;"}
		if g.happens(20) {
			list = append(list, "goto end;")
		}
		return fmt.Sprintf("if (%s) { %s %s }", g.condition(1), g.repeat(0, 1, g.assign), g.pick(list...))
	case k < 88 && len(labels) < 3:
		return g.loop(depth, labels)
	}
	return fmt.Sprintf("switch (%s) { case 0: %s break; case 1: %s case 3: %s break; case %s: %s default: %s }",
		g.pick("n & 3", "(id + #) & 7", "m", "p[0] & 7", "(uint)l % 5u"), inner(), g.assign(), inner(), g.pick("2", "4", "1000", "-5"), g.assign(), g.assign())
}

func (g *values) loop(depth int, labels []string) string {
	g.label++
	next := fmt.Sprintf("l%d", g.label)
	inside := append(slices.Clone(labels), next)
	j := fmt.Sprintf("j%d", g.label)
	head := g.pick("int @ = 0; @ < 3; @++", "int @ = id & 3; @ >= 0; @--", "uint @ = 0; @ < (uint)(l & 3) + 1; @++", "char @ = 0; @ < m; @ += 2", "ulong @ = 1; @ < 9; @ *= 2")
	body := g.repeat(1, 3, func() string { return g.statement(depth+1, inside) })
	return fmt.Sprintf("for (%s) { n++; %s } %s: n += 2;", strings.ReplaceAll(head, "@", j), body, next)
}

// digest adds the variables to the work-item's digest.
func (g *values) digest() string {
	var b strings.Builder
	for _, v := range g.variables {
		for i := range v.t.width {
			part := ""
			if v.t.width > 1 {
				part = fmt.Sprintf(".s%d", i)
			}
			fmt.Fprintf(&b, "  h = h * 31 + bits(%s%s);\n", v.name, part)
		}
	}
	return b.String()
}

// kernel has variables of eight types.
func (g *values) kernel(name string) string {
	g.variables, g.label = nil, 0
	var declared strings.Builder
	for i := range 8 {
		t := g.randomType()
		v := valueVariable{fmt.Sprintf("v%d", i), t}
		from := fmt.Sprintf("in[(id * 5 + %d) & 63]", i)
		fmt.Fprintf(&declared, "  %s %s = %s;\n", t, v.name, g.convert(t, valueType{"ulong", 1}, from))
		g.variables = append(g.variables, v)
	}
	body := g.repeat(2, 4, func() string { return g.statement(0, nil) + "\n " })
	return fmt.Sprintf(`kernel void %s(global ulong *out, int m, global const ulong *in, struct args a) {
  local int shared[32 * 8];
  int id = get_global_id(0), l = get_local_id(0), n = 0;
  int pa[4] = {id, 1, 2, m}, pb[4] = {3, l, m, 5};
  int *p = pa, *q = pb, *gen = pa;
  global int *ga = (global int *)(out + 32 + id * 4), *gb = ga + 4, *gp = ga;
  local int *la = shared + l * 8, *lb = la + 4, *lp = lb;
  uchar raw[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  struct state s = {id, {{{1, 2, 3, 4, 5}, (short2)(l, m)}, {{9, 8, 7, 6, 5}, (short2)(-1, id)}}, 77, 0.5f}, ss[4] = {s, s, s, s};
  float4 vec[4] = {a.v, a.v * 2, (float4)(l, id, m, 1), (float4)(0.5f)};
  for (int i = 0; i < 8; i++) la[i] = i * l;
%s
  %s
end:;
  ulong h = n;
%s  for (int i = 0; i < 4; i++) {
    h = h * 31 + pa[i] + pb[i] * 3 + la[i] * 5 + lb[i] * 7 + raw[i] + raw[i + 4] * 3 + gen[i];
    h = h * 31 + bits(vec[i].x) + bits(vec[i].w) * 3;
    h = h * 31 + ss[i].a + ss[i].in[1].b[i] + ss[i].in[0].c.y + ss[i].d + bits(ss[i].f);
  }
  out[id] = h * 31 + s.in[0].b[1] + s.in[1].c.x + s.d;
}
`, name, declared.String(), body, g.digest())
}
