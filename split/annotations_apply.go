package split

import (
	"fmt"
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/ir/sycl"
)

// Marks stand in for the attributes that a SYCL front end writes: stock clang
// notes __attribute__((annotate("sycl-..."))) in llvm.global.annotations, a
// structure for each, {value, string, file, line[, arguments]}.
//
//	"sycl-<name>"          an attribute without value
//	"sycl-<name>=<value>"  an attribute with that value
//	"sycl-<name>", N       the same with a number
//
// markKernel is no attribute: it makes the function a kernel, for the
// languages that have no word for it.
const (
	markPrefix = "sycl-"
	markKernel = "sycl-kernel"
)

// ApplyAnnotations turns the marks of a module into attributes of the marked
// functions and variables, takes these off the lists of used values, and
// deletes the marks. It reports whether there were any. Attributes that a
// value has already win over its marks.
func ApplyAnnotations(m *ir.Module) (changed bool, err error) {
	list, ok := m.Lookup(annotationsList)
	if !ok || m.Values[list].Declaration || m.Values[list].Kind != ir.Variable {
		return false, nil
	}
	c, err := m.Source.Initializer(list)
	if err != nil {
		return false, err
	}
	a := marker{module: m, marks: make(map[ir.ValueID]map[string]string)}
	others := []int{}
	for i := range c.Elements {
		ours, err := a.read(c.Elements[i].Elements)
		if err != nil {
			return false, fmt.Errorf("@%s: element %d: %w", annotationsList, i, err)
		}
		if !ours {
			others = append(others, i)
		}
	}
	if len(others) == len(c.Elements) {
		return false, nil
	}
	m.Values[list].EditDetails().KeepElements = others
	return true, a.finish()
}

// marker collects the marks of a module.
type marker struct {
	module *ir.Module
	marks  map[ir.ValueID]map[string]string
}

// read takes in one entry, and reports whether it is a mark.
func (a *marker) read(fields []ir.Constant) (ours bool, err error) {
	if len(fields) < 2 || fields[0].Kind != ir.ConstantValue || fields[1].Kind != ir.ConstantValue {
		return false, nil
	}
	text, err := a.text(fields[1].Value)
	if err != nil || !strings.HasPrefix(text, markPrefix) {
		return false, err
	}
	v := &a.module.Values[fields[0].Value]
	if v.Declaration {
		return true, nil
	}
	if v.Kind != ir.Function && v.Kind != ir.Variable {
		return true, fmt.Errorf("the mark %q is on the alias @%s: mark what it stands for", text, v.Name)
	}
	key, value, hasValue := strings.Cut(text, "=")
	if len(fields) > 4 {
		number, has, err := a.argument(fields[4])
		switch {
		case err != nil:
			return true, fmt.Errorf("the mark %q on @%s: %w", text, v.Name, err)
		case has && hasValue:
			return true, fmt.Errorf("the mark %q on @%s has a value and an argument: give one of them", text, v.Name)
		case has:
			value = number
		}
	}
	return true, a.add(fields[0].Value, key, value)
}

// text returns the string that a variable holds.
func (a *marker) text(id ir.ValueID) (string, error) {
	v := &a.module.Values[id]
	if v.Kind != ir.Variable || v.Declaration {
		return "", nil
	}
	c, err := a.module.Source.Initializer(id)
	if err != nil || c.Kind != ir.ConstantBytes {
		return "", err
	}
	text, _, _ := strings.Cut(string(c.Bytes), "\x00")
	return text, nil
}

// argument returns the one integer argument of a mark as decimal text.
func (a *marker) argument(field ir.Constant) (text string, has bool, err error) {
	if field.Kind != ir.ConstantValue {
		return "", false, nil // null: the annotation has none
	}
	c, err := a.module.Source.Initializer(field.Value)
	if err != nil {
		return "", false, err
	}
	if c.Kind == ir.ConstantZero {
		if t := a.module.Types[c.Type]; t.Kind == ir.TypeStruct && len(t.Elements) == 1 {
			return "0", true, nil
		}
	}
	if c.Kind != ir.ConstantAggregate || len(c.Elements) != 1 || c.Elements[0].Kind != ir.ConstantInt {
		return "", false, fmt.Errorf("its argument is not one integer")
	}
	n := c.Elements[0]
	shift := 64 - min(max(n.Bits, 1), 64)
	return strconv.FormatInt(int64(n.Int<<shift)>>shift, 10), true, nil
}

// add notes a mark. Two marks of one name must agree.
func (a *marker) add(id ir.ValueID, key, value string) error {
	v := &a.module.Values[id]
	marks := a.marks[id]
	if marks == nil {
		marks = make(map[string]string)
		a.marks[id] = marks
	}
	before, again := marks[key]
	if again && before != value {
		return fmt.Errorf("@%s is marked %s=%q and %s=%q: leave one of the marks", v.Name, key, before, key, value)
	}
	marks[key] = value
	if !again {
		return a.apply(id, key, value)
	}
	return nil
}

// apply gives the value the attribute, unless it has one of that name.
func (a *marker) apply(id ir.ValueID, key, value string) error {
	v := &a.module.Values[id]
	if key == markKernel {
		return a.makeKernel(v)
	}
	if _, has := a.module.Attribute(id, key); !has {
		d := v.EditDetails()
		d.Attributes = append(d.Attributes, ir.Attribute{Key: key, Value: value})
	}
	return nil
}

// makeKernel gives a function the calling convention of kernels on its
// target.
func (a *marker) makeKernel(v *ir.GlobalValue) error {
	if v.Kind != ir.Function {
		return fmt.Errorf("@%s is marked %s and is no function", v.Name, markKernel)
	}
	if sycl.IsKernelConvention(v.CallingConv) {
		return nil
	}
	if t := a.module.Types[v.Type]; t.Kind == ir.TypeFunction && len(t.Elements) > 0 {
		if r := a.module.Types[t.Elements[0]]; r.Kind != ir.TypeOther || r.Name != "void" {
			return fmt.Errorf("@%s is marked %s and returns a value: a kernel returns nothing", v.Name, markKernel)
		}
	}
	v.CallingConv = sycl.KernelConvention(a.module.Triple)
	return nil
}

// finish takes the marked values off the lists of used values, and refuses
// calls of functions that have become kernels: the calls have the wrong
// convention now.
func (a *marker) finish() error {
	unmarked := func(id ir.ValueID) bool { return a.marks[id] == nil }
	for _, list := range []string{usedList, compilerUsedList} {
		if _, err := keepWhere(a.module, list, unmarked); err != nil {
			return err
		}
	}
	kernels := make(map[ir.ValueID]bool)
	for id, marks := range a.marks {
		if _, ok := marks[markKernel]; ok {
			kernels[id] = true
		}
	}
	if len(kernels) == 0 {
		return nil
	}
	for i := range a.module.Values {
		for _, ref := range a.module.Values[i].Refs {
			if ref.Kind() == ir.RefCallee && kernels[ir.ValueID(ref.Index())] {
				return fmt.Errorf("@%s calls @%s, which is marked %s: move what both need into a function", a.module.Values[i].Name, a.module.Values[ref.Index()].Name, markKernel)
			}
		}
	}
	return nil
}
