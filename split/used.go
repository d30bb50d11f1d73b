package split

import (
	"fmt"
	"slices"
	"strings"

	"offlink/ir"
	"offlink/ir/sycl"
)

// The lists of values that a linker must not drop. llvm.used has served its
// purpose when a module is split: it kept the kernels, which are entry points
// now. llvm.compiler.used keeps the values that it names in every image.
const (
	usedList         = "llvm.used"
	compilerUsedList = "llvm.compiler.used"
)

// listElements returns the values that the elements of a list name, in order.
// It fails on an element that does not name one.
func listElements(m *ir.Module, name string) (list ir.ValueID, values []ir.ValueID, found bool, err error) {
	list, found = m.Lookup(name)
	if !found || m.Values[list].Kind != ir.Variable || m.Values[list].Declaration {
		return 0, nil, false, nil
	}
	c, err := m.Initializer(list)
	if err != nil {
		return 0, nil, false, err
	}
	for _, e := range c.Elements {
		if e.Kind != ir.ConstantValue {
			return 0, nil, false, fmt.Errorf("@%s: an element of the list does not name a function or a variable", name)
		}
		values = append(values, e.Value)
	}
	return list, values, true, nil
}

// keepWhere leaves only the elements of the list for which keep is true, and
// reports whether it dropped any.
func keepWhere(m *ir.Module, name string, keep func(ir.ValueID) bool) (changed bool, err error) {
	list, values, found, err := listElements(m, name)
	if err != nil || !found {
		return false, err
	}
	kept := make([]int, 0, len(values))
	for _, i := range keptElements(&m.Values[list], len(values)) {
		if keep(values[i]) {
			kept = append(kept, i)
		} else {
			changed = true
		}
	}
	if changed {
		m.Values[list].EditDetails().KeepElements = kept
	}
	return changed, nil
}

// keptElements returns the indices of the elements that v still has, of n.
func keptElements(v *ir.GlobalValue, n int) []int {
	if keep := v.Details().KeepElements; keep != nil {
		return keep
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// clearUsed drops llvm.used and takes the device globals of SPIR modules off
// llvm.compiler.used, as the splitters of early front ends do: a device global
// that an image does not use would otherwise be in each of them.
func (g *Graph) clearUsed() error {
	if err := g.checkKernelUses(); err != nil {
		return err
	}
	if list, ok := g.Module.Lookup(usedList); ok {
		g.flags[list] |= flagDropped
		g.modified = true
	}
	if g.late || !sycl.IsSPIR(g.Module.Triple) {
		return nil
	}
	unlisted := make(map[ir.ValueID]bool)
	changed, err := keepWhere(g.Module, compilerUsedList, func(id ir.ValueID) bool {
		if g.IsDeviceGlobal(id) {
			unlisted[id] = true
		}
		return !unlisted[id]
	})
	g.modified = g.modified || changed
	if err == nil && changed {
		g.dropUnused(unlisted)
	}
	return err
}

// dropUnused drops the device globals that only the list named. Their linkage
// does not count: it is external, which would keep them as roots.
func (g *Graph) dropUnused(unlisted map[ir.ValueID]bool) {
	users := g.usersOf(unlisted)
	for id := range unlisted {
		used := slices.ContainsFunc(users[id], func(user ir.ValueID) bool {
			name := g.Module.Values[user].Name
			return name != compilerUsedList && g.flags[user]&flagDropped == 0
		})
		if !used {
			g.flags[id] |= flagDropped
		}
	}
}

// checkKernelUses refuses kernels that llvm.used names and that code or data
// uses too: only the host may launch a kernel.
func (g *Graph) checkKernelUses() error {
	list, values, found, err := listElements(g.Module, usedList)
	if err != nil || !found {
		return err
	}
	kernels := make(map[ir.ValueID]bool)
	for _, id := range values {
		if g.IsKernel(id) {
			kernels[id] = true
		}
	}
	if len(kernels) == 0 {
		return nil
	}
	users := g.usersOf(kernels)
	for _, id := range values {
		for _, user := range users[id] {
			if user != list && !strings.HasPrefix(g.Module.Values[user].Name, "llvm.") {
				//lint:ignore ST1005 scripts look for the reference's text
				return fmt.Errorf("Unexpected usage of SYCL kernel: @%s uses @%s; move the code that both need into a function", g.Module.Values[user].Name, g.Module.Values[id].Name)
			}
		}
	}
	return nil
}
