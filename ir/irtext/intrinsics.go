package irtext

import (
	"cmp"
	"slices"

	"offlink/ir"
)

// Text may call intrinsics without declaring them (LLVM 18): the first call
// gives the type. The model has a value for each function, so the module is
// read again with the declarations after it, by their names as in LLVM.

// intrinsic is the declaration that the call of an intrinsic at pos stands for.
type intrinsic struct {
	pos         int
	name        string
	declaration []byte
}

// noteIntrinsic notes the intrinsic p.undeclared, whose call has a result or
// function type from result to end.
func (p *parser) noteIntrinsic(result, end int, functionType bool) {
	name := p.undeclared
	p.undeclared = nil
	parameters := end
	if functionType {
		parameters = p.parameterTypes(result, end)
	}
	text := append([]byte("declare "), p.data[result:parameters]...)
	text = append(appendName(append(text, " @"...), name), p.data[parameters:end]...)
	if !functionType {
		text = append(text, '(')
		for i, pos := range p.argTypes {
			if i > 0 {
				text = append(text, ", "...)
			}
			text = append(text, p.typeAt(pos)...)
		}
		text = append(text, ')')
	}
	p.intrinsics = append(p.intrinsics, intrinsic{result, string(name), append(text, '\n')})
}

// parameterTypes returns where the parameters begin of the function type that lies from start to
// end.
func (p *parser) parameterTypes(start, end int) (parameters int) {
	ahead := parser{scanner: scanner{data: p.data, pos: start}}
	ahead.baseType()
	for parameters = end; ahead.pos < end; {
		switch ahead.peekByte() {
		case '*':
			ahead.pos++
		case '(':
			parameters = ahead.pos
			ahead.functionType(0)
		default:
			ahead.readWord() // addrspace
			ahead.addressSpace()
		}
		ahead.peekByte()
	}
	return parameters
}

// typeAt returns the text of the type at pos.
func (p *parser) typeAt(pos int) (text []byte) {
	ahead := parser{scanner: scanner{data: p.data, pos: pos}}
	ahead.parseType()
	return p.data[pos:ahead.endOfToken()]
}

// withIntrinsics reads a module again with declarations of the intrinsics that it calls. Reading
// twice is simple, and only modules written by hand need it: compilers declare their callees. The
// places in messages are those of the first reading, since the declarations come last.
func withIntrinsics(path string, data []byte, calls []intrinsic) (*ir.Module, error) {
	slices.SortFunc(calls, func(a, b intrinsic) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.pos, b.pos))
	})
	size := int64(len(data))
	data = append(slices.Clone(data), '\n')
	for i, c := range calls {
		if i == 0 || calls[i-1].name != c.name {
			data = append(data, c.declaration...)
		}
	}
	t, err := parseText(path, data)
	if err != nil {
		return nil, err
	}
	t.module.Size = size
	return t.module, nil
}
