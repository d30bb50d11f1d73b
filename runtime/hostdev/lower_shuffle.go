package hostdev

import "offlink/runtime/hostdev/internal/lanes"

// Shuffles: the low bits of each component of a mask choose among the components of one
// vector, or of two side by side.

func shuffledWords(l *lowering, args []lowered) []*lanes.Value {
	return l.pickComponents(args[0].words, args[1].words)
}

func shuffledPair(l *lowering, args []lowered) []*lanes.Value {
	both := append(append([]*lanes.Value(nil), args[0].words...), args[1].words...)
	return l.pickComponents(both, args[2].words)
}

func (l *lowering) pickComponents(from, mask []*lanes.Value) (words []*lanes.Value) {
	for len(from)&(len(from)-1) != 0 {
		from = append(from[:len(from):len(from)], from[len(from)-1]) // as the interpreter does
	}
	for _, m := range mask {
		words = append(words, l.pickComponent(from, m))
	}
	return words
}

// pickComponent halves the number of choices with each bit of the mask. from has a power of
// two of components.
func (l *lowering) pickComponent(from []*lanes.Value, mask *lanes.Value) *lanes.Value {
	if mask.Op == lanes.OpConst {
		return from[mask.Imm&uint64(len(from)-1)]
	}
	for bit := uint64(1); len(from) > 1; bit <<= 1 {
		low := l.b.Add(lanes.OpAnd, mask.Kind, mask, l.f.Const(mask.Kind, bit))
		set := l.b.Add(lanes.OpNe, lanes.Bool, low, l.f.Const(mask.Kind, 0))
		var half []*lanes.Value
		for i := 0; i < len(from); i += 2 {
			half = append(half, l.b.Add(lanes.OpSelect, from[i].Kind, set, from[i+1], from[i]))
		}
		from = half
	}
	return from[0]
}
