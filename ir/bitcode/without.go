package bitcode

import (
	"offlink/ir"
	"offlink/ir/llvmschema"
)

// removeInstructions returns the records of a body without the instructions of
// those numbers, and without the operand bundles before them.
func (s *source) removeInstructions(b *body, numbers []int) []instruction {
	list := s.decodeInstructions(b)
	left := list[:0]
	number, bundles := 0, 0
	for _, in := range list {
		switch {
		case in.code == llvmschema.FunctionOperandBundle:
			bundles++
		case in.recordLayout().Counts:
			gone := len(numbers) > 0 && numbers[0] == number
			number++
			if gone {
				// Operand bundles are records in front of the call that they belong to.
				left, numbers = left[:len(left)-bundles], numbers[1:]
			}
			bundles = 0
			if gone {
				continue
			}
		}
		left = append(left, in)
	}
	return left
}

// RefsWithout implements [ir.Source]. A call that is removed takes more with it than its callee:
// constants and metadata that only its arguments named. So the references of the body are collected
// again without it.
func (s *source) RefsWithout(function ir.ValueID, instructions []int) ([]ir.Ref, error) {
	v := &s.module.Values[function]
	index := s.values.entryOf(function).body()
	if index < 0 {
		return s.module.Refs(v), nil
	}
	b := &s.bodies[index]
	r := rewriter{source: s, old: b}
	list := s.removeInstructions(b, instructions)
	r.markLive(list)
	// The collector is the reader of bodies, so that both give references in one order.
	c := newRefCollector(s, b)
	defer s.collectors.Put(c.bodyReader)
	refs := s.appendSignature(nil, v)
	err := s.headerRefs(s.headerRecord(function), &c.constants, func(id uint32) {
		if c.addresses.firstTime(id) {
			refs = append(refs, ir.MakeRef(ir.RefAddress, id))
		}
	})
	if err == nil {
		err = c.collectBody(&r, list)
	}
	refs = append(refs, c.refs...)
	// Calls without a known callee stay, as only direct ones are taken out.
	for _, ref := range s.module.Refs(v) {
		if ref.Kind() == ir.RefIndirectCall {
			refs = append(refs, ref)
		}
	}
	return refs, err
}

// refCollector lists the references of a body that is taken apart.
type refCollector struct {
	*bodyReader
	b *body
}

// newRefCollector takes a reader of bodies, for its sets of references.
func newRefCollector(s *source, b *body) *refCollector {
	r, _ := s.collectors.Get().(*bodyReader)
	if r == nil {
		r = newBodyReader(s)
	}
	r.beginBody(b)
	return &refCollector{r, b}
}

// collectBody notes the references that are left of a body.
func (c *refCollector) collectBody(r *rewriter, list []instruction) error {
	for i, live := range r.live {
		if !live {
			continue
		}
		c.useType(uint64(c.b.constants.types[i]))
		d := c.b.constants.openRecord(i)
		if err := c.collectOperands(d.takeOperands(d.takeHead(), nil), -1); err != nil {
			return err
		}
	}
	for i := range list {
		// The callee is RefCallee; every other operand that names a function is RefAddress.
		if err := c.collectOperands(list[i].operands, list[i].calleeIndex()); err != nil {
			return err
		}
	}
	// Attachments of instructions that went are noted too: they keep a node more than is
	// needed, never a value.
	for d := (decoder{data: c.b.attached}); !d.atEnd(); {
		if err := c.collectOperands(d.takeOperands(d.takeHead(), nil), -1); err != nil {
			return err
		}
	}
	return nil
}

// collectOperands notes the entries that operands name; one of them may be a callee.
func (c *refCollector) collectOperands(operands []operand, callee int) error {
	for i, o := range operands {
		switch o.kind {
		// Relative operands are stored absolute when they name a value of the module
		// (relativeOperand), so that all three are one case here.
		case opGlobalRel, opGlobalSigned, opGlobal:
			kind := ir.RefAddress
			if i == callee {
				kind = ir.RefCallee
			}
			if err := c.useValue(uint32(o.value), kind); err != nil {
				return err
			}
		case opType, opForwardType:
			c.useType(o.value)
		case opList:
			c.useList(uint32(o.value - 1))
		case opNode, opNodePlus1, opNodeRel:
			if err := c.useNode(o.value); err != nil {
				return err
			}
		case opFunNode, opFunNodePlus1, opFunNodeRel:
			if err := c.useOwnNode(o.value, uint64(c.b.base)); err != nil {
				return err
			}
		}
	}
	return nil
}
