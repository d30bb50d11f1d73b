package bitcode

import (
	"offlink/ir"
	"offlink/ir/llvmschema"
)

// Calls decodes the direct calls that a function makes of the functions in
// callees.
func (s *source) Calls(function ir.ValueID, callees map[ir.ValueID]bool) ([]ir.Call, error) {
	index := s.values.entryOf(function).body()
	if index < 0 {
		return nil, nil
	}
	b := &s.bodies[index]
	var calls []ir.Call
	list := s.decodeInstructions(b)
	slots := newSlotFinder(s, b, list)
	for i := range list {
		in := &list[i]
		if in.call < 0 || !callees[ir.ValueID(in.operands[in.calleeIndex()].value)] {
			continue
		}
		call, err := s.decodeCall(slots, in)
		if err != nil {
			return nil, err
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// functionType returns the type that a call calls its callee with.
func (s *source) functionType(in *instruction) *ir.Type {
	return &s.module.Types[in.operands[in.calleeIndex()-1].value]
}

func (s *source) decodeCall(slots *slotFinder, in *instruction) (ir.Call, error) {
	at := in.calleeIndex()
	callee := ir.ValueID(in.operands[at].value)
	t := s.functionType(in)
	call := ir.Call{Index: in.call, Callee: callee, Result: t.Elements[0]}
	for i, parameter := range t.Elements[1:] {
		a := ir.Argument{Type: parameter, Constant: ir.Constant{Type: parameter}}
		a.SRet, a.Pointee = s.findSRet(in, callee, i, parameter)
		d := constantDecoder{source: s, body: slots.body}
		var c ir.Constant
		var err error
		switch o := in.operands[at+1+i]; o.kind {
		case opGlobalRel:
			c, err = d.globalConstant(uint32(o.value), 0)
		case opLocalRel:
			c, err = d.localConstant(o.value, 0)
		}
		if err != nil {
			return call, err
		}
		if c.Kind != ir.ConstantOther {
			a.Constant = c
		} else if o := in.operands[at+1+i]; o.kind == opLocalRel {
			if address, ok := slots.address(uint32(o.value)); ok {
				a.Constant.Kind, a.Constant.Value, a.FromSlot = ir.ConstantValue, address, true
			}
		}
		call.Arguments = append(call.Arguments, a)
	}
	return call, nil
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
