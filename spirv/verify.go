package spirv

import (
	"fmt"
	"math"
)

// Verify checks the rules on which an executor relies and that Parse does not check: globals
// are defined before they are used, blocks are complete, phis have a value for every
// predecessor, a value's definition dominates its uses, no function uses a value of another
// one, and entry points have bodies. It does not check types: an executor must do that where
// it uses them.
func (m *Module) Verify() error {
	v := &verifier{m: m, home: map[ID]definitionSite{}}
	if err := v.checkGlobalOrder(); err != nil {
		return err
	}
	for i, f := range m.functions {
		v.recordDefinitions(i, f)
	}
	for i, f := range m.functions {
		if err := v.checkFunction(i, f); err != nil {
			return fmt.Errorf("function %s: %w", m.Name(f.ID()), err)
		}
	}
	return v.checkEntryPoints()
}

// verifier is the state of one Verify.
type verifier struct {
	m    *Module
	home map[ID]definitionSite // of the values that functions define
	refs []operandRef
	g    *CFG
}

// definitionSite is the place at which a value is defined: the index of its function, its
// block, and its index in the function's body. Parameters and labels have no block, since
// they are defined everywhere in the function.
type definitionSite struct {
	function int
	label    ID // of the block, 0 for parameters and for labels
	at       int
}

// checkGlobalOrder checks that globals are defined before they are used. There are three
// exceptions: functions, pointer types in a struct that an OpTypeForwardPointer declared, and
// operands of non-semantic instructions.
func (v *verifier) checkGlobalOrder() error {
	defined, forward := map[ID]bool{}, map[ID]bool{}
	for _, s := range []section{sectionExtInstImport, sectionDebug} {
		for _, in := range v.m.sections[s] {
			defined[in.Result()] = true
		}
	}
	for _, f := range v.m.functions {
		defined[f.ID()] = true
	}
	for _, in := range v.m.sections[sectionGlobal] {
		if in.Op == OpTypeForwardPointer {
			forward[ID(in.Words[0])] = true
			continue
		}
		loose := in.Op == OpTypeStruct
		if isNonSemanticInstruction(v.m, in) {
			defined[in.Result()] = true
			continue
		}
		refs, err := v.operands(in)
		if err != nil {
			return err
		}
		for _, r := range refs {
			id := ID(in.Words[r.at])
			if r.kind.isID() && r.kind != kindIdResult && !defined[id] && !(loose && forward[id]) {
				return in.errorf("%%%d is used before it is defined", id)
			}
		}
		defined[in.Result()] = true
	}
	return nil
}

// operands returns the operands of an instruction, or none for one that the grammar does not
// have, as its words may be literals. The next call overwrites them.
func (v *verifier) operands(in *Instruction) ([]operandRef, error) {
	if in.Op.grammarInfo() == nil {
		return nil, nil
	}
	refs, err := v.m.operands(in, v.refs[:0])
	v.refs = refs
	if err != nil {
		return nil, in.errorf("%v", err)
	}
	return refs, nil
}

// recordDefinitions records the sites of all values that function number defines.
func (v *verifier) recordDefinitions(number int, f *Function) {
	for _, in := range f.Params {
		v.home[in.Result()] = definitionSite{function: number}
	}
	label := ID(0)
	for at, in := range f.Body {
		switch {
		case in.Op == OpLabel:
			label = in.Result()
			v.home[label] = definitionSite{function: number}
		case in.Result() != 0:
			v.home[in.Result()] = definitionSite{number, label, at}
		}
	}
}

