package bitcode

import (
	"slices"

	"offlink/ir"
	"offlink/ir/llvmschema"
)

// attributeSet decodes an attribute list; list is one more than its number.
func (d *bodyDecoder) attributeSet(list uint64) (set ir.AttributeSet) {
	if list == 0 || list > uint64(len(d.source.lists)) {
		return set
	}
	for _, id := range d.source.lists[list-1] {
		g := &d.source.groups[id]
		details := d.groupDetails(id)
		switch index := g.index; {
		case index == llvmschema.FunctionIndex:
			set.Function = details
		case index == 0:
			set.Result = details
		case index < 1<<20:
			for uint64(len(set.Parameters)) < index {
				set.Parameters = append(set.Parameters, nil)
			}
			set.Parameters[index-1] = details
		}
	}
	return set
}

// groupDetails decodes the attributes of a group once: sets share them.
func (d *bodyDecoder) groupDetails(id ir.AttributeGroupID) []ir.AttributeDetail {
	list, known := d.details[id]
	if !known {
		list = slices.Clip(d.source.groups[id].attributeDetails())
		d.details[id] = list
	}
	return list
}

// attributeDetails decodes the attributes of a group.
func (g *groupRecord) attributeDetails() (list []ir.AttributeDetail) {
	for p := (attributeParser{list: g.attributes}); !p.atEnd(); {
		a := p.nextAttribute()
		if p.failed {
			break
		}
		list = append(list, g.attributeDetail(&a))
	}
	return list
}

func (g *groupRecord) attributeDetail(a *attribute) ir.AttributeDetail {
	out := ir.AttributeDetail{Type: ir.NoType}
	switch a.form {
	case llvmschema.AttributeString, llvmschema.AttributeStringValue:
		out.Name, out.Value, out.String = a.key, a.value, true
		return out
	case llvmschema.AttributeTyped:
		out.Type = ir.TypeID(g.attributes[a.end-1])
	case llvmschema.AttributeInt:
		out.Int = g.attributes[a.end-1]
	}
	out.Name = llvmschema.AttributeName(a.kind)
	if out.Name == "memory" {
		out.Value = memoryEffects(out.Int)
		out.Int = 0
	}
	return out
}

// memoryEffects spells the effects of a function on memory as text does, or returns "other" if
// kinds of memory are treated differently. Each kind has two bits: 1 is read, 2 is write. The
// topmost byte is the version of the encoding (LLVM 21).
func memoryEffects(n uint64) string {
	switch n & (1<<56 - 1) {
	case 0:
		return "none"
	case 0x15, 0x55, 0x155, 0x555:
		return "read"
	case 0x2a, 0xaa, 0x2aa, 0xaaa:
		return "write"
	}
	return "other"
}

// ReadHeader implements [ir.BodyReader].
func (d *bodyDecoder) ReadHeader(id ir.ValueID) (*ir.Header, error) {
	s := d.source
	rec := s.headerRecord(id)
	h := &ir.Header{Attributes: d.attributeSet(rec.attributeList())}
	section, _ := rec.tableFields()
	if section > 0 && section <= uint64(len(s.sections)) {
		h.Section = s.sections[section-1]
	}
	switch rec.code {
	case llvmschema.ModuleVariable:
		h.Alignment = alignOf(rec.fieldAt(varAlign))
		h.ThreadLocal = rec.fieldAt(varThreadLocal) != 0
	case llvmschema.ModuleFunction:
		h.Alignment = alignOf(rec.fieldAt(funcAlign))
	}
	return h, nil
}

// Operands besides those that globals.go names.
const (
	varAlign       = 4
	varThreadLocal = 7
	funcAlign      = 5
)
