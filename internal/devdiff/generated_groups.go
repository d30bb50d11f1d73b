package main

import (
	"fmt"
	"strings"
)

// Generated kernels whose work-items give values to each other: through functions of
// sub-groups, where all come and where some do, and through atomic operations whose results
// they use. The results do not depend on the order of work-items.

// groups writes such kernels.
type groups struct{ grammar }

// subgroupPrelude declares the functions of cl_khr_subgroup_*, which clang 15 knows in part.
const subgroupPrelude = `#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#define EIGHT __attribute__((intel_reqd_sub_group_size(8)))
int OVERLOADED intel_sub_group_shuffle(int, uint);
int OVERLOADED intel_sub_group_shuffle_xor(int, uint);
int OVERLOADED intel_sub_group_shuffle_up(int, int, uint);
int OVERLOADED intel_sub_group_shuffle_down(int, int, uint);
`

// uniformBranch is the same in all work-items of a sub-group.
func (g *groups) uniformBranch() string {
	return g.pick("get_sub_group_id() & 1", "m > #", "n & 1", "get_group_id(0)", "n < #", "sub_group_any(x > 90)", "sub_group_all((x & 7) < 6)", "sub_group_broadcast(x, #&7) & 1")
}

func (g *groups) varyingBranch() string {
	return g.pick("lane & 1", "lane > #", "x & 1", "(x & 3) == lane", "id & 2", "y > 100", "lane == (uint)n", "(lane + n) % 3")
}

// value is an expression of numbers small enough that sums of floats are exact.
func (g *groups) value() string {
	return g.pick("x", "y", "x + y", "x * #", "(x ^ id)", "(int)lane * #", "(lane & 1 ? x : y)", "(x & 255) - #", "n + (int)lane", "(y >> 3)")
}

// met is an operation to which all work-items of the sub-group come.
func (g *groups) met() string {
	v := g.value()
	scan := g.pick("reduce", "scan_inclusive", "scan_exclusive") + g.pick("_add", "_min", "_max")
	switch g.random.IntN(13) {
	case 0:
		return fmt.Sprintf("x = sub_group_%s(%s);", scan, v)
	case 1:
		return fmt.Sprintf("y += (int)sub_group_%s((uint)(%s) & 0xffff);", strings.ReplaceAll(scan, "scan_exclusive_m", "scan_inclusive_m"), v)
	case 2:
		return fmt.Sprintf("w += sub_group_%s((long)(%s) * 100000);", strings.ReplaceAll(scan, "scan_exclusive_m", "reduce_m"), v)
	case 3:
		return fmt.Sprintf("w ^= (long)sub_group_%s((float)((%s) & 1023));", strings.ReplaceAll(scan, "scan_exclusive_m", "reduce_m"), v)
	case 4:
		return fmt.Sprintf("x = sub_group_broadcast(%s, %s);", v, g.pick("#&7", "(uint)n & 7", "(uint)m & 7"))
	case 5:
		return fmt.Sprintf("y ^= intel_sub_group_shuffle(%s, %s);", v, g.pick("(lane + #) & 7", "(uint)x & 7", "(uint)y & 7", "#&7"))
	case 6:
		return fmt.Sprintf("y = intel_sub_group_shuffle_xor(%s, %s);", v, g.pick("1", "2", "5", "7", "(uint)n & 7"))
	case 7:
		return fmt.Sprintf("x = intel_sub_group_shuffle_%s(%s, %s, %s);", g.pick("up", "down"), v, g.value(), g.pick("0", "1", "3", "(uint)n & 7", "8"))
	case 8:
		return fmt.Sprintf("x += sub_group_%s(%s) << 4;", g.pick("any", "all"), g.varyingBranch())
	case 9:
		return fmt.Sprintf("y += sub_group_ballot(%s).x;", g.varyingBranch())
	case 10:
		return fmt.Sprintf("{ uint4 b = sub_group_ballot(%s); x += sub_group_ballot_bit_count(b) + sub_group_ballot_%s(b) * 3; y += sub_group_ballot_bit_extract(b, %s); }",
			g.varyingBranch(), g.pick("inclusive_scan", "exclusive_scan"), g.pick("lane ^ 1", "#&7", "(uint)n & 7"))
	case 11:
		return fmt.Sprintf("y = sub_group_shuffle%s(%s, %s);", g.pick("", "_xor"), v, g.pick("1u", "3u", "(uint)n & 7"))
	}
	return "w += sub_group_non_uniform_reduce_add(x) + sub_group_non_uniform_scan_inclusive_max(y);"
}

