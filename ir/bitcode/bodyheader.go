package bitcode

import "offlink/ir"

// attributeKinds names the attributes by the numbers that bitcode has for
// them (AttributeKindCodes in LLVM's LLVMBitCodes.h).
var attributeKinds = [...]string{
	1: "align", 2: "alwaysinline", 3: "byval", 4: "inlinehint", 5: "inreg", 6: "minsize", 7: "naked", 8: "nest",
	9: "noalias", 10: "nobuiltin", 11: "nocapture", 12: "noduplicate", 13: "noimplicitfloat", 14: "noinline",
	15: "nonlazybind", 16: "noredzone", 17: "noreturn", 18: "nounwind", 19: "optsize", 20: "readnone", 21: "readonly",
	22: "returned", 23: "returns_twice", 24: "signext", 25: "alignstack", 26: "ssp", 27: "sspreq", 28: "sspstrong",
	29: "sret", 30: "sanitize_address", 31: "sanitize_thread", 32: "sanitize_memory", 33: "uwtable", 34: "zeroext",
	35: "builtin", 36: "cold", 37: "optnone", 38: "inalloca", 39: "nonnull", 40: "jumptable", 41: "dereferenceable",
	42: "dereferenceable_or_null", 43: "convergent", 44: "safestack", 45: "argmemonly", 46: "swiftself",
	47: "swifterror", 48: "norecurse", 49: "inaccessiblememonly", 50: "inaccessiblemem_or_argmemonly",
	51: "allocsize", 52: "writeonly", 53: "speculatable", 54: "strictfp", 55: "sanitize_hwaddress", 56: "nocf_check",
	57: "optforfuzzing", 58: "shadowcallstack", 59: "speculative_load_hardening", 60: "immarg", 61: "willreturn",
	62: "nofree", 63: "nosync", 64: "sanitize_memtag", 65: "preallocated", 66: "nomerge", 67: "null_pointer_is_valid",
	68: "noundef", 69: "byref", 70: "mustprogress", 71: "nocallback", 72: "hot", 73: "noprofile", 74: "vscale_range",
	75: "swiftasync", 76: "nosanitize_coverage", 77: "elementtype", 78: "disable_sanitizer_instrumentation",
	79: "nosanitize_bounds", 80: "allocalign", 81: "allocptr", 82: "allockind", 83: "presplitcoroutine",
	84: "fn_ret_thunk_extern", 85: "skipprofile", 86: "memory", 87: "nofpclass", 88: "optdebug", 89: "writable",
	90: "coro_only_destroy_when_complete", 91: "dead_on_unwind", 92: "range", 93: "sanitize_numerical_stability",
	94: "initializes", 95: "hybrid_patchable", 96: "sanitize_realtime", 97: "sanitize_realtime_blocking",
	98: "coro_elide_safe", 99: "noext", 100: "nodivergencesource", 101: "sanitize_type", 102: "captures",
	103: "dead_on_return", 104: "sanitize_alloc_token", 105: "nocreateundeforpoison",
}

// attributeSet decodes an attribute list; list is one more than its number.
func (d *bodyDecoder) attributeSet(list uint64) (set ir.AttributeSet) {
	if list == 0 || list > uint64(len(d.source.lists)) {
		return set
	}
	for _, id := range d.source.lists[list-1] {
		g := &d.source.groups[id]
		details := g.details()
		switch index := g.index; {
		case index == functionIndex:
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

// details decodes the attributes of a group.
func (g *groupRecord) details() (list []ir.AttributeDetail) {
	for p := (attributeParser{list: g.attributes}); !p.done(); {
		a := p.next()
		if p.failed {
			break
		}
		list = append(list, g.detail(&a))
	}
	return list
}

func (g *groupRecord) detail(a *attribute) ir.AttributeDetail {
	out := ir.AttributeDetail{Type: ir.NoType}
	switch a.form {
	case attributeString, attributeStringValue:
		out.Name, out.Value, out.String = a.key, a.value, true
		return out
	case attributeTyped:
		out.Type = ir.TypeID(g.attributes[a.end-1])
	case attributeInt:
		out.Int = g.attributes[a.end-1]
	}
	if a.kind < uint64(len(attributeKinds)) {
		out.Name = attributeKinds[a.kind]
	}
	if out.Name == "memory" {
		out.Value = memoryEffects(out.Int)
		out.Int = 0
	}
	return out
}

// memoryEffects spells what a function does with memory as text does, as far
// as all kinds of memory are treated alike; "other" if not. Two bits tell each
// kind: 1 is read, 2 is write. The topmost byte is the version of the encoding
// (LLVM 21).
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
	rec := s.record(id)
	h := &ir.Header{Attributes: d.attributeSet(rec.list())}
	section, _ := rec.tables()
	if section > 0 && section <= uint64(len(s.sections)) {
		h.Section = s.sections[section-1]
	}
	switch rec.code {
	case moduleVariable:
		h.Alignment = alignOf(rec.at(varAlign))
		h.ThreadLocal = rec.at(varThreadLocal) != 0
	case moduleFunction:
		h.Alignment = alignOf(rec.at(funcAlign))
	}
	return h, nil
}

// Operands beside those that globals.go names.
const (
	varAlign       = 4
	varThreadLocal = 7
	funcAlign      = 5
)
