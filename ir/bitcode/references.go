package bitcode

import (
	"errors"
	"runtime"
	"slices"
	"sync"

	"offlink/ir"
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
	"offlink/parallel"
)

// errTooMany stops inputs that name one large table from everywhere.
var errTooMany = errors.New("the constants of the module are named so often that listing all references would take too long")

// walkConstants walks a constant of the module and the constants that it is made of, leaving out
// those that seen has already, and calls value for each global value that is named.
func (s *source) walkConstants(seen *seen, from uint32, value func(id uint32)) error {
	globals, steps := uint64(s.values.count()), int64(0)
	stack := []uint32{from}
	for len(stack) > 0 {
		d := s.constants.openRecord(int(stack[len(stack)-1]))
		stack = stack[:len(stack)-1]
		rec, first := d.takeHead(), len(stack)
		// Each function lists the globals that its constants name: a table of a million names
		// that a million functions use would take forever, and s.budget ends that.
		steps += int64(rec.count) + 1
		for range rec.count {
			switch o := d.takeOperand(); {
			case o.kind == opBytes:
				d.takeBytes(o.value)
			case o.kind != opGlobal:
			case o.value < globals:
				value(uint32(o.value))
			case seen.firstTime(uint32(o.value - globals)):
				stack = append(stack, uint32(o.value-globals))
			}
		}
		// So that values are noted in the order of the operands.
		slices.Reverse(stack[first:])
	}
	if s.budget.Add(-steps) < 0 {
		return errTooMany
	}
	return nil
}

// readBodies reads the function bodies, which stand in the order of the
// functions that have one.
func (r *moduleReader) readBodies(c *bitstream.Cursor) error {
	s := r.source
	for i := range s.values.count() {
		entry := s.values.entryOf(ir.ValueID(i))
		if entry.recordCode() == llvmschema.ModuleFunction && !r.module.Values[i].Declaration {
			// Bodies have no names: the n-th is that of the n-th function that is defined.
			entry.setBody(len(s.bodies))
			s.bodies = append(s.bodies, body{function: ir.ValueID(i)})
		}
	}
	if len(s.bodies) != len(r.bodies) {
		return c.Errorf("%d functions are defined, %d have a body", len(s.bodies), len(r.bodies))
	}
	var lock sync.Mutex
	err := inParallel(len(s.bodies), func() func(int) error {
		br := newBodyReader(s)
		var cursor bitstream.Cursor
		return func(i int) error {
			if err := br.readBody(c.OpenInto(r.bodies[i], &cursor), &s.bodies[i]); err != nil {
				return err
			}
			v := &r.module.Values[s.bodies[i].function]
			s.bodies[i].refs = slices.Clone(br.refs)
			if len(br.attachments) > 0 {
				d := v.EditDetails()
				d.Attachments = append(d.Attachments, br.attachments...)
			}
			r.addRareFacts(br, &lock)
			return nil
		}
	})
	r.markLabels()
	return err
}

// inParallel calls the function that start returns for 0 to n-1; each goroutine has one of its own.
// The error is the one of the lowest number. Goroutines take several numbers at a time, as most
// bodies are small.
func inParallel(n int, start func() func(int) error) error {
	const chunk = 64
	return parallel.ForEach((n+chunk-1)/chunk, runtime.GOMAXPROCS(0), func() func(int) error {
		do := start()
		return func(c int) error {
			for i := c * chunk; i < min((c+1)*chunk, n); i++ {
				if err := do(i); err != nil {
					return err
				}
			}
			return nil
		}
	})
}

