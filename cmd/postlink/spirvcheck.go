package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/spirv"
	"offlink/split"
)

// restricted are extensions for constructs that few devices take. llvm-spirv may use
// them, as it would fail without naming the function that has the construct. A module
// that needs one is refused with that name, unless -spirv-ext allows the extension.
var restricted = []struct {
	capability spirv.Capability
	extension  string
	find       func(*constructFinder, ir.ValueID) (string, error)
	advice     string
}{
	{
		spirv.CapabilityArbitraryPrecisionIntegersINTEL, "SPV_INTEL_arbitrary_precision_integers", (*constructFinder).oddInteger,
		"compile with -fno-vectorize -fno-slp-vectorize -mllvm -replexitval=never, with which clang's optimiser makes none",
	},
	{
		spirv.CapabilityAsmINTEL, "SPV_INTEL_inline_assembly", (*constructFinder).inlineAssembly,
		"take it out",
	},
	{
		spirv.CapabilityMaskedGatherScatterINTEL, "SPV_INTEL_masked_gather_scatter", (*constructFinder).pointerVectors,
		"compile with -fno-vectorize -fno-slp-vectorize, with which clang's optimiser makes none",
	},
}

// checkExtensions refuses SPIR-V that needs a restricted extension, naming the
// function and a kernel that reaches it.
func (t *translator) checkExtensions(words []byte, partition *split.Partition) error {
	if t.options.Extensions != "" {
		return nil
	}
	capabilities, err := spirv.Capabilities(words)
	if err != nil {
		return err
	}
	for _, r := range restricted {
		if !slices.Contains(capabilities, r.capability) {
			continue
		}
		where, found, err := findConstruct(partition, r.find)
		if err != nil {
			return err
		}
		if !found {
			where = strings.TrimSuffix(kernelNames(partition), ": ") + " needs an extension"
		}
		return fmt.Errorf("-to=spirv: %s: %s; few devices take that (%s): %s, or allow it (-spirv-ext=+all allows every extension)", t.path, where, r.extension, r.advice)
	}
	return nil
}

// explainFailure replaces the error of a translator that failed or crashed at a
// construct that -spirv-ext does not allow.
func (t *translator) explainFailure(failure error, partition *split.Partition) error {
	if t.options.Extensions == "" || t.ctx.Err() != nil {
		return failure
	}
	for _, r := range restricted {
		if listAllows(t.options.Extensions, r.extension) {
			continue
		}
		if where, found, err := findConstruct(partition, r.find); err == nil && found {
			return fmt.Errorf("-to=spirv: %s: %s, and -spirv-ext does not allow %s: %s, or allow it", t.path, where, r.extension, r.advice)
		}
	}
	return failure
}

// listAllows reports whether a list as llvm-spirv's --spirv-ext has it allows an
// extension: "+NAME", "-NAME" and the same with "all"; the last one decides.
func listAllows(list, extension string) (allowed bool) {
	for item := range strings.SplitSeq(list, ",") {
		if name := strings.TrimLeft(item, "+-"); name == extension || name == "all" {
			allowed = strings.HasPrefix(item, "+")
		}
	}
	return allowed
}

// findConstruct names the first function or variable of the image in which find
// finds something, followed by the finding.
func findConstruct(partition *split.Partition, find func(*constructFinder, ir.ValueID) (string, error)) (where string, found bool, err error) {
	source, ok := partition.Module.Source.(ir.BodySource)
	if !ok {
		return "", false, nil
	}
	f := &constructFinder{module: partition.Module, reader: source.NewBodyReader()}
	for _, id := range partition.Definitions {
		what, err := find(f, id)
		if err != nil {
			return "", false, locatedError(partition.Module, err)
		}
		if what == "" {
			continue
		}
		return describePlace(partition, id) + " has " + what, true, nil
	}
	return "", false, nil
}

// describePlace names a function or variable, and the kernel that it is or belongs to.
func describePlace(partition *split.Partition, id ir.ValueID) string {
	name := partition.Module.Values[id].Name
	kernel, ok := kernelReaching(partition, id)
	switch {
	case !ok:
		return "@" + name
	case kernel == id:
		return "kernel " + name
	}
	return "@" + name + ", which kernel " + partition.Module.Values[kernel].Name + " uses,"
}

