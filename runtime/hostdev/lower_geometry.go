package hostdev

import (
	"offlink/lazy"
	"offlink/runtime/hostdev/internal/lanes"
)

// Lengths and cross products of vectors.

// stdVector lowers an instruction of whole vectors. It returns nil for those that the form
// does not have.
type stdVector func(l *lowering, args []lowered) []*lanes.Value

var stdVectors = lazy.Map[string, stdVector]{New: func() map[string]stdVector {
	return map[string]stdVector{
		"length": lengthWords, "fast_length": lengthWords,
		"distance": distanceWords, "fast_distance": distanceWords,
		"normalize": normalizedWords, "fast_normalize": normalizedWords,
		"cross":   crossWords,
		"shuffle": shuffledWords, "shuffle2": shuffledPair,
	}
}}

func lengthWords(l *lowering, args []lowered) []*lanes.Value {
	w := wordsOf(args[0].t)[0]
	if w.width < 32 {
		return nil
	}
	return []*lanes.Value{l.fromDouble(l.length(args[0].words, w), w)}
}

func distanceWords(l *lowering, args []lowered) []*lanes.Value {
	w := wordsOf(args[0].t)[0]
	if w.width < 32 {
		return nil
	}
	var difference []*lanes.Value
	for i, x := range args[0].words {
		difference = append(difference, l.b.Add(lanes.OpFSub, x.Kind, x, args[1].words[i]))
	}
	return []*lanes.Value{l.fromDouble(l.length(difference, w), w)}
}

// normalizedWords leaves a vector of length 0 as it is.
func normalizedWords(l *lowering, args []lowered) (words []*lanes.Value) {
	b, w := l.b, wordsOf(args[0].t)[0]
	if w.width < 32 {
		return nil
	}
	length := l.length(args[0].words, w)
	divisor := b.Add(lanes.OpSelect, lanes.F64, b.Add(lanes.OpEq, lanes.Bool, length, l.f.Const(lanes.F64, 0)), l.one(lanes.F64), length)
	for _, x := range args[0].words {
		words = append(words, l.fromDouble(b.Add(lanes.OpFDiv, lanes.F64, l.asDouble(x), divisor), w))
	}
	return words
}

// crossWords gives 0 for the fourth component.
func crossWords(l *lowering, args []lowered) (words []*lanes.Value) {
	if wordsOf(args[0].t)[0].width < 32 {
		return nil
	}
	x, y := args[0].words, args[1].words
	product := func(i, j int) *lanes.Value { return l.b.Add(lanes.OpFMul, x[i].Kind, x[i], y[j]) }
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		words = append(words, l.b.Add(lanes.OpFSub, x[i].Kind, product(j, k), product(k, j)))
	}
	if len(x) > 3 {
		words = append(words, l.f.Const(x[0].Kind, 0))
	}
	return words
}

func (l *lowering) asDouble(x *lanes.Value) *lanes.Value {
	if x.Kind == lanes.F64 {
		return x
	}
	return l.b.Add(lanes.OpFWiden, lanes.F64, x)
}

func (l *lowering) fromDouble(x *lanes.Value, w word) *lanes.Value {
	if w.width == 64 {
		return x
	}
	return l.b.Add(lanes.OpFNarrow, lanes.F32, x)
}

// length computes as lengthOfVector does.
func (l *lowering) length(words []*lanes.Value, w word) *lanes.Value {
	if w.width < 64 {
		return l.rootOfSquares(words, nil)
	}
	b, k := l.b, lanes.F64
	most := b.Add(lanes.OpFAbs, k, words[0])
	for _, x := range words[1:] {
		size := b.Add(lanes.OpFAbs, k, x)
		most = b.Add(lanes.OpSelect, k, b.Add(lanes.OpFLt, lanes.Bool, most, size), size, most)
	}
	number := func(v float64) *lanes.Value { return l.f.Const(k, bits64(v)) }
	is := func(x, y *lanes.Value) *lanes.Value { return b.Add(lanes.OpFLt, lanes.Bool, x, y) }
	large, small := is(number(lengthLarge), most), is(most, number(lengthSmall))
	choose := func(ifLarge, ifSmall float64) *lanes.Value {
		return b.Add(lanes.OpSelect, k, large, number(ifLarge), b.Add(lanes.OpSelect, k, small, number(ifSmall), number(1)))
	}
	root := l.rootOfSquares(words, choose(1/lengthScale, lengthScale))
	return b.Add(lanes.OpFMul, k, root, choose(lengthScale, 1/lengthScale))
}

// rootOfSquares scales the words if there is a scale.
func (l *lowering) rootOfSquares(words []*lanes.Value, scale *lanes.Value) *lanes.Value {
	b, k := l.b, lanes.F64
	var sum *lanes.Value
	for _, x := range words {
		x = l.asDouble(x)
		if scale != nil {
			x = b.Add(lanes.OpFMul, k, x, scale)
		}
		x = b.Add(lanes.OpFMul, k, x, x)
		if sum == nil {
			sum = x
			continue
		}
		sum = b.Add(lanes.OpFAdd, k, sum, x)
	}
	return b.Add(lanes.OpFSqrt, k, sum)
}
