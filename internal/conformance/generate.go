package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// program writes OpenCL C without undefined behaviour: shifts are masked, divisors are
// not zero, indices are masked to the array, loops are counted. So a difference
// between two translations is the fault of one of them.
type program struct {
	*rand.Rand
	text      strings.Builder
	functions []string // helpers that may be called: (int, uint4, __private long *)
	depth     int
	loops     int
}

var programTypes = []string{"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"}

// generateProgram returns a source with one kernel.
func generateProgram(seed uint64) string {
	p := &program{Rand: rand.New(rand.NewPCG(seed, 14))}
	p.text.WriteString(cppText)
	p.text.WriteString("typedef struct { char a; int b; uint4 c; short d[3]; ulong e; } S;\n")
	fmt.Fprintf(&p.text, "constant int table[8] = {%s};\n", p.numbers(8))
	fmt.Fprintf(&p.text, "constant S fixed = {%s};\n", "1, -2, (uint4)(3, 4, 5, 6), {7, 8, 9}, 10")
	for i := range p.IntN(4) {
		p.helper(i)
	}
	p.text.WriteString("kernel void k(global long *out, global const int *in, local int *shared, int n) {\n" +
		"  local int cells[16]; local uint counts[2];\n  size_t id = get_global_id(0), lid = get_local_id(0);\n  long r = in[id]; int i = in[id * 3 + 1]; uint4 v = (uint4)(in[id], 2, n, lid); long l[4] = {1, id, n, 3};\n" +
		"  S s = {1, -2, (uint4)(3, 4, 5, 6), {7, 8, 9}, 10}; s.e = fixed.e; s.b = i; float f = (float)(i & 0xffff); double d = (double)(n & 255); half h = (half)(float)(lid);\n  shared[lid] = i; barrier(CLK_LOCAL_MEM_FENCE);\n")
	for range 3 + p.IntN(8) {
		p.statement()
	}
	p.cppStatement()
	p.groupStatements()
	p.text.WriteString("  out[id * 4] = r; out[id * 4 + 1] = i; out[id * 4 + 2] = l[0] ^ l[1] ^ l[2] ^ l[3];\n" +
		"  out[id * 4 + 3] = v.x ^ v.y ^ v.z ^ v.w ^ s.a ^ s.b ^ s.c.x ^ s.c.w ^ s.d[0] ^ s.d[1] ^ s.d[2] ^ (long)s.e ^ as_int(f) ^ as_long(d) ^ (long)as_short(h);\n}\n")
	return "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL FP_CONTRACT OFF\n" + p.text.String()
}

func (p *program) numbers(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = p.literal()
	}
	return strings.Join(list, ", ")
}

func (p *program) literal() string {
	return [...]string{"0", "1", "-1", "2", "7", "-128", "255", "65535", "0x7fffffff", "(-0x7fffffff-1)", fmt.Sprint(p.IntN(1000)), fmt.Sprint(-p.IntN(100000))}[p.IntN(12)]
}

func (p *program) helper(i int) {
	name := fmt.Sprintf("h%d", i)
	attribute := [...]string{"", "__attribute__((noinline)) ", "__attribute__((always_inline)) "}[p.IntN(3)]
	fmt.Fprintf(&p.text, "%slong %s(int i, uint4 v, private long *l, S s) {\n  int n = 5; long r = i; size_t id = 1, lid = 0; float f = 1; double d = 2; half h = 3; int shared[16] = {1, 2};\n", attribute, name)
	for range 1 + p.IntN(4) {
		p.statement()
	}
	p.text.WriteString("  l[i & 3] ^= r;\n  return r + v.x + s.b + (long)f + (long)d;\n}\n")
	p.functions = append(p.functions, name)
}

// statement writes a statement over r, i, v, l, s, f, d, h.
func (p *program) statement() {
	if p.depth++; p.depth > 4 {
		p.depth--
		fmt.Fprintf(&p.text, "  r ^= %s;\n", p.expression(2))
		return
	}
	defer func() { p.depth-- }()
	t := programTypes[p.IntN(len(programTypes))]
	// The kinds share one draw. A seed always gives the same program, so that a finding
	// is reproduced by its number.
	switch number := p.IntN(28); number {
	case 22, 23, 24, 25, 26, 27:
		p.builtinCall()
	case 5, 6, 7, 8:
		p.controlStatement(number)
	case 3, 4, 13, 14, 15, 16, 17, 18, 19:
		p.builtinStatement(number, t)
	default:
		p.assignment(number)
	}
}

