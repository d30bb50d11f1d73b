package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Generated kernels: control flow that work-items take in different ways, in loops with
// several ways out and back, and around barriers. Conditions that are the same for all
// work-items and constants are frequent, as compiled code treats them apart.

// grammar writes the statements of a kernel.
type grammar struct{ random *rand.Rand }

// pick is one of several texts, in which # is a small number.
func (g grammar) pick(list ...string) string {
	return strings.ReplaceAll(list[g.random.IntN(len(list))], "#", fmt.Sprint(g.random.IntN(9)))
}

// happens is true in so many of a hundred cases.
func (g grammar) happens(percent int) bool { return g.random.IntN(100) < percent }

// repeat joins up to most texts.
func (g grammar) repeat(least, most int, text func() string) string {
	var list []string
	for range least + g.random.IntN(most-least+1) {
		list = append(list, text())
	}
	return strings.Join(list, " ")
}

func (g grammar) uniformCond() string {
	return g.pick("n < #", "n % 3 == 1", "(n & 2)", "m > n", "m > #", "(m & 1)", "get_group_id(0) == 1")
}

func (g grammar) varyingCond() string {
	return g.pick("id < 7", "id & 1", "l > 12", "(l & 3) == 1", "id < n", "x > 40", "(x & 3) == 1")
}

func (g grammar) cond() string {
	if g.happens(50) {
		return g.uniformCond()
	}
	return g.varyingCond()
}

// branch is an if with one or two statements, and with an else in so many of a hundred cases.
func (g grammar) branch(cond string, percent int, inner func() string) string {
	text := fmt.Sprintf("if (%s) { %s }", cond, g.repeat(1, 2, inner))
	if g.happens(percent) {
		text += fmt.Sprintf(" else { %s }", g.repeat(1, 2, inner))
	}
	return text
}

// assignment changes variables of the work-item, its element of the output, or one of eight sums.
func (g grammar) assignment() string {
	return g.pick("x = #;", "y = #;", "x = y;", "y = n;", "sum = sum * 3 + x;", "sum = sum * 5 + y;", "x += l;", "out[id * 2 + 1] += #;", "atomic_add(&out[64 + (x & 7)], y + #);")
}

// jump leaves the statements of a loop. Ways back end at some time.
func (g grammar) jump(depth int) string {
	list := []string{"if (n < 14) continue;", "if (n < 20) { x = #; continue; }", "break;"}
	if depth > 0 {
		list = append(list, "if (n < 20) goto top;", "goto end;")
	}
	return g.pick(list...)
}

// statement is one in a loop; depth counts the statements around it, loops the loops.
func (g grammar) statement(depth, loops int) string {
	inner := func() string { return g.statement(depth+1, loops) }
	switch k := g.random.IntN(100); {
	case k < 40 || depth > 3:
		return g.assignment()
	case k < 60:
		return fmt.Sprintf("if (%s) { %s %s }", g.cond(), g.repeat(0, 1, g.assignment), g.jump(loops))
	case k < 85:
		return g.branch(g.cond(), 40, inner)
	case k < 93 && loops < 2:
		body := g.repeat(1, 3, func() string { return g.statement(depth+1, loops+1) })
		return fmt.Sprintf("for (int j%d = 0; j%[1]d < %[2]s; j%[1]d++) { n++; %[3]s }", depth, g.pick("2", "3", "(id & 3)"), body)
	}
	return fmt.Sprintf("switch (%s) { case 0: %s break; case 1: %s default: %s }", g.pick("n & 3", "id & 3", "x & 3"), inner(), g.assignment(), g.assignment())
}

// loopKernel has a loop whose exit comes at the end.
func (g grammar) loopKernel(name string) string {
	body := g.repeat(2, 4, func() string { return g.statement(0, 0) })
	exit := g.pick("n >= 4", "n >= 9", "n >= 3 + (id & 7)")
	return fmt.Sprintf(`kernel void %s(global int *out, int m) {
  int id = get_global_id(0), l = get_local_id(0), n = 0, sum = 0, x = 0, y = 1;
top:
  while (1) {
    n++;
    sum = sum * 3 + x;
    %s
    if (%s) break;
    %s
  }
end:
  out[id * 2] = sum + x * 7 + y * 11 + n * 13;
}
`, name, body, exit, g.repeat(0, 2, g.assignment))
}

// exchange gives values to other work-items of the group, between barriers.
func (g grammar) exchange() string {
	write := g.pick("t[l] = x;", "t[l] = sum;", "t[l] = x; if (l < 4) t[16 + l] = y;", "if (l < 9) t[l] = x;")
	read := g.pick("x = t[(l + #) & 15];", "if (l & 1) y += t[l ^ 1];", "sum += t[16 + (l & 3)] + t[l];",
		"for (int k = 0; k < 16; k++) sum = sum * 3 + t[k];", "if (l == 0) for (int k = 0; k < 16; k++) sum += t[k];")
	return write + " barrier(CLK_LOCAL_MEM_FENCE); " + read + " barrier(CLK_LOCAL_MEM_FENCE);"
}

// local is a statement without barriers, of which each work-item takes its own way.
func (g grammar) local(depth int) string {
	inner := func() string { return g.local(depth + 1) }
	switch k := g.random.IntN(100); {
	case k < 50 || depth > 2:
		return g.assignment()
	case k < 80:
		return fmt.Sprintf("if (%s) { %s }", g.cond(), g.repeat(1, 2, inner))
	}
	return fmt.Sprintf("for (int q%d = 0; q%[1]d < %[2]s; q%[1]d++) { %[3]s %[4]s %[5]s }", depth, g.pick("2", "(l & 3)", "(x & 3)"),
		inner(), g.pick("", "if ("+g.varyingCond()+") break;", "if ("+g.varyingCond()+") continue;"), inner())
}

// phase is a statement with barriers, to which all work-items of a group come.
func (g grammar) phase(depth int) string {
	inner := func() string { return g.phase(depth + 1) }
	switch k := g.random.IntN(100); {
	case k < 40:
		return g.exchange()
	case k < 62 || depth > 2:
		return g.repeat(1, 3, func() string { return g.local(0) })
	case k < 80:
		return fmt.Sprintf("if (%s) { %s }", g.uniformCond(), g.repeat(1, 2, inner))
	}
	return fmt.Sprintf("for (int u%d = 0; u%[1]d < %[2]s; u%[1]d++) { %[3]s %[4]s %[5]s }", depth, g.pick("2", "3", "(m & 3)"),
		inner(), g.pick("", "if ("+g.uniformCond()+") continue;", "if ("+g.uniformCond()+") break;"), inner())
}

func (g grammar) barrierKernel(name string) string {
	return fmt.Sprintf(`kernel void %s(global int *out, int m) {
  local int t[32];
  int l = get_local_id(0), id = get_global_id(0), sum = 0, x = id * 7, y = 1, n = 0;
  t[l] = 0;
  t[l + 16] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  %s
  for (n = 0; n < %s; n++) {
    %s
    %s
    %s
  }
  out[id * 2] = sum + x * 7 + y * 11;
  out[id * 2 + 1] += t[l];
}
`, name, g.phase(0), g.pick("2", "3", "m"), g.phase(0), g.pick("", "if ("+g.uniformCond()+") continue;", "if ("+g.uniformCond()+") break;"), g.phase(0))
}
