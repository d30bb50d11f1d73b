package spirv

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Equal types and constants of several modules become one. Globals are copied
// in the order of the inputs, but each behind those that it names: a variable
// that was an import may be named by an earlier module than the one that
// defines it.

// mergeGlobals copies types, constants and variables. Lines among them are
// left out.
func (l *linker) mergeGlobals() error {
	for _, u := range l.units {
		for _, in := range u.Module.Globals() {
			if in.Result() == 0 {
				continue
			}
			l.visit(target{u, in.Result()})
		}
	}
	return nil
}

// What visit has done with a global.
const (
	unvisited = iota
	opened    // what it names is being copied
	copied
)

// visit copies a global and all that it names, without recursion: the depth
// of types is up to the input.
func (l *linker) visit(t target) {
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

// pushNamed pushes the globals that an instruction names and that were not
// visited, the last one first.
func (l *linker) pushNamed(stack []target, u *unit, in *Instruction) []target {
	refs, _ := u.Module.operands(in, u.refs[:0])
	u.refs = refs
	for _, r := range slices.Backward(refs) {
		if !r.kind.isID() || r.kind == kindIdResult {
			continue
		}
		t := u.resolve(ID(in.Words[r.at]))
		if t.isGlobal() && t.unit.visited.get(t.id) == unvisited && !l.mayFollow(in, t) {
			stack = append(stack, t)
		}
	}
	return stack
}

// mayFollow tells whether what an instruction names may stand behind it:
// recursive pointers, and what debug information says of itself.
func (l *linker) mayFollow(in *Instruction, t target) bool {
	switch in.Op {
	case OpTypeStruct:
		return l.isRecursive(t)
	case OpExtInst:
		return t.unit.Module.Def(t.id).Op == OpExtInst
	}
	return false
}

// resolve follows an import to what stands for it.
func (u *unit) resolve(id ID) target {
	if t, ok := u.alias[id]; ok {
		return t
	}
	return target{u, id}
}

// isGlobal tells what is copied by visit from functions, from what is in
// them, and from the sections before.
func (t target) isGlobal() bool {
	in := t.unit.Module.Def(t.id)
	switch {
	case in == nil:
		return false
	case in.Op == OpVariable:
		return StorageClass(in.Words[2]) != StorageFunction
	case in.Op == OpUndef || in.Op == OpExtInst:
		return t.unit.globals[t.id]
	}
	return isGlobal(in.Op)
}

// copyGlobal copies one global whose operands were copied.
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
	l.out.sections[sectionGlobal] = append(l.out.sections[sectionGlobal], l.renumber(u, in))
}

// isShareable tells whether equal instructions of several modules become one.
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

// copyShared copies an instruction unless an equal one was copied before.
func (l *linker) copyShared(u *unit, s section, in *Instruction) {
	key := l.content(u, in)
	if id, ok := l.shared[key]; ok {
		u.ids.set(in.Result(), id)
		u.shared[in.Result()] = true
		return
	}
	out := l.renumber(u, in)
	l.shared[key] = u.ids.get(in.Result())
	l.out.sections[s] = append(l.out.sections[s], out)
}

// content is what makes two instructions equal: all but the result, in new
// numbers, and the decorations.
func (l *linker) content(u *unit, in *Instruction) string {
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
			continue // of a built-in variable: some name it, some do not
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

// renumber returns the instruction in new numbers, with a new one for its
// result.
func (l *linker) renumber(u *unit, in *Instruction) *Instruction {
	return &Instruction{Op: in.Op, Words: l.newWords(u, in, -1)}
}

// newWords returns the operand words in new numbers, the word at skip as it
// is. What has no number yet gets one.
func (l *linker) newWords(u *unit, in *Instruction, skip int) []uint32 {
	words := slices.Clone(in.Words)
	refs, _ := u.Module.operands(in, u.refs[:0])
	u.refs = refs
	for _, r := range refs {
		if r.kind.isID() && r.at != skip {
			words[r.at] = uint32(l.number(u.resolve(ID(in.Words[r.at]))))
		}
	}
	return words
}

func (l *linker) number(t target) ID {
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
// pointer before it is defined, behind an OpTypeForwardPointer. Such pointers
// are compared by the whole graph of types that they reach.

// isRecursive tells whether an identifier is a pointer type, declared
// forward, that reaches itself.
func (l *linker) isRecursive(t target) bool {
	if !t.unit.forward[t.id] {
		return false
	}
	key, known := t.unit.graphs[t.id]
	if !known {
		key = l.graph(t)
		t.unit.graphs[t.id] = key
	}
	return key != ""
}

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

// graph writes down the types that a pointer reaches, numbered in the order
// of a breadth-first walk: two pointers are alike if the texts are equal. It
// is empty if the pointer does not reach itself. When the room for such walks
// is used up, the text is like no other.
func (l *linker) graph(root target) string {
	g := graphWalk{u: root.unit, index: map[ID]uint32{}}
	g.add(root.id)
	for at := 0; at < len(g.queue); at++ {
		words := g.words(g.queue[at])
		if l.room -= len(words); l.room < 0 {
			return fmt.Sprintf("pointer %d of input %d", root.id, root.unit.index)
		}
	}
	if !g.recursive {
		return ""
	}
	return string(g.text)
}

type graphWalk struct {
	u         *unit
	queue     []ID
	index     map[ID]uint32 // in queue
	recursive bool          // the first type was named
	text      []byte
}

func (g *graphWalk) add(id ID) uint32 {
	at, ok := g.index[id]
	if !ok {
		at = uint32(len(g.queue))
		g.index[id] = at
		g.queue = append(g.queue, id)
	}
	return at
}

// words appends the text of one type and returns its words, with places in
// the queue for identifiers.
func (g *graphWalk) words(id ID) []uint32 {
	in := g.u.Module.Def(id)
	words := slices.Clone(in.Words)
	refs, _ := g.u.Module.operands(in, g.u.refs[:0])
	g.u.refs = refs
	for _, r := range refs {
		switch {
		case r.kind == kindIdResult:
			words[r.at] = 0
		case r.kind.isID():
			words[r.at] = g.add(ID(in.Words[r.at]))
			g.recursive = g.recursive || words[r.at] == 0
		}
	}
	g.text = append(g.text, contentKey(in.Op, words, g.u.Module.Decorations(id))...)
	return words
}

// declareForward declares the recursive pointers that a struct names.
func (l *linker) declareForward(u *unit, in *Instruction) {
	for _, w := range in.Words[1:] {
		t := u.resolve(ID(w))
		if !l.isRecursive(t) {
			continue
		}
		id := l.number(t)
		if l.declared[id] {
			continue
		}
		l.declared[id] = true
		storage := t.unit.Module.Def(t.id).Words[1]
		l.out.sections[sectionGlobal] = append(l.out.sections[sectionGlobal],
			&Instruction{Op: OpTypeForwardPointer, Words: []uint32{uint32(id), storage}})
	}
}

// copyRecursive copies a recursive pointer type unless an equal one was.
func (l *linker) copyRecursive(u *unit, in *Instruction) {
	id := l.number(target{u, in.Result()})
	if l.defined[id] {
		return
	}
	l.defined[id], l.declared[id] = true, true
	l.out.sections[sectionGlobal] = append(l.out.sections[sectionGlobal], l.renumber(u, in))
}
