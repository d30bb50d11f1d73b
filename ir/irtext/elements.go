package irtext

import (
	"slices"
	"sync"

	"offlink/ir"
)

// elementTable remembers an array initialiser of which partitions
// keep some elements, so that a partition costs as much as it keeps.
type elementTable struct {
	once   sync.Once
	fault  *fault
	header header
	places []span
	refs   [][]ir.Ref
}

// elementTableOf returns the table of a variable, making it when it is new.
func (t *text) elementTableOf(id ir.ValueID) (*elementTable, *fault) {
	entry, _ := t.arrays.LoadOrStore(id, new(elementTable))
	table := entry.(*elementTable)
	table.once.Do(func() { table.fault = catchFault(func() { table.fillTable(t, id) }) })
	return table, table.fault
}

// fillTable finds the elements and the references of each of them. An initialiser
// that is not an array in brackets has none.
func (e *elementTable) fillTable(t *text, id ir.ValueID) {
	p := t.newParser()
	at, found := p.findInitializer(id)
	e.header = p.header
	if !found {
		return
	}
	p.pos = at.start
	if !p.acceptByte('[') {
		return
	}
	p.refs = t.borrowSink()
	defer t.sinks.Put(p.refs)
	for more := p.peekByte() != ']'; more; more = p.acceptByte(',') {
		p.refs.beginValue()
		p.peekByte()
		start := p.pos
		p.parseOperand()
		e.places = append(e.places, p.spanFrom(start))
		e.refs = append(e.refs, slices.Clone(p.refs.list))
	}
}

// ElementRefs implements [ir.Source].
func (t *text) ElementRefs(id ir.ValueID, keep []int) ([]ir.Ref, error) {
	table, f := t.elementTableOf(id)
	if f != nil {
		return nil, errorAt(t.module.Path, t.data, f)
	}
	var refs []ir.Ref
	for _, i := range keep {
		if i < len(table.refs) {
			refs = append(refs, table.refs[i]...)
		}
	}
	return refs, nil
}