// checkFunction checks a function: its signature, and for a definition its blocks, phis and uses.
// v.g is the graph of the function that is being checked.
func (v *verifier) checkFunction(number int, f *Function) error {
	if err := v.checkSignature(f); err != nil {
		return err
	}
	if f.IsDeclaration() {
		return nil
	}
	var err error
	if v.g, err = v.m.CFG(f); err != nil {
		return err
	}
	block := 0
	for at, in := range f.Body {
		if in.Op == OpLabel {
			block, _ = v.g.BlockOf(in.Result())
			if err := v.checkPhis(block); err != nil {
				return err
			}
		}
		if in.Op != OpPhi {
			err = v.checkUses(number, block, at, in)
		} else {
			err = v.checkPhiUses(number, in)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkSignature compares the parameters and the result with the function's type.
func (v *verifier) checkSignature(f *Function) error {
	t := v.m.Def(ID(f.Def.Words[3]))
	if t == nil || t.Op != OpTypeFunction || len(t.Words)-2 != len(f.Params) || t.Words[1] != f.Def.Words[0] {
		return f.Def.errorf("its type %%%d does not fit its %d parameters and its result", f.Def.Words[3], len(f.Params))
	}
	for i, in := range f.Params {
		if in.Type() != ID(t.Words[2+i]) {
			return in.errorf("the parameter is not of the type that the function's type says")
		}
	}
	return nil
}

// checkUses checks the operands of an instruction that is not a phi.
func (v *verifier) checkUses(number, block, at int, in *Instruction) error {
	if isNonSemanticInstruction(v.m, in) {
		return nil
	}
	refs, err := v.operands(in)
	if err != nil {
		return err
	}
	for _, r := range refs {
		if !r.kind.isID() || r.kind == kindIdResult {
			continue
		}
		if err := v.checkUse(number, block, at, in, ID(in.Words[r.at])); err != nil {
			return err
		}
	}
	return nil
}

// checkUse checks that a value is defined before instruction at of a block on every path from
// the entry. Blocks that are not reached may use all values of the function.
func (v *verifier) checkUse(number, block, at int, in *Instruction, id ID) error {
	home, local := v.home[id]
	switch {
	case !local:
		return nil // a global: all of them are defined before the functions
	case home.function != number:
		return in.errorf("%%%d is a value of another function", id)
	case home.label == 0 || !v.g.Reached(block):
		return nil
	}
	from, _ := v.g.BlockOf(home.label)
	if from == block && home.at < at || from != block && v.g.Reached(from) && v.g.Dominates(from, block) {
		return nil
	}
	return in.errorf("%%%d is used where it is not always defined", id)
}

// checkPhis checks that the phis are at the start of a block, each with a value for every
// predecessor that is reached.
func (v *verifier) checkPhis(block int) error {
	b := &v.g.Blocks[block]
	start := true
	for _, in := range b.Body {
		switch {
		case in.Op == OpPhi && !start:
			return in.errorf("does not stand at the start of its block")
		case in.Op == OpPhi:
			if err := v.checkPhi(b, in); err != nil {
				return err
			}
		case in.Op == OpLoopMerge || in.Op == OpLoopControlINTEL:
			// They belong at the end of a block. llvm-spirv 15 puts those of some loops
			// before the phis, and drivers accept that: nothing is computed in between.
		case in.Op != OpExtInst && !isLineOrNop(in.Op): // debug scopes may stand before phis
			start = false
		}
	}
	return nil
}

// checkPhi checks that a phi has a value for every predecessor that is reached. Values for other
// blocks are allowed: they are never used.
func (v *verifier) checkPhi(b *Block, in *Instruction) error {
	parents := map[int]bool{}
	for ops := in.Operands(); len(ops) >= 2; ops = ops[2:] {
		parent, ok := v.g.BlockOf(ID(ops[1]))
		if !ok {
			return in.errorf("%%%d is not a block of the function", ops[1])
		}
		parents[parent] = true
	}
	for _, pred := range b.Preds {
		if !parents[pred] && v.g.Reached(pred) {
			return in.errorf("it has no value for the block %%%d", v.g.Blocks[pred].Label)
		}
	}
	return nil
}

// checkPhiUses checks that each value of a phi is defined at the end of the
// block that it comes from: that is where a phi uses it.
func (v *verifier) checkPhiUses(number int, in *Instruction) error {
	for ops := in.Operands(); len(ops) >= 2; ops = ops[2:] {
		parent, _ := v.g.BlockOf(ID(ops[1]))
		if err := v.checkUse(number, parent, math.MaxInt, in, ID(ops[0])); err != nil {
			return err
		}
	}
	return nil
}

// checkEntryPoints checks that the entry points are functions with a body.
func (v *verifier) checkEntryPoints() error {
	bodies := map[ID]bool{}
	for _, f := range v.m.functions {
		bodies[f.ID()] = !f.IsDeclaration()
	}
	for _, e := range v.m.EntryPoints() {
		if !bodies[e.Function] {
			return fmt.Errorf("entry point %s: %%%d is not a function with a body", e.Name, e.Function)
		}
	}
	return nil
}

// isNonSemanticInstruction reports whether an instruction belongs to a set that has no effect on
// results.
func isNonSemanticInstruction(m *Module, in *Instruction) bool {
	return (in.Op == OpExtInst || in.Op == OpExtInstWithForwardRefsKHR) && IsNonSemantic(m.ExtInstSet(ID(in.Words[2])))
}
