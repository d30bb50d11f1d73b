package irtext

import (
	"cmp"
	"slices"
	"strings"

	"offlink/ir"
)

// instructionSite is an instruction in a body and where its parts are.
type instructionSite struct {
	op         opcode
	start, end int // of the instruction with its result and attachments
	word       int // its first word
	tail       int // after its operands
	refs       int // number of references before it
	direct     bool
	callee     ir.ValueID // of a direct call
	result     name
	hasResult  bool
}

// slotFinder finds the variables on a function's stack that hold one constant
// address from their store on: a load of such a variable gives that address.
// Code without optimisation passes constants to calls this way.
type slotFinder struct {
	parser       *parser
	instructions []instructionSite
	names        []localName // in the order of the text
	results      map[string]int
	users        map[string][]int
	slots        map[string]*slot
}

// maxPointerCasts limits how many casts of its address a variable is looked
// for through.
const maxPointerCasts = 8

// slot is a variable on the stack.
type slot struct {
	loads, stores []int // instructions
	address       ir.ValueID
	constant      bool // loads give the address, and nothing else reads or writes the variable
}

// collect makes the next scan of a body note the parts that the finder needs.
func (f *slotFinder) collect(p *parser) {
	f.parser = p
	p.localNames = &f.names
	p.onInstruction = func(site *instructionSite) { f.instructions = append(f.instructions, *site) }
}

// finish is called after the scan.
func (f *slotFinder) finish() {
	f.parser.localNames, f.parser.onInstruction = nil, nil
	f.results, f.users, f.slots = make(map[string]int), make(map[string][]int), make(map[string]*slot)
	for i := range f.instructions {
		in := &f.instructions[i]
		if in.hasResult {
			f.results[in.result.key()] = i
		}
		for _, n := range f.uses(i) {
			f.users[n.name.key()] = append(f.users[n.name.key()], i)
		}
	}
}

// uses returns the names that an instruction uses.
func (f *slotFinder) uses(i int) (names []localName) {
	in := &f.instructions[i]
	first, _ := slices.BinarySearchFunc(f.names, in.start, func(n localName, pos int) int { return cmp.Compare(n.start, pos) })
	for _, n := range f.names[first:] {
		if n.start >= in.end {
			break
		}
		if !n.defined {
			names = append(names, n)
		}
	}
	return names
}

// address returns the address that a local value is when it was loaded from a
// variable that holds nothing else.
func (f *slotFinder) address(n name) (ir.ValueID, bool) {
	s := f.slotOf(n)
	if s == nil || !s.constant {
		return 0, false
	}
	return s.address, true
}

// slotOf returns the variable that a value is loaded from, or nil.
func (f *slotFinder) slotOf(n name) *slot {
	i, ok := f.results[n.key()]
	if !ok || f.instructions[i].op != opLoad {
		return nil
	}
	for range maxPointerCasts {
		names := f.uses(i)
		if len(names) != 1 {
			return nil
		}
		key := names[0].name.key()
		if i, ok = f.results[key]; !ok {
			return nil
		}
		switch {
		case f.instructions[i].op == opAllocate:
			return f.slot(key)
		case !f.isPointerCast(i):
			return nil
		}
	}
	return nil
}

// isPointerCast reports whether an instruction gives the address that its
// operand is.
func (f *slotFinder) isPointerCast(i int) bool {
	switch word := f.word(i); word {
	case "bitcast", "addrspacecast":
		return true
	}
	return false
}

func (f *slotFinder) word(i int) string {
	f.parser.pos = f.instructions[i].word
	return string(f.parser.readWord())
}

// slot looks at all uses of a variable and of casts of its address.
func (f *slotFinder) slot(key string) *slot {
	if s, known := f.slots[key]; known {
		return s
	}
	s := &slot{constant: true}
	f.slots[key] = s
	for work := []string{key}; len(work) > 0; {
		users := f.users[work[0]]
		work = work[1:]
		for _, i := range users {
			switch in := &f.instructions[i]; {
			case in.op == opLoad:
				s.loads = append(s.loads, i)
			case in.op == opStore:
				s.constant = f.store(s, i) && s.constant
			case f.isPointerCast(i):
				work = append(work, in.result.key())
			default:
				s.constant = s.constant && f.isMarker(in)
			}
		}
	}
	s.constant = s.constant && len(s.stores) > 0
	return s
}

// isMarker reports whether an instruction says something about a variable and
// neither reads nor writes it.
func (f *slotFinder) isMarker(in *instructionSite) bool {
	if !in.direct {
		return false
	}
	callee := f.parser.text.module.Values[in.callee].Name
	return strings.HasPrefix(callee, "llvm.lifetime.") || strings.HasPrefix(callee, "llvm.dbg.")
}

// store takes in a store that names the variable. It returns false unless it
// writes the address that the others write.
func (f *slotFinder) store(s *slot, i int) bool {
	p := f.parser
	p.pos = f.instructions[i].word
	p.readWord()
	if w := string(p.peekWord()); w == "volatile" || w == "atomic" {
		return false
	}
	types := p.types
	p.types = p.text.table.frozenCopy()
	defer func() { p.types = types }()
	typ, _ := p.parseType()
	if p.peekByte() == '%' {
		return false
	}
	value := p.decodeConstant(typ)
	if value.Kind != ir.ConstantValue || len(s.stores) > 0 && value.Value != s.address {
		return false
	}
	s.stores, s.address = append(s.stores, i), value.Value
	return true
}

// serving returns the stores that nothing reads once the calls that begin at
// those places are gone.
func (f *slotFinder) serving(calls map[int]bool) (stores []int) {
	seen := make(map[*slot]bool)
	for i := range f.instructions {
		if !calls[f.instructions[i].start] {
			continue
		}
		for _, n := range f.uses(i) {
			if s := f.slotOf(n.name); s != nil && s.constant && !seen[s] {
				seen[s] = true
				if f.serves(s, calls) {
					stores = append(stores, s.stores...)
				}
			}
		}
	}
	slices.Sort(stores)
	return stores
}

func (f *slotFinder) serves(s *slot, calls map[int]bool) bool {
	for _, load := range s.loads {
		for _, user := range f.users[f.instructions[load].result.key()] {
			if in := &f.instructions[user]; !calls[in.start] && !f.isMarker(in) {
				return false
			}
		}
	}
	return true
}
