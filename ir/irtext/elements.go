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

// elements returns the table of a variable, making it when it is new.
func (t *text) elements(id ir.ValueID) (*elementTable, *fault) {
	entry, _ := t.arrays.LoadOrStore(id, new(elementTable))
	table := entry.(*elementTable)
	table.once.Do(func() { table.fault = catch(func() { table.fill(t, id) }) })
	return table, table.fault
}

// fill finds the elements and the references of each of them. An initialiser
// that is not an array in brackets has none.
func (e *elementTable) fill(t *text, id ir.ValueID) {
	p := t.parser()
	at, found := p.initializer(id)
	e.header = p.header
	if !found {
		return
	}
	p.pos = at.start
	if !p.accept('[') {
		return
	}
	p.refs = t.borrowSink()
	defer t.sinks.Put(p.refs)
	for more := p.peek() != ']'; more; more = p.accept(',') {
		p.refs.begin()
		p.peek()
		start := p.pos
		p.operand()
		e.places = append(e.places, p.spanFrom(start))
		e.refs = append(e.refs, slices.Clone(p.refs.list))
	}
}

// ElementRefs implements [ir.Source].
func (t *text) ElementRefs(id ir.ValueID, keep []int) ([]ir.Ref, error) {
	table, f := t.elements(id)
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
