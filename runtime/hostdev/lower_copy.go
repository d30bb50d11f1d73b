package hostdev

import (
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Copies and fills of memory.

const maxCopied = 1024 // bytes of a copy of a known size

func (l *lowering) lowerCopyMemory(in *spirv.Instruction) {
	to, from := l.value(spirv.ID(in.Words[0])), l.value(spirv.ID(in.Words[1]))
	l.copyValue(to, from, to.t.elem)
}

// copyValue copies word by word.
func (l *lowering) copyValue(to, from lowered, t *typ) {
	if t.words > maxLoweredWords {
		l.unsupported("a copy of %d words", t.words)
	}
	for _, leaf := range t.leaves() {
		l.copyWord(to, from, leaf.offset, leaf.size)
	}
}

// copyWord copies bytes as a number, whatever they are: floats that are NaNs keep
// their bits.
func (l *lowering) copyWord(to, from lowered, offset, size int64) {
	w := word{kind: kindInt, width: int(8 * size), lane: lanes.I32}
	if size == 8 {
		w.lane = lanes.I64
	}
	leaf := leaf{offset: offset, size: size, bits: int(8 * size)}
	l.storeWord(to, leaf, w, l.loadWord(from, leaf, w))
}

func (l *lowering) lowerCopySized(in *spirv.Instruction) {
	to, from := l.value(spirv.ID(in.Words[0])), l.value(spirv.ID(in.Words[1]))
	n, ok := l.p.constantInt(spirv.ID(in.Words[2]))
	if !ok || n > maxCopied {
		l.copyLong(to, from, l.value(spirv.ID(in.Words[2])))
		return
	}
	l.copySized(to, from, int64(n))
}

// copySized copies by the words of a variable that is not in memory, else by the
// largest pieces. Pieces of eight bytes would overlap the registers of a variable
// of smaller words, and force it into memory.
func (l *lowering) copySized(to, from lowered, n int64) {
	if n < 0 || n > maxCopied {
		l.unsupported("a copy of %d bytes", n)
	}
	for _, p := range []*place{to.place, from.place} {
		if p == nil || p.v == nil || p.v.mode == modeFrame {
			continue
		}
		for _, leaf := range p.v.t.leaves() {
			if at := leaf.offset - p.offset; at >= 0 && at+leaf.size <= n {
				l.copyWord(to, from, at, leaf.size)
			} else if at < n && at+leaf.size > 0 {
				l.need(p.v, modeFrame)
			}
		}
		return
	}
	for at := int64(0); at < n; {
		size := int64(8)
		for size > n-at {
			size /= 2
		}
		l.copyWord(to, from, at, size)
		at += size
	}
}

// wholeWord and byteWord are the units of long copies.
var (
	wholeWord = word{kind: kindInt, width: 64, lane: lanes.I64}
	byteWord  = word{kind: kindInt, width: 8, lane: lanes.I32}
)

// unitAt is the place of a unit of some bytes, counted by a number, and its leaf.
func (l *lowering) unitAt(p lowered, i *lanes.Value, size int64) (lowered, leaf) {
	index := l.b.Add(lanes.OpZExt, lanes.I64, i)
	return l.plus(p, place{indexes: []scaled{{index, size}}}, p.t), leaf{size: size, bits: int(8 * size)}
}

// fillBytes sets n bytes of memory: a loop over words, and the bytes after them one by one.
func (l *lowering) fillBytes(v lowered, fill byte, n int64) {
	p := l.spell(v)
	l.countTo(l.i32(n/8), func(i *lanes.Value) {
		to, leaf := l.unitAt(p, i, 8)
		l.storeWord(to, leaf, wholeWord, l.f.Const(lanes.I64, uint64(fill)*0x0101010101010101))
	})
	for at := n &^ 7; at < n; at++ {
		l.storeWord(p, leaf{at, 1, 8}, byteWord, l.i32(int64(fill)))
	}
}

// copyLong is a loop that copies words, and one that copies the bytes after
// them. The number of bytes is a variable or large; one that 32 bits do not hold
// is out of every bound.
func (l *lowering) copyLong(to, from, size lowered) {
	to, from = l.spell(to), l.spell(from)
	n := size.words[0]
	if n.Kind == lanes.I64 {
		small := l.b.Add(lanes.OpULt, lanes.Bool, n, l.f.Const(lanes.I64, 1<<32))
		n = l.b.Add(lanes.OpSelect, lanes.I32, small, n.Low(), l.f.Const(lanes.I32, 1<<32-1))
	}
	words := l.b.Add(lanes.OpLShr, lanes.I32, n, l.i32(3))
	l.countTo(words, func(i *lanes.Value) { l.copyUnit(to, from, i, 8, wholeWord) })
	done := l.b.Add(lanes.OpShl, lanes.I32, words, l.i32(3))
	l.countTo(l.b.Add(lanes.OpAnd, lanes.I32, n, l.i32(7)), func(i *lanes.Value) {
		l.copyUnit(to, from, l.b.Add(lanes.OpAdd, lanes.I32, done, i), 1, byteWord)
	})
}

func (l *lowering) copyUnit(to, from lowered, i *lanes.Value, size int64, w word) {
	target, part := l.unitAt(to, i, size)
	source, _ := l.unitAt(from, i, size)
	l.storeWord(target, part, w, l.loadWord(source, part, w))
}