// finishMetadata fills the model's table of nodes: the metadata of the module,
// then that of each function.
func (r *moduleReader) finishMetadata(c *bitstream.Cursor) error {
	s := r.source
	base := uint64(len(s.metadata.entries))
	for i := range s.bodies {
		s.bodies[i].base = ir.NodeID(base)
		if base += uint64(len(s.bodies[i].metadata.entries)); base > ir.MaxIndex {
			return c.Errorf("more than %d metadata nodes", ir.MaxIndex)
		}
	}
	own := newNodeBuilder(s)
	for i := range s.metadata.entries {
		if err := own.addNode(&s.metadata, i, 0); err != nil {
			return err
		}
	}
	tables := make([]ir.NodeTable, len(s.bodies))
	err := inParallel(len(s.bodies), func() func(int) error {
		nb := newNodeBuilder(s)
		return func(i int) error {
			b := &s.bodies[i]
			nb.table = ir.NodeTable{}
			for j := range b.metadata.entries {
				if err := nb.addNode(&b.metadata, j, b.base); err != nil {
					return err
				}
			}
			tables[i] = nb.table
			return nil
		}
	})
	r.module.Nodes = own.table
	r.module.Nodes.Grow(int(base)-len(s.metadata.entries), 0)
	for i := range tables {
		r.module.Nodes.Append(&tables[i])
	}
	return err
}

// nodeBuilder makes entries of the model's table of nodes. Every goroutine has its own; the tables
// are joined in the order of the functions.
type nodeBuilder struct {
	source    *source
	table     ir.NodeTable
	constants seen
	values    seen
	refs      []ir.Ref
}

func newNodeBuilder(s *source) *nodeBuilder {
	return &nodeBuilder{source: s, constants: newSeen(s.constants.count()), values: newSeen(s.values.count())}
}

// addNode appends an entry of a metadata table. base is the number of the function's first node.
// Bitcode names nodes by their place among all entries, strings and values included, so these are
// nodes of the model too, of the kinds "string" and "value". A record that names a value refers to
// the global values in it.
func (nb *nodeBuilder) addNode(t *metadataTable, i int, base ir.NodeID) error {
	nb.refs = nb.refs[:0]
	if t.entries[i].size != isRecord {
		nb.table.Add([]byte("string"), nil)
		return nil
	}
	nb.constants.resetSeen()
	nb.values.resetSeen()
	d := t.openRecord(i)
	rec := d.takeHead()
	for range rec.count {
		o := d.takeOperand()
		if o.kind == opBytes {
			d.takeBytes(o.value)
			continue
		}
		if err := nb.addOperand(t, o, base); err != nil {
			return err
		}
	}
	kind := "value"
	if rec.code != llvmschema.MetadataValue {
		kind = llvmschema.Nodes.Get()[rec.code].Kind
	}
	nb.table.Add([]byte(kind), nb.refs)
	return nil
}

// addOperand notes the reference that an operand of metadata is.
func (nb *nodeBuilder) addOperand(t *metadataTable, o operand, base ir.NodeID) error {
	switch o.kind {
	case opGlobal:
		return nb.addValue(uint32(o.value))
	case opNode, opNodePlus1:
		return nb.addReference(&nb.source.metadata, o.value, 0)
	case opFunNode, opFunNodePlus1:
		return nb.addReference(t, o.value, base)
	}
	return nil
}

// addReference notes a reference to an entry of a table.
func (nb *nodeBuilder) addReference(t *metadataTable, i uint64, base ir.NodeID) error {
	if t.entries[i].size != isRecord {
		return nil
	}
	d := t.openRecord(int(i))
	if d.takeHead().code != llvmschema.MetadataValue {
		nb.refs = append(nb.refs, ir.MakeRef(ir.RefNode, uint32(i)+uint32(base)))
		return nil
	}
	d.takeOperand() // type
	if o := d.takeOperand(); o.kind == opGlobal {
		return nb.addValue(uint32(o.value))
	}
	return nil
}

// addValue notes the global values that a value is made of.
func (nb *nodeBuilder) addValue(id uint32) error {
	note := func(id uint32) {
		if nb.values.firstTime(id) {
			nb.refs = append(nb.refs, ir.MakeRef(ir.RefAddress, id))
		}
	}
	if n := uint32(nb.source.values.count()); id >= n {
		if !nb.constants.firstTime(id - n) {
			return nil
		}
		return nb.source.walkConstants(&nb.constants, id-n, note)
	}
	note(id)
	return nil
}

