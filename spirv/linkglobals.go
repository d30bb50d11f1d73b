package spirv

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Equal types and constants of several modules become one. Globals are copied in the order of
// the inputs, except that each comes after those to which it refers: an earlier module may
// import a variable that a later one defines.

// mergeGlobals copies types, constants and variables, without the line
// instructions among them.
func (l *linker) mergeGlobals() error {
	for _, u := range l.units {
		for _, in := range u.Module.Globals() {
			if in.Result() == 0 {
				continue
			}
			l.visitGlobal(target{u, in.Result()})
		}
	}
	return nil
}

// The states of a global during visitGlobal.
const (
	unvisited = iota
	opened    // the globals to which it refers are being copied
	copied
)

// visitGlobal copies a global after all globals to which it refers. It does not recurse: the
// input decides how deep types nest. A global stays on the stack while it is opened and is
// copied when it is on top again.
func (l *linker) visitGlobal(t target) {
	stack := []target{t}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		in := t.unit.Module.Def(t.id)
		state := t.unit.visited.get(t.id)
		if state == unvisited && !t.unit.dropped[t.id] {
			t.unit.visited.set(t.id, opened)
			stack = l.pushNamed(stack, t.unit, in)
			continue
		}
		stack = stack[:len(stack)-1]
		if state == opened {
			t.unit.visited.set(t.id, copied)
			l.copyGlobal(t.unit, in)
		}
	}
}

// pushNamed pushes the unvisited globals to which an instruction refers, the last one first,
// so that they are copied in the order of the operands.
func (l *linker) pushNamed(stack []target, u *unit, in *Instruction) []target {
	refs, _ := u.Module.operands(in, u.refs[:0])
	u.refs = refs
	for _, r := range slices.Backward(refs) {
		if !r.kind.isID() || r.kind == kindIdResult {
			continue
		}
		t := u.followAlias(ID(in.Words[r.at]))
		if t.isGlobal() && t.unit.visited.get(t.id) == unvisited && !l.mayFollow(in, t) {
			stack = append(stack, t)
		}
	}
	return stack
}

// mayFollow reports whether the global t may follow an instruction that refers to it: a
// recursive pointer may follow a struct, and debug information may follow debug information.
func (l *linker) mayFollow(in *Instruction, t target) bool {
	switch in.Op {
	case OpTypeStruct:
		return l.isRecursive(t)
	case OpExtInst:
		return t.unit.Module.Def(t.id).Op == OpExtInst
	}
	return false
}

// followAlias returns the symbol that replaces an import or a superseded export, or the
// identifier itself.
func (u *unit) followAlias(id ID) target {
	if t, ok := u.alias[id]; ok {
		return t
	}
	return target{u, id}
}

// isGlobal reports whether visitGlobal copies a target: it does not copy functions, their
// contents, or the sections before the globals.
func (t target) isGlobal() bool {
	in := t.unit.Module.Def(t.id)
	switch {
	case in == nil:
		return false
	case in.Op == OpVariable:
		return StorageClass(in.Words[2]) != StorageFunction
	case in.Op == OpUndef || in.Op == OpPoisonKHR || in.Op == OpExtInst:
		return t.unit.globals[t.id]
	}
	return isGlobal(in.Op)
}

// copyGlobal copies one global whose operands have been copied. One that has a new number
// already is not merged with an equal one: it is referred to by that number.
func (l *linker) copyGlobal(u *unit, in *Instruction) {
	if in.Op == OpTypePointer && l.isRecursive(target{u, in.Result()}) {
		l.copyRecursive(u, in)
		return
	}
	if in.Op == OpTypeStruct {
		l.declareForward(u, in)
	}
	if l.isShareable(u, in) && u.ids.get(in.Result()) == 0 {
		l.copyShared(u, sectionGlobal, in)
		return
	}
	l.out.sections[sectionGlobal] = append(l.out.sections[sectionGlobal], l.renumberInstruction(u, in))
}

