package split_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"offlink/split"
)

// randomMember is a member of a C structure.
type randomMember struct {
	typ   string
	size  int
	value uint64
}

// randomStruct has members where a C compiler puts them.
type randomStruct struct {
	members []randomMember
	offsets []int
	bytes   []byte
}

func newRandomStruct(r *rand.Rand) randomStruct {
	kinds := []randomMember{{typ: "i8", size: 1}, {typ: "i16", size: 2}, {typ: "half", size: 2}, {typ: "i32", size: 4}, {typ: "i64", size: 8}, {typ: "double", size: 8}}
	var s randomStruct
	align, end := 1, 0
	for range 1 + r.IntN(8) {
		m := kinds[r.IntN(len(kinds))]
		m.value = 1 + r.Uint64N(1<<min(8*m.size-2, 14)-1)
		align, end = max(align, m.size), (end+m.size-1)/m.size*m.size
		s.members, s.offsets = append(s.members, m), append(s.offsets, end)
		s.bytes = append(s.bytes, make([]byte, end-len(s.bytes))...)
		s.bytes = append(s.bytes, binary.LittleEndian.AppendUint64(nil, m.value)[:m.size]...)
		end += m.size
	}
	s.bytes = append(s.bytes, make([]byte, (end+align-1)/align*align-end)...)
	return s
}

// packed spells the type as a front end does that names the padding, a random
// run of members in a structure of its own.
func (s *randomStruct) packed(r *rand.Rand) (definitions string) {
	first := r.IntN(len(s.members))
	last := first + r.IntN(len(s.members)-first)
	var outer, inner []string
	end := 0
	pad := func(list *[]string, to int) {
		if to > end {
			*list = append(*list, fmt.Sprintf("[%d x i8]", to-end))
		}
		end = to
	}
	for i, m := range s.members {
		list := &outer
		if i >= first && i <= last {
			list = &inner
		}
		if i == first {
			list = &outer
		}
		pad(list, s.offsets[i])
		if i >= first && i <= last {
			list = &inner
		}
		*list = append(*list, m.typ)
		end += m.size
		if i == last {
			outer = append(outer, "%inner")
		}
	}
	pad(&outer, len(s.bytes))
	return fmt.Sprintf("%%inner = type <{ %s }>\n%%t = type <{ %s }>\n", strings.Join(inner, ", "), strings.Join(outer, ", "))
}

// plain spells the value as a front end does that leaves padding to the
// layout, numbers in other types of their size.
func (s *randomStruct) plain(r *rand.Rand) (typ, value string) {
	var types, values []string
	for _, m := range s.members {
		t, v := m.typ, fmt.Sprint(m.value)
		switch {
		case m.typ == "half":
			v = fmt.Sprintf("0xH%04X", m.value)
		case m.typ == "double":
			v = fmt.Sprintf("0x%016X", m.value)
		}
		if m.size == 8 && r.IntN(2) == 0 {
			t, v = "i64", fmt.Sprint(m.value)
		}
		types, values = append(types, t), append(values, t+" "+v)
	}
	return "{ " + strings.Join(types, ", ") + " }", "{ " + strings.Join(values, ", ") + " }"
}

// Whatever the nesting: the bytes of the default value are those of C, each
// member has a descriptor where C has the member, and the descriptors end
// where the value does.
func TestRandomNesting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s := newRandomStruct(r)
		typ, value := s.plain(r)
		text := nested(s.packed(r), typ, value)
		for _, mode := range []split.SpecConstantMode{split.SpecConstantsNative, split.SpecConstantsEmulated} {
			c := extractFirst(t, text, split.Options{SpecConstants: mode}).SpecConstants[0]
			if !bytes.Equal(c.Default, s.bytes) {
				t.Fatalf("mode %d: default value %x, want %x of\n%s", mode, c.Default, s.bytes, text)
			}
			if last := c.Parts[len(c.Parts)-1]; int(last.Offset+last.Size) != len(s.bytes) {
				t.Fatalf("mode %d: descriptors %v end before byte %d of\n%s", mode, c.Parts, len(s.bytes), text)
			}
			if mode == split.SpecConstantsNative {
				s.checkParts(t, c.Parts, text)
			}
		}
	}
}

func (s *randomStruct) checkParts(t *testing.T, parts []split.SpecConstantPart, text string) {
	t.Helper()
	found := 0
	for _, p := range parts {
		if p.ID == split.PaddingID {
			continue
		}
		if found >= len(s.members) || int(p.Offset) != s.offsets[found] || int(p.Size) != s.members[found].size {
			t.Fatalf("descriptors %v, want members at %v of\n%s", parts, s.offsets, text)
		}
		found++
	}
	if found != len(s.members) {
		t.Fatalf("%d descriptors of %d members of\n%s", found, len(s.members), text)
	}
}
