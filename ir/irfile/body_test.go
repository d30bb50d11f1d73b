package irfile_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/internal/testtool"
	"offlink/ir"
	"offlink/ir/bitcode"
	"offlink/ir/irtext"
)

// bodyText spells a decoded body so that bodies of both codecs compare.
type bodyText struct {
	module *ir.Module
	types  []ir.Type
	body   *ir.Body
	strings.Builder
}

func (t *bodyText) typ(id ir.TypeID) string {
	if id == ir.NoType {
		return "?"
	}
	e := t.types[id]
	switch {
	case e.Identified:
		return "%" + e.Name
	case e.Kind == ir.TypePointer && len(e.Elements) == 0:
		return fmt.Sprintf("ptr%d", e.AddressSpace)
	}
	list := make([]string, len(e.Elements))
	for i, id := range e.Elements {
		list[i] = t.typ(id)
	}
	return fmt.Sprint(e.Kind, e.Bits, e.AddressSpace, e.Length, e.Packed, e.Variadic, e.Scalable, e.Numbers, list)
}

func (t *bodyText) value(v ir.Value) string {
	switch v.Kind {
	case ir.ValueGlobal:
		return "@" + t.module.Values[v.Index].Name
	case ir.ValueConstant:
		return t.typ(v.Type) + " " + t.constant(&t.body.Constants.Nodes[v.Index])
	case ir.ValueMetadata:
		m := t.body.Metadata[v.Index]
		if len(m.Values) > 0 {
			return "metadata" + t.values(m.Values)
		}
		return "metadata"
	}
	return fmt.Sprint(v.Kind, ":", v.Index, " ", t.typ(v.Type))
}

func (t *bodyText) values(list []ir.Value) string {
	var b strings.Builder
	for _, v := range list {
		b.WriteString(" [" + t.value(v) + "]")
	}
	return b.String()
}

func (t *bodyText) constant(c *ir.ConstantNode) string {
	s := fmt.Sprint(c.Kind, c.Words, c.Bytes)
	if e := c.Expression; e != nil {
		s += fmt.Sprint(e.Op, e.Predicate, e.Flags, e.Indices, t.typ(e.Element))
	}
	return s + t.values(c.Operands)
}

