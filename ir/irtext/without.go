package irtext

import (
	"slices"

	"offlink/ir"
)

// borrowSink returns an empty sink. It has to be put back into t.sinks, since a sink is as large as
// the tables of the module.
func (t *text) borrowSink() *refSink {
	sink, ok := t.sinks.Get().(*refSink)
	if !ok {
		sink = newRefSink(t.module, len(t.nodes))
	}
	sink.beginValue()
	return sink
}

// RefsWithout implements [ir.Source]. The attachments of a removed instruction count all the same,
// since the instructions that replace it have its location.
func (t *text) RefsWithout(function ir.ValueID, instructions []int) ([]ir.Ref, error) {
	p := t.newParser()
	p.refs = t.borrowSink()
	defer t.sinks.Put(p.refs)
	number := 0
	p.onInstruction = func(site *instructionSite) {
		if len(instructions) > 0 && instructions[0] == number {
			instructions = instructions[1:]
			p.refs.dropAfter(site.refs)
			p.parseAgain(site.tail, site.end, p.instructionTail)
		}
		number++
	}
	if f := catchFault(func() { p.scanBody(function) }); f != nil {
		return nil, errorAt(t.module.Path, t.data, f)
	}
	refs := slices.Clone(p.refs.list)
	for _, r := range t.module.Refs(&t.module.Values[function]) {
		if r.Kind() == ir.RefIndirectCall {
			refs = append(refs, r)
		}
	}
	return refs, nil
}
