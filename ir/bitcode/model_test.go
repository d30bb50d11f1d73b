package bitcode_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/ir"
	"offlink/ir/irtext"
)

// The model that is read of bitcode is the one that is read of its text: the
// values, their references and attachments, and the decoded initialisers and
// metadata.
func TestModel(t *testing.T) {
	check := func(t *testing.T, m *module) {
		text, err := irtext.Parse(m.name, []byte(m.text(t)))
		if err != nil {
			t.Fatal(err)
		}
		want, got := describe(t, text), describe(t, m.read(t))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the model differs from that of the text (-want +got):\n%s", diff)
		}
	}
	t.Run("golden", func(t *testing.T) {
		eachGolden(t, func(t *testing.T, m *module) {
			if m.version == "14" || m.version == "19" {
				check(t, m)
			}
		})
	})
	t.Run("clang", func(t *testing.T) { eachProgram(t, check) })
}

// describe spells a module value by value.
func describe(t *testing.T, m *ir.Module) map[string][]string {
	t.Helper()
	d := describer{t, m}
	// LLVM amends data layouts when it reads bitcode.
	all := map[string][]string{"module": {m.SourceFilename, m.Triple}}
	for _, n := range m.NamedMetadata {
		all["named "+n.Name] = d.operands(n.Operands, 0)
	}
	for i := range m.Values {
		v := &m.Values[i]
		if v.Name == "" || strings.HasPrefix(v.Name, "llvm.dbg") {
			continue // LLVM turns debug intrinsics into records and back
		}
		all[v.Name] = d.value(ir.ValueID(i))
	}
	return all
}

type describer struct {
	*testing.T
	module *ir.Module
}

func (d describer) value(id ir.ValueID) []string {
	m, v := d.module, &d.module.Values[id]
	comdat := ""
	if v.Comdat != ir.NoComdat {
		comdat = m.Comdats[v.Comdat].Name + " " + m.Comdats[v.Comdat].Selection
	}
	space := v.AddressSpace
	if v.Kind == ir.Alias {
		space = 0 // text says it by the type of the aliasee
	}
	list := []string{fmt.Sprint(v.Kind, v.Linkage, v.Declaration, v.Constant, space, d.module.CallingConv(v), comdat)}
	add := func(a ir.Attribute) { list = append(list, "attribute "+a.Key+"="+a.Value) }
	for _, g := range v.Details().Groups {
		for _, a := range m.AttributeGroups[g].Strings {
			add(a)
		}
	}
	for _, a := range v.Details().Attributes {
		add(a)
	}
	for _, p := range v.Details().Parameters {
		list = append(list, fmt.Sprintf("parameter %d %s=%s", p.Index, p.Key, p.Value))
	}
	for _, a := range v.Details().Attachments {
		list = append(list, "attached "+a.Kind+" "+d.operand(a.Operand, 0))
	}
	if v.Kind != ir.Function && (v.Kind != ir.Variable || !v.Declaration) {
		c, err := m.Initializer(id)
		if err != nil {
			d.Fatal(err)
		}
		list = append(list, "initialiser "+d.constant(c))
	}
	return slices.Concat(sorted(list), d.refs(d.module.Refs(v)))
}

func sorted(list []string) []string { slices.Sort(list); return list }

// refs spells references to global values, in an order of their own.
func (d describer) refs(refs []ir.Ref) (list []string) {
	for _, r := range refs {
		var name string
		switch r.Kind() {
		case ir.RefCallee, ir.RefAddress:
			if name = d.module.Values[r.Index()].Name; strings.HasPrefix(name, "llvm.dbg") {
				continue
			}
		case ir.RefIndirectCall:
			if name = d.typ(ir.TypeID(r.Index())); name == "..." {
				continue
			}
		default:
			continue
		}
		list = append(list, fmt.Sprintf("refers %d %s", r.Kind(), name))
	}
	return sorted(list)
}

// typ spells a type by its fields in the model.
func (d describer) typ(id ir.TypeID) string {
	if id == ir.NoType {
		return "..."
	}
	t := &d.module.Types[id]
	var elements []string
	if !t.Identified {
		for _, e := range t.Elements {
			elements = append(elements, d.typ(e))
		}
	}
	return fmt.Sprint(t.Kind, t.Name, t.Identified, t.Bits, t.AddressSpace, t.Length, t.Packed, t.Scalable, t.Variadic, elements)
}

func (d describer) operands(operands []ir.Operand, depth int) (list []string) {
	for _, o := range operands {
		list = append(list, d.operand(o, depth))
	}
	return list
}

// operand spells metadata: tuples as trees, other nodes by their kind.
func (d describer) operand(o ir.Operand, depth int) string {
	switch o.Kind {
	case ir.OperandString:
		return fmt.Sprintf("%q", o.String)
	case ir.OperandInt:
		return fmt.Sprintf("i%d %d", o.Bits, o.Int)
	case ir.OperandValue:
		return "@" + d.module.Values[o.Value].Name
	case ir.OperandNode, ir.OperandTuple:
		if o.Kind == ir.OperandNode && d.module.Nodes.Kind(o.Node) != "" {
			return d.module.Nodes.Kind(o.Node)
		}
		operands, err := d.module.Resolve(o)
		if err != nil {
			d.Fatal(err)
		}
		if depth > 4 {
			return "{...}"
		}
		return "{" + strings.Join(d.operands(operands, depth+1), ", ") + "}"
	}
	return fmt.Sprint("operand ", o.Kind)
}

func (d describer) constant(c ir.Constant) string {
	switch c.Kind {
	case ir.ConstantInt, ir.ConstantFloat:
		return fmt.Sprintf("%d:%d:%#x", c.Kind, c.Bits, c.Int)
	case ir.ConstantBytes:
		return fmt.Sprintf("%q", c.Bytes)
	case ir.ConstantAggregate:
		var list []string
		for _, e := range c.Elements {
			list = append(list, d.constant(e))
		}
		return "[" + strings.Join(list, " ") + "]"
	case ir.ConstantValue:
		return "@" + d.module.Values[c.Value].Name
	}
	return fmt.Sprint("constant ", c.Kind)
}
