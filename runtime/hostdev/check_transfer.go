package hostdev

import "math/bits"

// Shadows of results, for each word of one: how undefined bits of the operands
// come through an operation.

// operandWords calls f with the words of the operands that a component of the
// result depends on: the component of the same place of operands that have as
// many, all words of others.
func (l *laneShadow) operandWords(in *inst, lane int, f func(operand int, word int32)) {
	at := 0
	for operand, count := range l.counts {
		words := in.list[at : at+count]
		at += count
		if count == int(in.n) {
			f(operand, words[lane])
			continue
		}
		for _, word := range words {
			f(operand, word)
		}
	}
}

// mergeShadow makes the shadow of a component from those of the words that it
// depends on.
func (it *item) mergeShadow(in *inst, lane int, f func(sum *shadowWord, operand int, word int32)) {
	ext := in.ext.(*laneShadow)
	var sum shadowWord
	ext.operandWords(in, lane, func(operand int, word int32) {
		f(&sum, operand, word)
		if sh := &it.check.s[word]; sum.origin == 0 && sh.undefined != 0 {
			sum.origin = sh.origin
		}
	})
	sum.undefined &= ext.bits[lane]
	it.check.s[int(in.dst)+lane] = sum
}

// stepLanesShadow makes all bits of the result undefined where a bit of an operand is.
func stepLanesShadow(it *item, in *inst) status {
	for lane := range int(in.n) {
		it.mergeShadow(in, lane, func(sum *shadowWord, _ int, word int32) {
			if it.check.s[word].undefined != 0 {
				sum.undefined = ^uint64(0)
			}
		})
	}
	return running
}

// stepInsideShadow is stepLanesShadow for a function that has accessed memory:
// its results are undefined too where it has loaded an undefined byte.
func stepInsideShadow(it *item, in *inst) status {
	stepLanesShadow(it, in)
	if origin := it.check.undefined; origin != 0 {
		for lane := range int(in.n) {
			it.check.s[int(in.dst)+lane] = shadowWord{undefined: in.ext.(*laneShadow).bits[lane], origin: origin}
		}
	}
	return running
}

// keepObject keeps the allocation of a pointer that arithmetic goes on with, if
// one operand has one.
func (sum *shadowWord) keepObject(sh shadowWord) {
	if sh.object != 0 {
		if sum.object == 0 {
			sum.object = sh.object
		} else {
			sum.object = 0
		}
	}
}

// stepXorShadow lets a bit of the result depend on the same bit of the operands.
func stepXorShadow(it *item, in *inst) status {
	for lane := range int(in.n) {
		it.mergeShadow(in, lane, func(sum *shadowWord, _ int, word int32) {
			sum.undefined |= it.check.s[word].undefined
		})
	}
	return running
}

// stepAndShadow counts on a bit that is 0 in one operand: it is 0 in the result.
func stepAndShadow(it *item, in *inst) status {
	return it.bitwiseShadow(in, func(v, undefined uint64) uint64 { return ^v &^ undefined })
}

// stepOrShadow counts on a bit that is 1 in one operand: it is 1 in the result.
func stepOrShadow(it *item, in *inst) status {
	return it.bitwiseShadow(in, func(v, undefined uint64) uint64 { return v &^ undefined })
}

// bitwiseShadow takes bits for defined that an operand decides alone.
func (it *item) bitwiseShadow(in *inst, decides func(v, undefined uint64) uint64) status {
	for lane := range int(in.n) {
		decided := uint64(0)
		it.mergeShadow(in, lane, func(sum *shadowWord, _ int, word int32) {
			sh := it.check.s[word]
			sum.undefined |= sh.undefined
			sum.keepObject(sh)
			decided |= decides(it.s[word], sh.undefined)
		})
		it.check.s[int(in.dst)+lane].undefined &^= decided
	}
	return running
}