// partly is an operation to which some work-items of the sub-group come.
func (g *groups) partly() string {
	v := g.value()
	switch g.random.IntN(6) {
	case 0:
		return fmt.Sprintf("x = sub_group_non_uniform_reduce_%s(%s);", g.pick("add", "min", "max", "and", "or", "xor"), v)
	case 1:
		return fmt.Sprintf("y += sub_group_non_uniform_scan_%s(%s);", g.pick("inclusive_add", "inclusive_max", "exclusive_add", "inclusive_xor", "exclusive_or"), v)
	case 2:
		return fmt.Sprintf("x += sub_group_ballot(%s).x;", g.varyingBranch())
	case 3:
		return fmt.Sprintf("y = sub_group_broadcast_first(%s);", v)
	case 4:
		return "if (sub_group_elect()) w += 1000 + x;"
	}
	return fmt.Sprintf("x ^= sub_group_non_uniform_%s << 5;", g.pick("any(x & 1)", "all(y > 3)", "all_equal(x & 1)"))
}

func (g *groups) plain() string {
	return g.pick("x = x * 3 + #;", "y = (y ^ x) & 0xffff;", "x = id + n;", "y += lane;", "w = w * 31 + x;", "x = y;", "x &= 0x3ff;", "if (lane > #) x += y;", "while ((x & 1023) > 500) x -= 123;",
		"t[l] = x; sub_group_barrier(CLK_LOCAL_MEM_FENCE); y += t[l ^ 1]; sub_group_barrier(CLK_LOCAL_MEM_FENCE);")
}

// some are statements that work-items take in different ways.
func (g *groups) some(depth int) string {
	inner := func() string {
		if depth < 2 && g.happens(30) {
			return g.some(depth + 1)
		}
		return g.pick(g.partly(), g.partly(), "x = x * 3 + #;", "y ^= x;", "w += y;")
	}
	if g.happens(70) {
		return g.branch(g.varyingBranch(), 50, inner)
	}
	return fmt.Sprintf("for (int q%d = 0; q%[1]d < %[2]s; q%[1]d++) { %[3]s }", depth, g.pick("2", "(int)(lane & 3)", "(x & 3)"), g.repeat(1, 2, inner))
}

// together are statements to which all work-items of the sub-group come.
func (g *groups) together(depth int) string {
	inner := func() string { return g.together(depth + 1) }
	switch k := g.random.IntN(100); {
	case k < 45 || depth > 3:
		return g.met()
	case k < 60:
		return g.plain()
	case k < 72:
		return g.some(0)
	case k < 86:
		return g.branch(g.uniformBranch(), 50, inner)
	}
	return fmt.Sprintf("for (int u%d = 0; u%[1]d < %[2]s; u%[1]d++) { n++; %[3]s %[4]s %[5]s }", depth, g.pick("2", "3", "(int)(get_sub_group_id() & 3)", "(m & 3)"),
		inner(), g.pick("", "if ("+g.uniformBranch()+") continue;", "if ("+g.uniformBranch()+") break;"), inner())
}

func (g *groups) subgroupKernel(name string) string {
	return fmt.Sprintf(`EIGHT kernel void %s(global ulong *out, int m, global const ulong *in, struct args a) {
  local int t[32];
  int id = get_global_id(0), l = get_local_id(0), n = 0, x = in[id] & 127, y = in[id + 32] & 255;
  uint lane = get_sub_group_local_id();
  long w = 0;
  %s
  out[id] = (ulong)w * 31 + (uint)x * 7 + (ulong)y * 1000003 + n;
}
`, name, g.repeat(4, 8, func() string { return g.together(0) + "\n " }))
}

