package bitcode

import (
	"slices"

	"offlink/ir"
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// groupRecord is an attribute group as read: the index that it applies to, and its attributes in
// their encoded form. These are copied into every output as they are, except for types, which have
// other numbers there.
type groupRecord struct {
	index      uint64
	attributes []uint64
	types      []int // positions in attributes that name types
}

// readGroups reads the attribute groups. In the file, a group has a number of its own, by which
// lists name it. The index is 0 for the result, 0xFFFFFFFF for the function, else the number of a
// parameter plus one (LLVM, AttributeList).
func (r *moduleReader) readGroups(c *bitstream.Cursor) error {
	for {
		e, err := c.Next()
		if err != nil || e.Kind == bitstream.End {
			return err
		}
		if e.Kind != bitstream.Record || c.Code != llvmschema.AttributeGroupEntry {
			continue
		}
		if len(c.Operands) < 3 {
			return c.Errorf("attribute group of %d operands", len(c.Operands))
		}
		number := c.Operands[0]
		if _, ok := r.groupIDs[number]; ok {
			return c.Errorf("attribute group %d is defined twice", number)
		}
		g := groupRecord{index: c.Operands[1], attributes: slices.Clone(c.Operands[2:])}
		model, err := r.parseGroup(c, &g)
		if err != nil {
			return err
		}
		r.groupIDs[number] = ir.AttributeGroupID(len(r.source.groups))
		r.source.groups = append(r.source.groups, g)
		r.module.AttributeGroups = append(r.module.AttributeGroups, model)
	}
}

// parseGroup walks the attributes of a group. Unknown kinds of attributes are accepted, but the
// form of each must be known, since it decides where the next attribute begins.
func (r *moduleReader) parseGroup(c *bitstream.Cursor, g *groupRecord) (ir.AttributeGroup, error) {
	var model ir.AttributeGroup
	p := attributeParser{list: g.attributes}
	for !p.atEnd() {
		a := p.nextAttribute()
		if p.failed {
			return model, c.Errorf("attribute group %d is cut short or has an attribute of a form that is not known", c.Operands[0])
		}
		switch a.form {
		case llvmschema.AttributeString, llvmschema.AttributeStringValue:
			model.Strings = append(model.Strings, ir.Attribute{Key: a.key, Value: a.value})
		case llvmschema.AttributeTyped:
			g.types = append(g.types, p.at-1)
		}
	}
	return model, nil
}

// attribute is an attribute of a group. Its encoding is list[start:end].
type attribute struct {
	form       uint64
	key, value string
	kind       uint64
	start, end int
}

// attributeParser takes attributes from the operands of a group.
type attributeParser struct {
	list   []uint64
	at     int
	failed bool
}

func (p *attributeParser) atEnd() bool { return p.failed || p.at >= len(p.list) }

// takeNumber takes the next operand. If the list is cut short, it sets failed, so that callers need
// not check each number.
func (p *attributeParser) takeNumber() uint64 {
	if p.at >= len(p.list) {
		p.failed = true
		return 0
	}
	p.at++
	return p.list[p.at-1]
}

// nextAttribute takes one attribute: its form, its kind or key, and the
// operands of that form (LLVM, BitcodeWriter, writeAttributeGroupTable).
func (p *attributeParser) nextAttribute() attribute {
	a := attribute{start: p.at}
	a.form = p.takeNumber()
	switch a.form {
	case llvmschema.AttributeEnum, llvmschema.AttributeNoType:
		a.kind = p.takeNumber()
	case llvmschema.AttributeInt, llvmschema.AttributeTyped:
		a.kind = p.takeNumber()
		p.takeNumber()
	case llvmschema.AttributeString:
		a.key = p.takeString()
	case llvmschema.AttributeStringValue:
		a.key = p.takeString()
		a.value = p.takeString()
	case llvmschema.AttributeRange:
		a.kind = p.takeNumber()
		p.constantRange(p.takeNumber())
	case llvmschema.AttributeRanges:
		a.kind = p.takeNumber()
		n, width := p.takeNumber(), p.takeNumber()
		for i := uint64(0); i < n && !p.failed; i++ {
			p.constantRange(width)
		}
	default:
		p.failed = true
	}
	a.end = p.at
	return a
}

// takeString takes a string that ends in a zero.
func (p *attributeParser) takeString() string {
	end := slices.Index(p.list[min(p.at, len(p.list)):], 0)
	if end < 0 {
		p.failed = true
		return ""
	}
	s := textOf(p.list[p.at:][:end])
	p.at += end + 1
	return s
}

// constantRange steps over a range of numbers of that width. Up to 64 bits, it is two numbers.
// Above, one number has the counts of the two bounds' words in its low and high half, and the words
// follow.
func (p *attributeParser) constantRange(width uint64) {
	n := uint64(1)
	if width > 64 {
		counts := p.takeNumber()
		n = counts&(1<<32-1) + counts>>32
	} else {
		p.takeNumber()
	}
	if n > uint64(len(p.list)-p.at) {
		p.failed = true
		return
	}
	p.at += int(n)
}

// readLists reads the attribute lists, each of which names groups. A list is the attributes of one
// function or call: its groups, in the order of their indices.
func (r *moduleReader) readLists(c *bitstream.Cursor) error {
	for {
		e, err := c.Next()
		if err != nil || e.Kind == bitstream.End {
			return err
		}
		if e.Kind != bitstream.Record {
			continue
		}
		if c.Code != llvmschema.AttributeListEntry {
			return c.Errorf("attribute list record %d is not known; those of LLVM before 3.3 are not read", c.Code)
		}
		r.lists = append(r.lists, slices.Clone(c.Operands))
	}
}

// resolveLists finds the groups of the lists once both are read. LLVM writes groups first; other
// producers need not.
func (r *moduleReader) resolveLists(c *bitstream.Cursor) error {
	s := r.source
	s.lists = make([][]ir.AttributeGroupID, len(r.lists))
	for i, list := range r.lists {
		for _, number := range list {
			id, ok := r.groupIDs[number]
			if !ok {
				return c.Errorf("attribute list %d names group %d, which is not defined", i+1, number)
			}
			s.lists[i] = append(s.lists[i], id)
		}
	}
	for i := range s.groups {
		for _, at := range s.groups[i].types {
			t := s.groups[i].attributes[at]
			if t >= uint64(len(s.types)) {
				return c.Errorf("attribute group names type %d of %d", t, len(s.types))
			}
			model := &r.module.AttributeGroups[i]
			model.Types = append(model.Types, ir.TypeID(t))
		}
	}
	r.lists, r.groupIDs = nil, nil
	return nil
}

// parameterStrings returns the string attributes of parameters in an attribute list, by index. list
// is one more than the list's number. Other attributes do not matter to a split.
func (s *source) parameterStrings(m *ir.Module, list uint64) []ir.ParameterAttribute {
	if list == 0 || list > uint64(len(s.lists)) {
		return nil
	}
	var strings []ir.ParameterAttribute
	for _, g := range s.lists[list-1] {
		index := s.groups[g].index
		if index == 0 || index == llvmschema.FunctionIndex {
			continue
		}
		for _, a := range m.AttributeGroups[g].Strings {
			strings = append(strings, ir.ParameterAttribute{Index: int(index - 1), Attribute: a})
		}
	}
	slices.SortStableFunc(strings, func(a, b ir.ParameterAttribute) int { return a.Index - b.Index })
	return strings
}

// functionGroups returns the groups of an attribute list that apply to the function or variable
// itself. list is one more than the list's number.
func (s *source) functionGroups(list uint64) []ir.AttributeGroupID {
	if list == 0 || list > uint64(len(s.lists)) {
		return nil
	}
	for _, g := range s.lists[list-1] {
		if s.groups[g].index == llvmschema.FunctionIndex {
			return []ir.AttributeGroupID{g}
		}
	}
	return nil
}
