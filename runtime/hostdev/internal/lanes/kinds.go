package lanes

// The kinds of operands. WebAssembly's own check of types sees the code of steps of one
// work-item: vectors of all kinds are one type there, so that a wrong kind in the lowering
// of an instruction would be a wrong result.

// checkKinds refuses a function with an operation whose operands have other kinds than it
// takes.
func (f *Function) checkKinds() error {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if !v.kindsFit() {
				return Unsupported("an operation of the form has an operand of another kind")
			}
		}
		if b.Term == Branch && b.Cond.Kind != Bool {
			return Unsupported("a branch by a number")
		}
	}
	return nil
}

// kindsFit reports whether the operands of a value have the kinds that the operation takes, as far
// as the kinds follow from the operation.
func (v *Value) kindsFit() bool {
	switch op := v.Op; {
	case op >= OpAdd && op <= OpSExt16, op >= OpFAdd && op <= OpFMax:
		return v.haveKind(v.Kind, v.Args...)
	case op >= OpEq && op <= OpSLe, op == OpFLt, op == OpFLe:
		return v.Kind == Bool && v.haveKind(v.Args[0].Kind, v.Args...)
	case op == OpZExt, op == OpSExt:
		return v.Kind == I64 && v.haveKind(I32, v.Args...)
	case op == OpWrap, op == OpHigh:
		return v.Kind == I32 && v.haveKind(I64, v.Args...)
	case op == OpPair:
		return v.Kind == I64 && v.haveKind(I32, v.Args...)
	case op == OpBool:
		return v.Kind == Bool && v.haveKind(I32, v.Args...)
	case op == OpInt:
		return v.Kind == I32 && v.haveKind(Bool, v.Args...)
	case op == OpSelect:
		return v.Args[0].Kind == Bool && v.haveKind(v.Kind, v.Args[1:]...)
	case op == OpTrapIf:
		return v.haveKind(Bool, v.Args[0])
	}
	return true
}

func (v *Value) haveKind(k Kind, args ...*Value) bool {
	for _, a := range args {
		if a.Kind != k {
			return false
		}
	}
	return true
}