// isShareable reports whether equal instructions become one. Specialization constants and
// decorated constants stay apart, and so do variables except built-in ones.
func (l *linker) isShareable(u *unit, in *Instruction) bool {
	if isType(in.Op) {
		return true
	}
	switch in.Op {
	case OpConstantTrue, OpConstantFalse, OpConstant, OpConstantComposite, OpConstantNull, OpConstantSampler, OpUndef:
		return len(u.Module.Decorations(in.Result())) == 0
	case OpVariable:
		_, ok := u.Module.IsBuiltIn(in.Result())
		return ok
	}
	return false
}

// copyShared copies an instruction, unless an equal one was copied before: then its identifier
// gets the number of that one.
func (l *linker) copyShared(u *unit, s section, in *Instruction) {
	key := l.contentKey(u, in)
	if id, ok := l.shared[key]; ok {
		u.ids.set(in.Result(), id)
		u.shared[in.Result()] = true
		return
	}
	out := l.renumberInstruction(u, in)
	l.shared[key] = u.ids.get(in.Result())
	l.out.sections[s] = append(l.out.sections[s], out)
}

// contentKey encodes everything that makes two instructions equal: the opcode, all words except
// the result, in new numbers, and the decorations.
func (l *linker) contentKey(u *unit, in *Instruction) string {
	_, r := in.Op.resultWords()
	words := l.newWords(u, in, r)
	words[r] = 0
	return contentKey(in.Op, words, u.Module.Decorations(in.Result()))
}

func contentKey(op Opcode, words []uint32, decorations []Decoration) string {
	key := binary.LittleEndian.AppendUint32(nil, uint32(op))
	key = appendWords(key, words)
	for _, d := range decorations {
		if d.Kind == DecorationLinkageAttributes {
			continue // some producers give built-in variables linkage, others do not
		}
		key = binary.LittleEndian.AppendUint32(key, uint32(d.Kind))
		key = binary.LittleEndian.AppendUint32(key, uint32(d.Member))
		key = appendWords(key, d.Words)
	}
	return string(key)
}

// appendWords appends a count and words, so that keys of lists do not run
// into one another.
func appendWords(key []byte, words []uint32) []byte {
	key = binary.LittleEndian.AppendUint32(key, uint32(len(words)))
	for _, w := range words {
		key = binary.LittleEndian.AppendUint32(key, w)
	}
	return key
}

// renumberInstruction returns the instruction with new numbers for its
// identifiers, the result included.
func (l *linker) renumberInstruction(u *unit, in *Instruction) *Instruction {
	return &Instruction{Op: in.Op, Words: l.newWords(u, in, -1)}
}

// newWords returns the operand words with new numbers, except for the word at
// skip. Identifiers without a new number get one.
func (l *linker) newWords(u *unit, in *Instruction, skip int) []uint32 {
	words := slices.Clone(in.Words)
	refs, _ := u.Module.operands(in, u.refs[:0])
	u.refs = refs
	for _, r := range refs {
		if r.kind.isID() && r.at != skip {
			words[r.at] = uint32(l.newNumber(u.followAlias(ID(in.Words[r.at]))))
		}
	}
	return words
}

// newNumber returns the new number of an identifier. It gives one on the first use, so that the
// numbering depends only on the inputs and their order.
func (l *linker) newNumber(t target) ID {
	if id := t.unit.ids.get(t.id); id != 0 {
		return id
	}
	if l.isRecursive(t) {
		return l.numberRecursive(t)
	}
	id := l.next
	l.next++
	t.unit.ids.set(t.id, id)
	return id
}

// Recursive types. A struct that contains a pointer to itself names that
// pointer before it is defined, after an OpTypeForwardPointer. Such pointers
// are compared by the whole graph of types that they reach.

