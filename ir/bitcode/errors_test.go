package bitcode_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"offlink/ir/bitcode"
	"offlink/ir/bitcode/bitstream"
)

// find returns the first block of that number in a block.
func (e *entry) find(block uint32) *entry {
	i := slices.IndexFunc(e.entries, func(x *entry) bool { return x.isBlock && x.block == block })
	return e.entries[i]
}

// record returns the first record of that code in a block.
func (e *entry) record(code uint32) *entry {
	i := slices.IndexFunc(e.entries, func(x *entry) bool { return !x.isBlock && x.code == code })
	return e.entries[i]
}

// Input that cannot be read is refused by an error that names the place and the
// value there.
func TestRefused(t *testing.T) {
	const module, attributeLists, groups, constants, function, types, metadata = 8, 9, 10, 11, 12, 17, 15
	tests := []struct {
		name, want string
		change     func(top *entry)
	}{
		{"old version", "version 1", func(top *entry) { top.find(module).record(1).operands[0] = 1 }},
		{"no module", "holds no module", func(top *entry) { top.find(module).block = 99 }},
		{"two modules", "holds 2 modules", func(top *entry) { top.entries = append(top.entries, top.find(module)) }},
		{"epoch", "epoch 7", func(top *entry) { top.find(13).record(2).operands[0] = 7 }},
		{"module record", "record 60 of the module", func(top *entry) { top.find(module).record(2).code = 60 }},
		{"module block", "block 70 of the module", func(top *entry) { top.find(module).find(function).block = 70 }},
		{"type record", "type record 66", func(top *entry) { top.find(module).find(types).record(7).code = 66 }},
		{"type forward", "which follows and is not a named struct", func(top *entry) {
			a := top.find(module).find(types).record(11)
			a.operands[1] = uint64(len(top.find(module).find(types).entries) - 4)
		}},
		{"group", "group 77, which is not defined", func(top *entry) { top.find(module).find(attributeLists).record(2).operands[0] = 77 }},
		{"attribute form", "of a form that is not known", func(top *entry) { top.find(module).find(groups).record(3).operands[2] = 20 }},
		{"name", "outside of the string table", func(top *entry) { top.find(module).record(8).operands[1] = 1 << 40 }},
		{"linkage", "linkage 50", func(top *entry) { top.find(module).record(8).operands[5] = 50 }},
		{"constant record", "constant record 60", func(top *entry) { top.find(module).find(constants).record(4).code = 60 }},
		{"constant without a type", "SETTYPE", func(top *entry) {
			c := top.find(module).find(constants)
			c.entries = slices.DeleteFunc(c.entries, func(x *entry) bool { return x.code == 1 })
		}},
		{"metadata record", "metadata record 63", func(top *entry) { top.find(module).find(metadata).record(16).code = 63 }},
		{"longer node", "DIFile with 9 operands is newer", func(top *entry) {
			f := top.find(module).find(metadata).record(16)
			f.operands = append(f.operands, 1, 1, 1, 1)
		}},
		{"instruction", "instruction record 69 is not known", func(top *entry) { top.find(module).find(function).record(10).code = 69 }},
		{"old instruction", "instruction record STORE_OLD", func(top *entry) { top.find(module).find(function).record(44).code = 24 }},
		{"function block", "block 77 of a function", func(top *entry) { top.find(module).find(function).find(14).block = 77 }},
		{"no terminator", "does not end", func(top *entry) {
			f := top.find(module).find(function)
			f.entries = slices.DeleteFunc(f.entries, func(x *entry) bool { return x.code == 10 && !x.isBlock })
		}},
		{"branch", "basic block 90", func(top *entry) {
			f := top.find(module).find(function)
			f.record(10).code, f.record(10).operands = 11, []uint64{90}
		}},
		{"use without definition", "used and never defined", func(top *entry) {
			b := top.find(module).find(function).record(2)
			b.operands = []uint64{1<<32 - 900, 3, 1, 0}
		}},
		{"no type of a function", "not a function type", func(top *entry) { top.find(module).record(8).operands[2] = 0 }},
		{"fewer bodies", "functions are defined", func(top *entry) {
			m := top.find(module)
			m.entries = slices.DeleteFunc(m.entries, func(x *entry) bool { return x.isBlock && x.block == function })
		}},
	}
	for _, tt := range tests {
		top := takeApart(t, readFile(t, "testdata/spec19.bc"))
		tt.change(top)
		_, err := bitcode.Read("in.bc", putTogether(top))
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "in.bc: ") {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// An error within the stream names a bit of the file, in a wrapper too.
func TestErrorNamesBit(t *testing.T) {
	top := takeApart(t, readFile(t, "testdata/spec19.bc"))
	top.find(8).find(17).record(7).code = 66
	stream := putTogether(top)
	bit := func(data []byte) uint64 {
		_, err := bitcode.Read("in.bc", data)
		var at *bitstream.Error
		if !errors.As(err, &at) {
			t.Fatalf("error %v has no place", err)
		}
		return at.Bit
	}
	if plain, wrapped := bit(stream), bit(wrap(stream)); plain == 0 || wrapped != plain+20*8 {
		t.Errorf("bit %d, in a wrapper bit %d", plain, wrapped)
	}
}

// wrap puts Darwin's header before a bitstream.
func wrap(stream []byte) []byte {
	header := []uint32{0x0B17C0DE, 0, 20, uint32(len(stream)), 7}
	var data []byte
	for _, word := range header {
		data = binary.LittleEndian.AppendUint32(data, word)
	}
	return append(append(data, stream...), 0, 0, 0, 0)
}

func TestWrapper(t *testing.T) {
	stream := readFile(t, "testdata/spec19.bc")
	plain := write(t, whole((&module{bitcode: stream}).read(t)))
	wrapped := write(t, whole((&module{bitcode: wrap(stream)}).read(t)))
	if string(plain) != string(wrapped) {
		t.Error("a wrapped module is read as another one")
	}
	for _, n := range []int{4, 12, 19, 40} {
		if _, err := bitcode.Read("in.bc", wrap(stream)[:n]); err == nil {
			t.Errorf("%d bytes of a wrapped module are accepted", n)
		}
	}
}

// Attributes and flags that are newer than we know pass through.
func TestNewerAttributesPass(t *testing.T) {
	top := takeApart(t, readFile(t, "testdata/spec19.bc"))
	group := top.find(8).find(10).record(3)
	group.operands = append(group.operands, 0, 999, 1, 998, 1<<40, 5, 997, 7, 996, 32, 1, 2, 8, 995, 1, 8, 4, 6)
	binop := top.find(8).find(12).record(2)
	binop.operands = append(binop.operands, 1<<30)
	m := &module{name: "newer", bitcode: putTogether(top)}
	again := takeApart(t, write(t, whole(m.read(t))))
	if !contains(again.find(8).find(10), group.operands[len(group.operands)-18:]) {
		t.Error("the attributes are not in the output")
	}
	if !contains(again.find(8).find(12), []uint64{1 << 30}) {
		t.Error("the flags are not in the output")
	}
}

// contains reports whether a record of the block ends in those operands.
func contains(block *entry, end []uint64) bool {
	return slices.ContainsFunc(block.entries, func(x *entry) bool {
		return len(x.operands) >= len(end) && slices.Equal(x.operands[len(x.operands)-len(end):], end)
	})
}

// A stream that is cut anywhere is refused, or read as far as LLVM would.
func TestCutShort(t *testing.T) {
	data := readFile(t, "testdata/spec14.bc")
	for n := range len(data) {
		m, err := bitcode.Read("cut.bc", data[:n])
		if err == nil && n < len(data)-1024 {
			t.Fatalf("%d of %d bytes are accepted: %d values", n, len(data), len(m.Values))
		}
	}
}