// controlStatement appends a loop, a branch, a switch or a call. Loops count up to a
// constant, so that every program ends.
func (p *program) controlStatement(number int) {
	switch number {
	case 5:
		p.loops++
		fmt.Fprintf(&p.text, "  for (int c%d = 0; c%d < %d; c%d++) {\n", p.loops, p.loops, 1+p.IntN(6), p.loops)
		fmt.Fprintf(&p.text, "  r += c%d;\n", p.loops)
		if p.IntN(3) == 0 {
			fmt.Fprintf(&p.text, "  if (%s) %s;\n", p.expression(2), [...]string{"break", "continue"}[p.IntN(2)])
		}
		p.statement()
		p.text.WriteString("  }\n")
	case 6:
		fmt.Fprintf(&p.text, "  if (%s) {\n", p.expression(2))
		p.statement()
		p.text.WriteString("  } else {\n")
		p.statement()
		p.text.WriteString("  }\n")
	case 7:
		fmt.Fprintf(&p.text, "  switch ((int)(%s) %% 5) {\n  case 0: r++;\n  case 2:\n", p.expression(2))
		p.statement()
		p.text.WriteString("  break;\n  case -3: i ^= 77; break;\n  default:\n")
		p.statement()
		p.text.WriteString("  ;\n  }\n")
	case 8:
		if len(p.functions) > 0 {
			fmt.Fprintf(&p.text, "  r ^= %s((int)(%s), v, l, s);\n", p.functions[p.IntN(len(p.functions))], p.expression(2))
		}
	}
}

// builtinStatement appends a use of vectors or of functions of OpenCL C, at a type
// drawn before.
func (p *program) builtinStatement(number int, t string) {
	switch number {
	case 3:
		fmt.Fprintf(&p.text, "  v%s = (uint)(%s);\n", [...]string{".x", ".y", ".z", ".w", ".s2"}[p.IntN(5)], p.expression(2))
	case 4:
		fmt.Fprintf(&p.text, "  v = v.%s %s (uint4)(%s);\n", [...]string{"wzyx", "xxyy", "zwxy", "yyyy"}[p.IntN(4)], [...]string{"+", "^", "*", "-", "&", "|"}[p.IntN(6)], p.expression(1))
	case 13:
		fmt.Fprintf(&p.text, "  r ^= convert_%s_sat(f) + convert_%s_sat_rte(d);\n", t, programTypes[p.IntN(8)])
	case 14:
		fmt.Fprintf(&p.text, "  r += %s((%s)(%s), (%s)(%s));\n", [...]string{"add_sat", "sub_sat", "hadd", "rhadd", "min", "max", "abs_diff", "mul_hi", "rotate"}[p.IntN(9)], t, p.expression(1), t, p.expression(1))
	case 15:
		fmt.Fprintf(&p.text, "  r ^= %s((%s)(%s));\n", [...]string{"clz", "popcount", "abs"}[p.IntN(3)], t, p.expression(2))
	case 16:
		fmt.Fprintf(&p.text, "  { %s4 w = convert_%s4%s(v); r += w.x - w.w; r ^= any(w == (%s4)(3)) ? 5 : 9; }\n", t, t, [...]string{"", "_sat"}[p.IntN(2)], t)
	case 17:
		fmt.Fprintf(&p.text, "  v = select(v, v.wzyx, (uint4)(%s, %s, 0, -1) > (uint4)(2) ? (uint4)(-1) : (uint4)(0));\n", p.expression(1), p.expression(1))
	case 18:
		fmt.Fprintf(&p.text, "  { %s16 w = (%s16)(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,(%s)(%s)); r += w.s%x; l[1] ^= w.hi.lo.odd.x; }\n", t, t, t, p.expression(1), p.IntN(16))
	case 19:
		fmt.Fprintf(&p.text, "  vstore4(v, 0, (private uint *)l); r += vload3(1, (private short *)l).z;\n")
	}
}