// stepSumShadow makes all bits from the lowest undefined one up undefined, as carries go up.
func stepSumShadow(it *item, in *inst) status {
	ext := in.ext.(*laneShadow)
	for lane := range int(in.n) {
		objects := 0
		it.mergeShadow(in, lane, func(sum *shadowWord, _ int, word int32) {
			sh := it.check.s[word]
			sum.undefined |= sh.undefined
			if sh.object != 0 {
				sum.object = sh.object
				objects++
			}
		})
		sh := &it.check.s[int(in.dst)+lane]
		if sh.undefined != 0 {
			sh.undefined = ^uint64(0) << bits.TrailingZeros64(sh.undefined) & ext.bits[lane]
		}
		if objects > 1 { // a difference of two pointers
			sh.object = 0
		}
	}
	return running
}

// stepShiftShadow shifts the undefined bits where the amount is defined.
func stepShiftShadow(it *item, in *inst) status {
	ext := in.ext.(*laneShadow)
	n := int(in.n)
	for lane := range n {
		v, amount := in.list[lane], in.list[n+lane]
		x, by := it.check.s[v], it.check.s[amount]
		sh := shadowWord{origin: x.origin}
		shift := it.s[amount] % uint64(max(ext.width, 1))
		switch {
		case by.undefined != 0:
			sh = shadowWord{undefined: ext.bits[lane], origin: by.origin}
		case x.undefined == 0:
		case ext.left:
			sh.undefined = x.undefined << shift & ext.bits[lane]
		case ext.signed:
			sh.undefined = uint64(signExtend(x.undefined, ext.width)>>shift) & ext.bits[lane]
		default:
			sh.undefined = x.undefined >> shift
		}
		it.check.s[int(in.dst)+lane] = sh
	}
	return running
}

// stepWidenShadow keeps the operand's bits in their place; those above it are 0, or copies
// of its sign.
func stepWidenShadow(it *item, in *inst) status {
	ext := in.ext.(*laneShadow)
	for lane := range int(in.n) {
		it.mergeShadow(in, lane, func(sum *shadowWord, _ int, word int32) {
			sh := it.check.s[word]
			sum.undefined, sum.object = sh.undefined, sh.object
			if ext.signed && ext.width > 0 {
				sum.undefined = uint64(signExtend(sh.undefined, ext.width))
			}
		})
	}
	return running
}

// stepSelectShadow follows the condition. If that is undefined, so are results
// for which the operands differ.
func stepSelectShadow(it *item, in *inst) status {
	ext := in.ext.(*laneShadow)
	conditions, n := ext.counts[0], int(in.n)
	for lane := range n {
		cond := in.list[0]
		if conditions == n {
			cond = in.list[lane]
		}
		x, y := in.list[conditions+lane], in.list[conditions+n+lane]
		sh := it.check.s[y]
		if it.s[cond] != 0 {
			sh = it.check.s[x]
		}
		if c := it.check.s[cond]; c.undefined != 0 && it.s[x] != it.s[y] {
			sh.undefined, sh.origin = ext.bits[lane], c.origin
		}
		it.check.s[int(in.dst)+lane] = sh
	}
	return running
}

// stepAddressShadow gives an address the allocation of its base, the first operand.
func stepAddressShadow(it *item, in *inst) status {
	var sum shadowWord
	for _, word := range in.list {
		if sh := it.check.s[word]; sh.undefined != 0 {
			sum.undefined, sum.origin = ^uint64(0), sh.origin
		}
	}
	switch base := in.list[0]; pointer(it.s[base]).space() {
	case spaceGlobal:
		sum.object = it.objectOf(base)
	case spaceFar:
		sum.object = it.check.s[base].object
	}
	it.check.s[in.dst] = sum
	return running
}

// stepMoveShadow moves the shadows of words, as moveWords moves the words.
func stepMoveShadow(it *item, in *inst) status {
	s, from := it.check.s, in.list[in.n:]
	for i, to := range in.list[:in.n] {
		s[to] = s[from[i]]
	}
	return running
}

// moveShadows emits the moves of shadows that belong to moves of words. These
// compute nothing, so that the result needs no other shadow.
func (b *builder) moveShadows(to, from []int32, computes bool) {
	if b.checked {
		b.emit(inst{step: stepMoveShadow, n: int32(len(to)), list: append(append([]int32{}, to...), from...)})
		b.computes = computes
	}
}