// kernelReaching returns the first kernel of the image from which a value is
// reached.
func kernelReaching(partition *split.Partition, target ir.ValueID) (ir.ValueID, bool) {
	for _, entry := range kernelsOf(partition) {
		seen := map[ir.ValueID]bool{entry: true}
		for work := []ir.ValueID{entry}; len(work) > 0; {
			id := work[len(work)-1]
			work = work[:len(work)-1]
			if id == target {
				return entry, true
			}
			for _, ref := range partition.Module.Refs(&partition.Module.Values[id]) {
				if ref.Kind() != ir.RefCallee && ref.Kind() != ir.RefAddress {
					continue
				}
				if next := ir.ValueID(ref.Index()); !seen[next] && partition.Defines(next) {
					seen[next] = true
					work = append(work, next)
				}
			}
		}
	}
	return 0, false
}

// constructFinder looks into function bodies.
type constructFinder struct {
	module *ir.Module
	reader ir.BodyReader
	body   ir.Body
}

// inlineAssembly says which inline assembly a function calls, "" if none.
func (f *constructFinder) inlineAssembly(id ir.ValueID) (string, error) {
	if f.module.Values[id].Kind != ir.Function {
		return "", nil
	}
	if err := f.reader.ReadBody(id, &f.body); err != nil {
		return "", err
	}
	for i := range f.body.Calls {
		if asm := f.body.Calls[i].Asm; asm != nil {
			return fmt.Sprintf("inline assembly (%q)", asm.Template), nil
		}
	}
	return "", nil
}

// oddInteger says which integers a value or its body has that no width of
// SPIR-V fits, "" if none.
func (f *constructFinder) oddInteger(id ir.ValueID) (string, error) {
	widths := map[uint32]bool{}
	err := f.eachType(id, func(t *ir.Type) {
		if t.Kind != ir.TypeInteger {
			return
		}
		switch t.Bits {
		case 1, 8, 16, 32, 64:
		default:
			widths[t.Bits] = true
		}
	})
	if err != nil {
		return "", err
	}
	if len(widths) == 0 {
		return "", nil
	}
	var list []string
	for _, width := range slices.Sorted(maps.Keys(widths)) {
		list = append(list, strconv.FormatUint(uint64(width), 10))
	}
	return "integers of " + strings.Join(list, ", ") + " bits", nil
}

// pointerVectors says whether a value or its body has vectors of pointers, which
// SPIR-V lacks, "" if none.
func (f *constructFinder) pointerVectors(id ir.ValueID) (found string, err error) {
	err = f.eachType(id, func(t *ir.Type) {
		if t.Kind == ir.TypeVector && t.Length > 1 && f.reader.Types()[t.Elements[0]].Kind == ir.TypePointer {
			found = "vectors of pointers"
		}
	})
	return found, err
}

// eachType calls visit with every type of a value and of its body, and with the
// types in these, each once.
func (f *constructFinder) eachType(id ir.ValueID, visit func(*ir.Type)) error {
	v := &f.module.Values[id]
	types := []ir.TypeID{v.Type}
	if v.Kind == ir.Function {
		if err := f.reader.ReadBody(id, &f.body); err != nil {
			return err
		}
		types = append(types, f.bodyTypes()...)
	}
	seen := map[ir.TypeID]bool{}
	for _, t := range types {
		f.visitType(t, seen, visit)
	}
	return nil
}

// bodyTypes returns the types of the body's instructions and operands.
func (f *constructFinder) bodyTypes() []ir.TypeID {
	var list []ir.TypeID
	for i := range f.body.Instructions {
		in := &f.body.Instructions[i]
		list = append(list, in.Type, in.Element)
		for _, o := range in.Operands {
			list = append(list, o.Type)
		}
	}
	for i := range f.body.Constants.Nodes {
		list = append(list, f.body.Constants.Nodes[i].Type)
	}
	return list
}

// visitType visits a type and the types in it that were not seen.
func (f *constructFinder) visitType(id ir.TypeID, seen map[ir.TypeID]bool, visit func(*ir.Type)) {
	all := f.reader.Types()
	if id == ir.NoType || int(id) >= len(all) || seen[id] {
		return
	}
	seen[id] = true
	visit(&all[id])
	for _, e := range all[id].Elements {
		f.visitType(e, seen, visit)
	}
}
