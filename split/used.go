package split

import (
	"fmt"
	"slices"
	"strings"

	"offlink/ir"
	"offlink/ir/sycl"
)

// The lists of values that a linker must not drop. llvm.used has done its
// work when a module is split: it named the kernels, which are entry points.
// llvm.compiler.used keeps what it names.
const (
	usedList         = "llvm.used"
	compilerUsedList = "llvm.compiler.used"
)

// listElements returns the values that the elements of a list name, in order;
// false at an element that names none.
func listElements(m *ir.Module, name string) (list ir.ValueID, values []ir.ValueID, found bool, err error) {
	list, found = m.Lookup(name)
	if !found || m.Values[list].Kind != ir.Variable || m.Values[list].Declaration {
		return 0, nil, false, nil
	}
	c, err := m.Source.Initializer(list)
	if err != nil {
		return 0, nil, false, err
	}
	for _, e := range c.Elements {
		if e.Kind != ir.ConstantValue {
			return 0, nil, false, fmt.Errorf("@%s: an element of the list names no function and no variable", name)
		}
		values = append(values, e.Value)
	}
	return list, values, true, nil
}

// keepWhere leaves only the elements of the list for which keep is true, and
// reports whether any went.
func keepWhere(m *ir.Module, name string, keep func(ir.ValueID) bool) (changed bool, err error) {
	list, values, found, err := listElements(m, name)
	if err != nil || !found {
		return false, err
	}
	left := make([]int, 0, len(values))
	for _, i := range keptElements(&m.Values[list], len(values)) {
		if keep(values[i]) {
			left = append(left, i)
		} else {
			changed = true
		}
	}
	if changed {
		m.Values[list].EditDetails().KeepElements = left
	}
	return changed, nil
}

// keptElements returns the indices of the elements that v still has of n.
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

// clearUsed empties llvm.used and, where the front end's splitter does, takes
// the device globals of SPIR modules off llvm.compiler.used.
func (g *Graph) clearUsed() error {
	if err := g.checkKernelUses(); err != nil {
		return err
	}
	if list, ok := g.Module.Lookup(usedList); ok {
		g.flags[list] |= flagGone
		g.modified = true
	}
	late, err := sycl.IsLateFrontEnd(g.Module)
	if err != nil || late || !sycl.IsSPIR(g.Module.Triple) {
		return err
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

// dropUnused drops the device globals that only the list named, whatever their
// linkage.
func (g *Graph) dropUnused(unlisted map[ir.ValueID]bool) {
	users := g.users(unlisted)
	for id := range unlisted {
		used := slices.ContainsFunc(users[id], func(user ir.ValueID) bool {
			name := g.Module.Values[user].Name
			return name != compilerUsedList && g.flags[user]&flagGone == 0
		})
		if !used {
			g.flags[id] |= flagGone
		}
	}
}

// checkKernelUses refuses kernels that llvm.used names and something else
// uses: only the host may.
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
	users := g.users(kernels)
	for _, id := range values {
		for _, user := range users[id] {
			if user != list && !strings.HasPrefix(g.Module.Values[user].Name, "llvm.") {
				return fmt.Errorf("Unexpected usage of SYCL kernel: @%s uses @%s; move what both need into a function", g.Module.Values[user].Name, g.Module.Values[id].Name)
			}
		}
	}
	return nil
}
