package split

import (
	"fmt"
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/ir/sycl"
)

// SYCL annotations stand in for the attributes that a SYCL front end writes:
// stock clang records __attribute__((annotate("sycl-..."))) in
// llvm.global.annotations, a structure for each, {value, string, file, line[,
// arguments]}.
//
//	"sycl-<name>"          an attribute without a value
//	"sycl-<name>=<value>"  an attribute with that value
//	"sycl-<name>", N       the same with a number
//
// kernelAnnotation does not become an attribute: it makes the function a
// kernel, for the languages without a keyword for kernels.
const (
	annotationPrefix = "sycl-"
	kernelAnnotation = "sycl-kernel"
)

// ApplyAnnotations turns the SYCL annotations of a module into attributes of the annotated
// functions and variables, takes these off the lists of used values, and deletes the annotations.
// It reports whether there were any. Attributes that a value has already take precedence over its
// annotations: a SYCL front end knows more than the header that a stock compiler read.
func ApplyAnnotations(m *ir.Module) (changed bool, err error) {
	list, ok := m.Lookup(annotationsList)
	if !ok || m.Values[list].Declaration || m.Values[list].Kind != ir.Variable {
		return false, nil
	}
	c, err := m.Initializer(list)
	if err != nil {
		return false, err
	}
	a := annotator{module: m, applied: make(map[ir.ValueID]map[string]string)}
	others := []int{}
	for i := range c.Elements {
		ours, err := a.applyElement(c.Elements[i].Elements)
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
	return true, a.finishEdits()
}

// annotator applies the annotations of a module. applied has the attributes of each annotated
// value.
type annotator struct {
	module  *ir.Module
	applied map[ir.ValueID]map[string]string
}

// applyElement applies one element of the list, and reports whether it is a SYCL annotation.
// Annotations of declarations are dropped: the image that defines the value has the attribute.
func (a *annotator) applyElement(fields []ir.Constant) (ours bool, err error) {
	if len(fields) < 2 || fields[0].Kind != ir.ConstantValue || fields[1].Kind != ir.ConstantValue {
		return false, nil
	}
	text, err := a.stringOf(fields[1].Value)
	if err != nil || !strings.HasPrefix(text, annotationPrefix) {
		return false, err
	}
	v := &a.module.Values[fields[0].Value]
	if v.Declaration {
		return true, nil
	}
	if v.Kind != ir.Function && v.Kind != ir.Variable {
		return true, fmt.Errorf("the annotation %q is on the alias @%s: annotate its aliasee", text, v.Name)
	}
	key, value, hasValue := strings.Cut(text, "=")
	if len(fields) > 4 {
		number, has, err := a.integerArgument(fields[4])
		switch {
		case err != nil:
			return true, fmt.Errorf("the annotation %q on @%s: %w", text, v.Name, err)
		case has && hasValue:
			return true, fmt.Errorf("the annotation %q on @%s has a value and an argument: give one of them", text, v.Name)
		case has:
			value = number
		}
	}
	return true, a.addAttribute(fields[0].Value, key, value)
}

// stringOf returns the string that a variable holds, up to its NUL, or "" if it holds none.
func (a *annotator) stringOf(id ir.ValueID) (string, error) {
	v := &a.module.Values[id]
	if v.Kind != ir.Variable || v.Declaration {
		return "", nil
	}
	c, err := a.module.Initializer(id)
	if err != nil || c.Kind != ir.ConstantBytes {
		return "", err
	}
	text, _, _ := strings.Cut(string(c.Bytes), "\x00")
	return text, nil
}

// integerArgument returns the only argument of an annotation, an integer, as decimal text.
func (a *annotator) integerArgument(field ir.Constant) (text string, has bool, err error) {
	if field.Kind != ir.ConstantValue {
		return "", false, nil // null: the annotation has no arguments
	}
	c, err := a.module.Initializer(field.Value)
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

// addAttribute applies an annotation once. Two annotations of one name must agree, as their order
// in the list has no meaning.
func (a *annotator) addAttribute(id ir.ValueID, key, value string) error {
	v := &a.module.Values[id]
	applied := a.applied[id]
	if applied == nil {
		applied = make(map[string]string)
		a.applied[id] = applied
	}
	before, again := applied[key]
	if again && before != value {
		return fmt.Errorf("@%s is marked %s=%q and %s=%q: leave one of the annotations", v.Name, key, before, key, value)
	}
	applied[key] = value
	if !again {
		return a.setAttribute(id, key, value)
	}
	return nil
}

// setAttribute gives the value the attribute, unless it has one of that name.
func (a *annotator) setAttribute(id ir.ValueID, key, value string) error {
	v := &a.module.Values[id]
	if key == kernelAnnotation {
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
func (a *annotator) makeKernel(v *ir.GlobalValue) error {
	if v.Kind != ir.Function {
		return fmt.Errorf("@%s is marked %s and is not a function", v.Name, kernelAnnotation)
	}
	if sycl.IsKernelConvention(a.module.CallingConv(v)) {
		return nil
	}
	if t := a.module.Types[v.Type]; t.Kind == ir.TypeFunction && len(t.Elements) > 0 {
		if r := a.module.Types[t.Elements[0]]; r.Kind != ir.TypeOther || r.Name != "void" {
			return fmt.Errorf("@%s is marked %s and returns a value: a kernel returns nothing", v.Name, kernelAnnotation)
		}
	}
	id, ok := a.module.CallingConvID(sycl.KernelConvention(a.module.Triple))
	if !ok {
		return fmt.Errorf("@%s: the module has too many calling conventions", v.Name)
	}
	v.CallingConv = id
	return nil
}

// finishEdits takes the annotated values off the lists of used values, where stock compilers put
// them so that they survive. It refuses calls of functions that have become kernels, since the
// calls have the wrong convention now.
func (a *annotator) finishEdits() error {
	plain := func(id ir.ValueID) bool { return a.applied[id] == nil }
	for _, list := range []string{usedList, compilerUsedList} {
		if _, err := keepWhere(a.module, list, plain); err != nil {
			return err
		}
	}
	kernels := make(map[ir.ValueID]bool)
	for id, applied := range a.applied {
		if _, ok := applied[kernelAnnotation]; ok {
			kernels[id] = true
		}
	}
	if len(kernels) == 0 {
		return nil
	}
	for i := range a.module.Values {
		for _, ref := range a.module.Refs(&a.module.Values[i]) {
			if ref.Kind() == ir.RefCallee && kernels[ir.ValueID(ref.Index())] {
				return fmt.Errorf("@%s calls @%s, which is marked %s: move the code that both need into a function", a.module.Values[i].Name, a.module.Values[ref.Index()].Name, kernelAnnotation)
			}
		}
	}
	return nil
}