func (t *bodyText) attributes(list []ir.AttributeDetail) string {
	var words []string
	for _, a := range list {
		if a.Name == "range" || a.Name == "captures" || a.Name == "initializes" || a.Name == "allockind" || a.Name == "vscale_range" || a.Name == "allocsize" || a.Name == "nofpclass" {
			a.Value, a.Int = "", 0
		}
		if a.Name == "captures" {
			a.Name = "nocapture" // as LLVM before 21 has it
		}
		if a.Name == "memory" && a.Value != "none" && a.Value != "read" {
			a.Value = "other"
		}
		words = append(words, fmt.Sprint(a.Name, a.Value, a.Int, t.typ(a.Type)))
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

func (t *bodyText) set(s *ir.AttributeSet) string {
	out := t.attributes(s.Function) + " | " + t.attributes(s.Result)
	for i, p := range s.Parameters {
		if len(p) > 0 {
			out += fmt.Sprint(" | ", i, " ", t.attributes(p))
		}
	}
	return out
}

func (t *bodyText) instruction(in *ir.Instruction) {
	if in.Op == ir.OpCall && strings.HasPrefix(t.value(in.Operands[0]), "@llvm.lifetime.") {
		return // LLVM 22 drops the size where it prints
	}
	fmt.Fprintf(t, "  %q = %v %v %v %v %v %#x align %d : %s element %s %v %q%s", in.Name, in.Op, in.Predicate, in.Operation,
		in.Order, in.FailureOrder, in.Flags, in.Align, t.typ(in.Type), t.typ(in.Element), in.Indices, in.Scope, t.values(in.Operands))
	if in.Location != nil {
		fmt.Fprintf(t, " at %d:%d", in.Location.Line, in.Location.Column)
	}
	for _, a := range in.Attachments {
		fmt.Fprintf(t, " !%s", a.Kind)
	}
	if in.Call >= 0 {
		c := &t.body.Calls[in.Call]
		fmt.Fprintf(t, " %s %s %+v", c.CallingConv, t.set(&c.Attributes), c.Asm)
		for _, b := range c.Bundles {
			fmt.Fprintf(t, " %s(%s)", b.Tag, t.values(b.Operands))
		}
	}
	t.WriteString("\n")
}

// spell spells everything that the module's bodies hold.
func spell(t *testing.T, m *ir.Module) string {
	t.Helper()
	r := m.Source.(ir.BodySource).NewBodyReader()
	var body ir.Body
	out := &bodyText{module: m, body: &body}
	for i := range m.Values {
		id, v := ir.ValueID(i), &m.Values[i]
		if strings.HasPrefix(v.Name, "llvm.lifetime.") {
			continue
		}
		h, err := r.ReadHeader(id)
		if err != nil {
			t.Fatal(err)
		}
		out.types = r.Types()
		if strings.HasPrefix(v.Name, "llvm.") {
			h.Attributes = ir.AttributeSet{} // each LLVM has its own for its intrinsics
		}
		fmt.Fprintf(out, "%s %d %q %v %s\n", v.Name, h.Alignment, h.Section, h.ThreadLocal, out.set(&h.Attributes))
		switch {
		case v.Declaration:
		case v.Kind == ir.Function:
			if err := r.ReadBody(id, &body); err != nil {
				t.Fatal(err)
			}
			out.types = r.Types()
			fmt.Fprintln(out, body.ArgumentNames)
			for _, b := range body.Blocks {
				fmt.Fprintf(out, " %q:\n", b.Name)
				for j := b.First; j < b.End; j++ {
					out.instruction(&body.Instructions[j])
				}
			}
		default:
			body.Constants.Nodes = body.Constants.Nodes[:0]
			root, err := r.ReadInitializer(id, &body.Constants)
			if err != nil {
				t.Fatal(err)
			}
			out.types = r.Types()
			fmt.Fprintln(out, out.value(root))
		}
	}
	return out.String()
}

// sameBodies checks that both codecs decode the same bodies.
func sameBodies(t *testing.T, text, code string) {
	t.Helper()
	data, err := os.ReadFile(text)
	if err != nil {
		t.Fatal(err)
	}
	a, err := irtext.Parse(text, data)
	if err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(code); err != nil {
		t.Fatal(err)
	}
	b, err := bitcode.Read(code, data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sorted(spell(t, a)), sorted(spell(t, b))); diff != "" {
		t.Errorf("text (-) and bitcode (+) of %s differ:\n%.4000s", text, diff)
	}
}

// sorted cuts the text into the parts of the global values, in the order of
// their names: bitcode has its own order.
func sorted(text string) []string {
	var parts []string
	for line := range strings.SplitAfterSeq(text, "\n") {
		if line == "" {
			continue
		}
		if line[0] != ' ' && line[0] != '[' || len(parts) == 0 {
			parts = append(parts, "")
		}
		parts[len(parts)-1] += line
	}
	slices.Sort(parts)
	return parts
}

func TestBodiesOfBothCodecs(t *testing.T) {
	files, err := filepath.Glob("../../testdata/sycl/*/*/ir.ll")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	for _, text := range files {
		t.Run(strings.ReplaceAll(strings.TrimPrefix(text, "../../testdata/sycl/"), "/", "_"), func(t *testing.T) {
			sameBodies(t, text, strings.TrimSuffix(text, ".ll")+".bc")
		})
	}
}

func TestBodiesOfAssembledText(t *testing.T) {
	for _, test := range []struct{ file, as string }{
		{"instructions", "llvm-as-19"},
		{"constants", "llvm-as-19"},
		{"globals", "llvm-as-19"},
		{"records", "llvm-as-19"},
		{"typed", "llvm-as-14"},
		{"metadata", "llvm-as-19"},
		{"names", "llvm-as-19"},
	} {
		t.Run(test.file, func(t *testing.T) {
			if !testtool.Installed(test.as) {
				t.Skip(test.as, "is not installed")
			}
			text := "../irtext/testdata/whole/" + test.file + ".ll"
			code := filepath.Join(t.TempDir(), "a.bc")
			if out, err := exec.Command(test.as, text, "-o", code).CombinedOutput(); err != nil {
				t.Skipf("%s: %s", test.as, out)
			}
			// Printing with the same tool spells the assembler's result.
			plain := filepath.Join(t.TempDir(), "a.ll")
			if out, err := exec.Command(strings.Replace(test.as, "-as", "-dis", 1), code, "-o", plain).CombinedOutput(); err != nil {
				t.Fatalf("%s", out)
			}
			sameBodies(t, plain, code)
		})
	}
}