// atomicOperation changes one of the variables that the work-group shares so that the end does not
// depend on the order; each has only operations that may change places.
func (g *groups) atomicOperation() string {
	v := g.pick("(uint)x & 1023", "(uint)l", "(uint)id * 3", "#", "(uint)y & 255")
	switch g.random.IntN(13) {
	case 0:
		return "{ uint slot = atomic_inc(&c[0]); if (slot < 256) taken[slot] = slot * 7 + 1; }"
	case 1:
		return "{ uint slot = atomic_add(&c[1], 2); atomic_add(&sums[0], slot * slot); }"
	case 2:
		return fmt.Sprintf("atomic_add(&sums[1], atomic_sub(&c[2], %s) & 0);", v)
	case 3:
		return fmt.Sprintf("{ uint bit = 1u << ((%s) & 31); if (!(atomic_or(&c[3], bit) & bit)) atomic_inc(&sums[2]); }", v)
	case 4:
		return fmt.Sprintf("atomic_add(&sums[3], atomic_xchg(&token, %s));", v)
	case 5:
		return "{ uint old = c[4], seen; while ((seen = atomic_cmpxchg(&c[4], old, old * 3 + 1)) != old) old = seen; }"
	case 6:
		return fmt.Sprintf("atomic_max(&c[5], %s); atomic_min(&c[6], %s);", v, v)
	case 7:
		return fmt.Sprintf("if (atomic_max(&c[7], %s) == 0xffffffff) x = 5;", v)
	case 8:
		return fmt.Sprintf("{ uint old = atomic_xor(&c[8], %s); atomic_xor(&sums[4], old & 0); }", v)
	case 9:
		return fmt.Sprintf("atomic_and(&c[9], ~(1u << ((%s) & 31)));", v)
	case 10:
		return fmt.Sprintf("{ ulong old = atom_add(&long_sum, (ulong)(%s) << 20); if (old == 1) y = 1; }", v)
	case 11:
		return fmt.Sprintf("atomic_add(&shared[id & 3], %s);", v)
	}
	return "{ uint slot = atomic_dec(&c[10]); atomic_or(&sums[5], 1u << (slot & 31)); }"
}

// disordered are statements that each work-item takes in its own way.
func (g *groups) disordered(depth int) string {
	inner := func() string { return g.disordered(depth + 1) }
	switch k := g.random.IntN(100); {
	case k < 55 || depth > 3:
		return g.atomicOperation()
	case k < 70:
		return g.pick("x += y * #;", "y ^= x >> 2;", "n++;", "x = l * 5 + n;")
	case k < 85:
		return g.branch(g.pick("l & 1", "x & 1", "l > #", "m & 1", "(x & 7) == (y & 7)", "id > 9"), 50, inner)
	}
	return fmt.Sprintf("for (int q%d = 0; q%[1]d < %[2]s; q%[1]d++) { %[3]s %[4]s }", depth, g.pick("2", "(l & 3)", "(x & 3)", "3"), g.repeat(1, 2, inner),
		g.pick("", "if (x & 4) break;", "if (l & 1) continue; n++;"))
}

func (g *groups) atomicKernel(name string) string {
	return fmt.Sprintf(`kernel void %s(global ulong *out, int m, global const ulong *in, struct args a) {
  local uint c[16], sums[8], taken[256], token;
  local ulong long_sum;
  global uint *shared = (global uint *)(out + 512);
  int id = get_global_id(0), l = get_local_id(0), n = 0, x = in[id] & 127, y = in[id + 32] & 255;
  for (int i = l; i < 256; i += get_local_size(0)) taken[i] = 0;
  if (l < 8) sums[l] = 0;
  if (l == 0) {
    for (int i = 0; i < 16; i++) c[i] = i == 6 || i == 9 ? 0xffffffff : 0;
    token = 77;
    long_sum = 3;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  %s
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong h = n * 3 + x * 5 + y * 7;
  for (int i = 0; i < 16; i++) h = h * 31 + c[i];
  for (int i = 0; i < 8; i++) h = h * 31 + (i == 3 ? sums[3] + token : sums[i]);
  for (int i = 0; i < 256; i++) h = h * 31 + taken[i];
  out[id] = h + long_sum;
}
`, name, g.repeat(4, 9, func() string { return g.disordered(0) + "\n " }))
}
