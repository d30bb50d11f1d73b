package irtext_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/llir/llvm/asm"
	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"

	"offlink/ir"
	"offlink/ir/irtext"
)

// seen is the part of a global value that two readers must agree on.
type seen struct {
	Name, Kind, Linkage, Convention string
	Declaration                     bool
	Attributes                      []string
}

// Our reader and github.com/llir/llvm see the same values in modules with
// typed pointers.
func TestAgreesWithLlir(t *testing.T) {
	for _, program := range programs {
		if !strings.Contains(program.flags, "spir") && program.file != "host.c" {
			continue
		}
		for _, mode := range []string{"-O0", "-O2"} {
			t.Run(program.file+program.flags+mode, func(t *testing.T) {
				data := compile(t, "14", mode+" "+program.flags, program.file)
				theirs, err := asm.ParseBytes(program.file, withoutNews(data))
				if err != nil {
					t.Fatal(err)
				}
				ours, err := irtext.Parse(program.file, data)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(seenByLlir(theirs), seenByUs(ours)); diff != "" {
					t.Errorf("llir and our reader differ (-llir +ours):\n%s", diff)
				}
			})
		}
	}
}

// withoutNews takes out text that LLVM 14 prints and llir v0.3.6 does not read.
func withoutNews(module []byte) []byte {
	text := string(module)
	for _, attribute := range []string{"mustprogress", "nocallback", "memory(none)"} {
		text = strings.ReplaceAll(text, " "+attribute, "")
	}
	return []byte(text)
}

func seenByUs(m *ir.Module) (all []seen) {
	for i := range m.Values {
		v := &m.Values[i]
		s := seen{Name: v.Name, Linkage: v.Linkage.String(), Convention: m.CallingConv(v), Declaration: v.Declaration}
		s.Kind = [...]string{"function", "variable", "alias", "ifunc"}[v.Kind]
		for _, g := range v.Details().Groups {
			for _, a := range m.AttributeGroups[g].Strings {
				s.Attributes = append(s.Attributes, a.Key+"="+a.Value)
			}
		}
		for _, a := range v.Details().Attributes {
			s.Attributes = append(s.Attributes, a.Key+"="+a.Value)
		}
		all = append(all, s)
	}
	return sorted(all)
}

func sorted(all []seen) []seen {
	slices.SortFunc(all, func(a, b seen) int { return strings.Compare(a.Name, b.Name) })
	for i := range all {
		slices.Sort(all[i].Attributes)
	}
	return all
}

func seenByLlir(m *llir.Module) (all []seen) {
	for _, g := range m.Globals {
		all = append(all, seen{Name: g.Name(), Kind: "variable", Linkage: linkage(g.Linkage), Declaration: g.Init == nil})
	}
	for _, a := range m.Aliases {
		all = append(all, seen{Name: a.Name(), Kind: "alias", Linkage: linkage(a.Linkage)})
	}
	for _, f := range m.IFuncs {
		all = append(all, seen{Name: f.Name(), Kind: "ifunc", Linkage: linkage(f.Linkage)})
	}
	for _, f := range m.Funcs {
		s := seen{Name: f.Name(), Kind: "function", Linkage: linkage(f.Linkage), Declaration: len(f.Blocks) == 0}
		if f.CallingConv != enum.CallingConvNone {
			s.Convention = f.CallingConv.String()
		}
		for _, a := range f.FuncAttrs {
			s.Attributes = append(s.Attributes, llirStrings(a)...)
		}
		all = append(all, s)
	}
	return sorted(all)
}

// llirStrings returns the string attributes that a function attribute of llir
// stands for.
func llirStrings(a llir.FuncAttribute) (list []string) {
	switch a := a.(type) {
	case *llir.AttrGroupDef:
		for _, a := range a.FuncAttrs {
			list = append(list, llirStrings(a)...)
		}
	case llir.AttrString:
		list = append(list, string(a)+"=")
	case llir.AttrPair:
		list = append(list, a.Key+"="+a.Value)
	}
	return list
}

func linkage(l enum.Linkage) string {
	if l == enum.LinkageNone {
		return "external"
	}
	return l.String()
}