// finishValues completes the references of the global values. It runs last, when bodies have noted
// theirs, and copies all references of a value into one piece of memory: the signature first, so
// that the references of a declaration are a prefix of the list.
func (r *moduleReader) finishValues(*bitstream.Cursor) error {
	s := r.source
	constants, values := newSeen(s.constants.count()), newSeen(s.values.count())
	arena := r.module.NewRefArena()
	var refs []ir.Ref
	for i := range s.values.count() {
		v := &r.module.Values[i]
		refs = s.appendSignature(refs[:0], v)
		if len(refs) > ir.MaxSignatureRefs {
			return errorAt(0, "@%s: a signature that refers to too many types and attributes", v.Name)
		}
		v.SignatureRefs = uint16(len(refs))
		values.resetSeen()
		constants.resetSeen()
		err := s.headerRefs(s.headerRecord(ir.ValueID(i)), &constants, func(id uint32) {
			if values.firstTime(id) {
				refs = append(refs, ir.MakeRef(ir.RefAddress, id))
			}
		})
		if err != nil {
			return err
		}
		if b := s.values.entryOf(ir.ValueID(i)).body(); b >= 0 {
			refs = r.bodyRefs(&s.bodies[b], refs, v)
		}
		if !arena.Store(v, refs) {
			return errorAt(0, "@%s: the module has too many references", v.Name)
		}
	}
	return nil
}

// appendSignature appends the references of a declaration of the value. Integers and floats are
// left out: they are in every module's table and refer to nothing.
func (s *source) appendSignature(refs []ir.Ref, v *ir.GlobalValue) []ir.Ref {
	if t := &s.module.Types[v.Type]; t.Kind != ir.TypeInteger && t.Kind != ir.TypeFloat {
		refs = append(refs, ir.MakeRef(ir.RefType, uint32(v.Type)))
	}
	for _, g := range v.Details().Groups {
		refs = append(refs, ir.MakeRef(ir.RefAttributes, uint32(g)))
	}
	return refs
}

// headerRefs calls value for each global value that the initialiser, the aliasee, or the data and
// personality of a function name.
func (s *source) headerRefs(rec globalRecord, constants *seen, value func(uint32)) error {
	values, n := rec.headerValues()
	for _, id := range values[:n] {
		if n := uint32(s.values.count()); id < n {
			value(id)
		} else if constants.firstTime(id - n) {
			if err := s.walkConstants(constants, id-n, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// headerValues returns the values that the record itself names, the first n of the list. A function
// has up to three: prefix data, prologue data and personality; a variable has its initialiser.
func (v globalRecord) headerValues() (list [3]uint32, n int) {
	if v.isIndirect() {
		list[0] = uint32(v.fieldAt(aliasTarget))
		return list, 1
	}
	for _, at := range v.constantFields() {
		if id := v.fieldAt(at); id > 0 {
			list[n] = uint32(id - 1)
			n++
		}
	}
	return list, n
}

// bodyRefs appends the references that the body made. Those to the function's own metadata, and its
// attachments, get the model's numbers, which are not known while functions are read in parallel.
func (r *moduleReader) bodyRefs(b *body, refs []ir.Ref, v *ir.GlobalValue) []ir.Ref {
	n := uint32(len(r.source.metadata.entries))
	shift := uint32(b.base) - n
	header := len(refs)
	for _, ref := range b.refs {
		if ref.Kind() == ir.RefNode && ref.Index() >= n {
			ref = ir.MakeRef(ir.RefNode, ref.Index()+shift)
		}
		if !slices.Contains(refs[:header], ref) {
			refs = append(refs, ref)
		}
	}
	b.refs = nil
	attached := v.Details().Attachments
	for i := range attached {
		if o := &attached[i].Operand; uint32(o.Node) >= n {
			o.Node += ir.NodeID(shift)
		}
	}
	return refs
}
