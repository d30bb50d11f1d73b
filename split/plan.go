package split

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"offlink/ir"
	"offlink/ir/sycl"
)

// globalScope names the group of the whole module, as the reference does.
const globalScope = "<GLOBAL>"

// Part tells whether an image holds explicit-SIMD code, other code, or both.
type Part uint8

// The parts, with the numbers of !sycl-esimd-split-status.
const (
	PartSYCL  Part = 0 // no ESIMD code, or a group without its ESIMD part
	PartESIMD Part = 1 // nothing but ESIMD entry points
	PartBoth  Part = 2
)

// Group is a group of entry points that becomes one image.
type Group struct {
	// Scope is the value that the mode groups by: the source file, the entry
	// point's name, or "<GLOBAL>".
	Scope string
	// Key orders the groups: scope and optional features.
	Key string
	// Entries are in module order.
	Entries []ir.ValueID
	// Whole is true where the module is not split: the image also has every
	// definition that is visible from outside.
	Whole bool
	Part  Part

	bothParts []ir.ValueID // of a group in two parts: the entries of both
	elsewhere []ir.ValueID // variables that only another group may have; see PlaceImageScope
}

// Plan returns the groups in the order of the images' numbers: by descending
// key.
func (g *Graph) Plan() ([]Group, error) {
	groups, err := g.groupByKey()
	if err != nil {
		return nil, err
	}
	if g.options.Mode == None || len(groups) == 0 || (g.options.Single && g.options.Mode == Auto) {
		groups = []Group{{Scope: globalScope, Key: globalScope, Entries: g.Entries, Whole: true}}
	}
	if err := g.checkSIMD(); err != nil {
		return nil, err
	}
	return g.separateESIMD(groups), nil
}

func (g *Graph) groupByKey() ([]Group, error) {
	if g.options.Mode == None || (g.options.Single && g.options.Mode == Auto) {
		return nil, nil
	}
	byKey := make(map[string]int)
	var groups []Group
	for _, id := range g.Entries {
		scope, key, err := g.groupKey(id)
		if err != nil {
			return nil, err
		}
		i, ok := byKey[key]
		if !ok {
			i = len(groups)
			byKey[key] = i
			groups = append(groups, Group{Scope: scope, Key: key})
		}
		groups[i].Entries = append(groups[i].Entries, id)
	}
	sort.Slice(groups, func(i, j int) bool { return groups[i].Key > groups[j].Key })
	return groups, nil
}

// groupKey returns the scope of an entry point and the whole key of its group.
// Images are numbered by descending keys, so the key is spelled as the
// reference spells it.
func (g *Graph) groupKey(id ir.ValueID) (scope, key string, err error) {
	v := &g.Module.Values[id]
	if g.options.Mode == Kernel {
		return v.Name, v.Name, nil
	}
	var b strings.Builder
	for _, k := range []attributeKey{keyModuleID, keyIndirectlyCallable, keyRegisterAllocMode, keyGRFSize} {
		g.addAttribute(&b, v, k)
	}
	if err := g.addIntegers(&b, v); err != nil {
		return "", "", err
	}
	g.addAttribute(&b, v, keyOptLevel)
	for _, kind := range []string{sycl.KindJointMatrix, sycl.KindJointMatrixMad} {
		if err := g.addStrings(&b, v, kind); err != nil {
			return "", "", err
		}
	}
	scope, _ = g.attributes.lookupAttribute(v, keyModuleID)
	return scope, b.String(), nil
}

// addAttribute adds a part of the key. A '-' follows every part.
func (g *Graph) addAttribute(b *strings.Builder, v *ir.GlobalValue, k attributeKey) {
	value, _ := g.attributes.lookupAttribute(v, k)
	b.WriteString(value)
	b.WriteByte('-')
}

// addStrings adds a part of the key from metadata that holds strings. A '-'
// precedes each string.
func (g *Graph) addStrings(b *strings.Builder, v *ir.GlobalValue, kind string) error {
	operands, ok, err := sycl.Attached(g.Module, v, kind)
	if err != nil {
		return err
	}
	if ok {
		if _, _, err := sycl.FirstString(g.Module, v, kind); err != nil {
			return err
		}
	}
	for _, o := range operands {
		b.WriteByte('-')
		b.WriteString(o.String)
	}
	b.WriteByte('-')
	return nil
}

// addIntegers adds the parts of the key from metadata that holds numbers. A
// '-' precedes each number, which is spelled without a sign.
func (g *Graph) addIntegers(b *strings.Builder, v *ir.GlobalValue) error {
	for _, kind := range []string{sycl.KindUsedAspects, sycl.KindWorkGroupSize, sycl.KindWorkGroupDimensions, sycl.KindSubGroupSize} {
		numbers, err := sycl.Integers(g.Module, v, kind)
		if err != nil {
			return err
		}
		unsigned := make([]uint32, len(numbers))
		for i, n := range numbers {
			unsigned[i] = uint32(n)
		}
		if kind == sycl.KindUsedAspects {
			slices.Sort(unsigned)
		}
		for _, n := range unsigned {
			fmt.Fprintf(b, "-%d", n)
		}
		b.WriteByte('-')
	}
	return nil
}
