package lanes

// computation is an operation with its operands: values that have it in common are
// equal.
type computation struct {
	op   Op
	kind Kind
	imm  uint64
	args [3]*Value
}

// mergeEqual makes one value of those of a block that compute the same: SPIR-V
// computes the address of each component of a vector and of each member of a
// structure anew. Values of other blocks stay apart, as one that lived across a
// barrier would need memory.
func (f *Function) mergeEqual() {
	same := map[*Value]*Value{}
	now := func(v *Value) *Value {
		if to := same[v]; to != nil {
			return to
		}
		return v
	}
	for _, b := range f.Blocks {
		known := map[computation]*Value{}
		for _, v := range b.Values {
			v.replaceOperands(now)
			if !v.Op.isPure() || len(v.Args) > 3 {
				continue
			}
			c := computation{op: v.Op, kind: v.Kind, imm: v.Imm}
			copy(c.args[:], v.Args)
			if first := known[c]; first != nil {
				same[v] = first
			} else {
				known[c] = v
			}
		}
		if b.Cond != nil {
			b.Cond = now(b.Cond)
		}
	}
}

// replaceOperands puts other operands in place.
func (v *Value) replaceOperands(now func(*Value) *Value) {
	for i, a := range v.Args {
		v.Args[i] = now(a)
	}
	if x := v.Bounds; x != nil {
		x.Base, x.Len = now(x.Base), now(x.Len)
		for _, optional := range []**Value{&x.Writable, &x.Index.V, &x.Index.From, &x.High, &x.Region} {
			if *optional != nil {
				*optional = now(*optional)
			}
		}
	}
}
