package bitcode

import (
	"offlink/ir"
	"offlink/ir/llvmschema"
)

// functionType returns the type that a call calls its callee with.
func (s *source) functionType(in *instruction) *ir.Type {
	return &s.module.Types[in.operands[in.calleeIndex()-1].value]
}

// findSRet reports whether a parameter is where the result goes, and the type of
// that.
func (s *source) findSRet(in *instruction, callee ir.ValueID, parameter int, pointer ir.TypeID) (bool, ir.TypeID) {
	lists := []uint64{s.headerRecord(callee).attributeList()}
	if in.operands[0].kind == opList {
		lists = append(lists, in.operands[0].value)
	}
	for _, list := range lists {
		if list == 0 {
			continue
		}
		for _, g := range s.lists[list-1] {
			if s.groups[g].index != uint64(parameter)+1 {
				continue
			}
			if found, t := s.groups[g].sretType(); found {
				if to := s.module.Types[pointer].Elements; t == ir.NoType && len(to) == 1 {
					t = to[0]
				}
				return true, t
			}
		}
	}
	return false, 0
}

// sretType returns the type that the group's attribute sret names, if there is one.
func (g *groupRecord) sretType() (found bool, t ir.TypeID) {
	for p := (attributeParser{list: g.attributes}); !p.atEnd(); {
		switch a := p.nextAttribute(); {
		case llvmschema.AttributeName(a.kind) != "sret":
		case a.form == llvmschema.AttributeTyped:
			return true, ir.TypeID(g.attributes[a.end-1])
		case a.form == llvmschema.AttributeEnum || a.form == llvmschema.AttributeNoType:
			return true, ir.NoType
		}
	}
	return false, ir.NoType
}