// isRecursive reports whether an identifier is a pointer type that is declared forward and
// reaches itself. The first query computes its graph.
func (l *linker) isRecursive(t target) bool {
	if !t.unit.forward[t.id] {
		return false
	}
	key, known := t.unit.graphs[t.id]
	if !known {
		key = l.pointerGraph(t)
		t.unit.graphs[t.id] = key
	}
	return key != ""
}

// numberRecursive gives a recursive pointer its new number: that of an equal one, if there was
// any. Its graph identifies it, since its words do not exist before its pointee has a number.
func (l *linker) numberRecursive(t target) ID {
	key := t.unit.graphs[t.id]
	id, ok := l.shared[key]
	if !ok {
		id = l.next
		l.next++
		l.shared[key] = id
	} else {
		t.unit.shared[t.id] = true
	}
	t.unit.ids.set(t.id, id)
	return id
}

// pointerGraph encodes the types that a pointer reaches, numbered in the order
// of a breadth-first walk: two pointers are equal if the texts are. It is empty
// if the pointer does not reach itself. After l.room steps the text is a unique
// one, so that a hostile input costs bounded time and its types stay apart.
func (l *linker) pointerGraph(root target) string {
	g := graphWalk{u: root.unit, index: map[ID]uint32{}}
	g.queueIndex(root.id)
	for at := 0; at < len(g.queue); at++ {
		words := g.appendType(g.queue[at])
		if l.room -= len(words); l.room < 0 {
			return fmt.Sprintf("pointer %d of input %d", root.id, root.unit.index)
		}
	}
	if !g.recursive {
		return ""
	}
	return string(g.text)
}

// graphWalk is the breadth-first walk of pointerGraph. The index of a type in queue takes the place
// of its identifier in text.
type graphWalk struct {
	u         *unit
	queue     []ID
	index     map[ID]uint32 // in queue
	recursive bool          // a type refers to the first one
	text      []byte
}

func (g *graphWalk) queueIndex(id ID) uint32 {
	at, ok := g.index[id]
	if !ok {
		at = uint32(len(g.queue))
		g.index[id] = at
		g.queue = append(g.queue, id)
	}
	return at
}

// appendType appends the text of one type and returns its words, with indexes
// in the queue for identifiers.
func (g *graphWalk) appendType(id ID) []uint32 {
	in := g.u.Module.Def(id)
	words := slices.Clone(in.Words)
	refs, _ := g.u.Module.operands(in, g.u.refs[:0])
	g.u.refs = refs
	for _, r := range refs {
		switch {
		case r.kind == kindIdResult:
			words[r.at] = 0
		case r.kind.isID():
			words[r.at] = g.queueIndex(ID(in.Words[r.at]))
			g.recursive = g.recursive || words[r.at] == 0
		}
	}
	g.text = append(g.text, contentKey(in.Op, words, g.u.Module.Decorations(id))...)
	return words
}

// declareForward declares the recursive pointers to which a struct refers, each once.
func (l *linker) declareForward(u *unit, in *Instruction) {
	for _, w := range in.Words[1:] {
		t := u.followAlias(ID(w))
		if !l.isRecursive(t) {
			continue
		}
		id := l.newNumber(t)
		if l.declared[id] {
			continue
		}
		l.declared[id] = true
		storage := t.unit.Module.Def(t.id).Words[1]
		l.out.sections[sectionGlobal] = append(l.out.sections[sectionGlobal],
			&Instruction{Op: OpTypeForwardPointer, Words: []uint32{uint32(id), storage}})
	}
}

// copyRecursive copies a recursive pointer type, unless an equal one was copied earlier. After
// that the pointer needs no forward declaration any more.
func (l *linker) copyRecursive(u *unit, in *Instruction) {
	id := l.newNumber(target{u, in.Result()})
	if l.defined[id] {
		return
	}
	l.defined[id], l.declared[id] = true, true
	l.out.sections[sectionGlobal] = append(l.out.sections[sectionGlobal], l.renumberInstruction(u, in))
}