// assignment appends a statement on scalars, structs and arrays. Indexes are masked,
// as a program with an access out of bounds has no results to compare.
func (p *program) assignment(number int) {
	switch number {
	case 0:
		fmt.Fprintf(&p.text, "  r += %s;\n", p.expression(3))
	case 1:
		fmt.Fprintf(&p.text, "  i = (int)(%s);\n", p.expression(3))
	case 2:
		fmt.Fprintf(&p.text, "  l[%s & 3] = %s;\n", p.expression(1), p.expression(3))
	case 9:
		fmt.Fprintf(&p.text, "  s.%s = %s;\n", [...]string{"a", "b", "c.y", "d[1]", "e"}[p.IntN(5)], p.expression(2))
	case 10:
		fmt.Fprintf(&p.text, "  { S t = s; t.b += %s; t.d[%s & 1] = 3; s = t; }\n", p.literal(), p.expression(1))
	case 11:
		fmt.Fprintf(&p.text, "  f = f %s (float)(%s);\n", [...]string{"+", "-", "*"}[p.IntN(3)], p.expression(1))
	case 12:
		fmt.Fprintf(&p.text, "  d = %s(d, (double)(%s));\n", [...]string{"fmax", "fmin", "copysign", "nextafter"}[p.IntN(4)], p.expression(1))
	case 20:
		fmt.Fprintf(&p.text, "  h = h + (half)(float)((%s) & 15); r ^= as_short(h);\n", p.expression(1))
	case 21:
		fmt.Fprintf(&p.text, "  r += (f %s d) + isless(f, 3.0f) + islessgreater(f, 2.0f);\n", [...]string{"<", "<=", "==", "!=", ">"}[p.IntN(5)])
	}
}

// expression returns an integer expression whose operators are nested up to that depth.
// Sums and products are unsigned, as signed overflow is undefined.
func (p *program) expression(depth int) string {
	if depth == 0 || p.IntN(5) == 0 {
		return [...]string{"r", "i", "(long)n", "v.x", "v.w", "l[2]", "l[i & 3]", "s.b", "s.a", "s.d[i & 1]", "(long)s.e", "table[i & 7]", "(long)id", "(long)lid", "shared[lid]", p.literal(), p.literal()}[p.IntN(17)]
	}
	a, b := p.expression(depth-1), p.expression(depth-1)
	t := programTypes[p.IntN(len(programTypes))]
	switch p.IntN(12) {
	case 0, 1:
		return fmt.Sprintf("((ulong)(%s) %s (ulong)(%s))", a, [...]string{"+", "-", "*"}[p.IntN(3)], b)
	case 2:
		return fmt.Sprintf("((%s) %s (%s))", a, [...]string{"&", "|", "^"}[p.IntN(3)], b)
	case 3:
		return fmt.Sprintf("((uint)(%s) %s ((uint)(%s) | 1))", a, [...]string{"/", "%"}[p.IntN(2)], b)
	case 4:
		return fmt.Sprintf("((int)((%s) & 0xffffff) %s (int)(((%s) & 0xff) + 1))", a, [...]string{"/", "%"}[p.IntN(2)], b)
	case 5:
		return fmt.Sprintf("((ulong)(%s) %s ((%s) & 63))", a, [...]string{"<<", ">>"}[p.IntN(2)], b)
	case 6:
		return fmt.Sprintf("((int)(%s) >> ((%s) & 31))", a, b)
	case 7:
		return fmt.Sprintf("((%s) %s (%s))", a, [...]string{"<", "<=", "==", "!=", ">", "&&", "||"}[p.IntN(7)], b)
	case 8:
		return fmt.Sprintf("((%s) ? (%s) : (%s))", p.expression(depth-1), a, b)
	case 9:
		return fmt.Sprintf("((%s)(%s))", t, a)
	case 10:
		return fmt.Sprintf("(~(%s))", a)
	}
	return fmt.Sprintf("(!(%s))", a)
}
