package ir

import "sync"

// refStore holds the references of the values of a module in large blocks,
// which costs less than an allocation for each of a million values. The number
// of references stands before those of a value.
type refStore struct {
	mu     sync.Mutex
	blocks [][]Ref
}

// refPos is where the references of a value lie: the number of the block, counted from 1, and the
// place in it. It is 0 for a value without references.
type refPos uint32

const (
	refBlockBits = 14
	refBlock     = 1 << refBlockBits
	maxRefBlocks = 1<<(32-refBlockBits) - 1
)

// newBlock adds a block and returns its number.
func (s *refStore) newBlock(block []Ref) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks = append(s.blocks, block)
	return len(s.blocks)
}

// Refs returns the references of the header and the body or initialiser of a
// value, each once, in order of first appearance; those of attachments are not
// among them. The first SignatureRefs are those of the signature (types and
// attribute groups). A partition that declares a value that the module defines
// needs only these. A declaration of the module can have more: prefix and
// prologue data.
//
// The list must not be changed. Refs must not be called while a [RefArena] of
// the module stores.
func (m *Module) Refs(v *GlobalValue) []Ref {
	if v.refs == 0 {
		return nil
	}
	list := m.refs.blocks[v.refs>>refBlockBits-1][v.refs&(refBlock-1):]
	count := uint32(list[0])
	return list[1 : 1+count : 1+count]
}

// RefArena stores the references of values of one module. Each goroutine needs
// its own.
type RefArena struct {
	store  *refStore
	block  []Ref
	number int
	used   int
}

// NewRefArena returns an arena for references of the module's values.
func (m *Module) NewRefArena() *RefArena { return &RefArena{store: &m.refs} }

// Store makes a copy of the list the references of the value. A list of more than a quarter of a
// block gets a block of its own, so that at most a quarter of a block is lost. If the module has
// too many references, it returns false, and the value has none.
func (a *RefArena) Store(v *GlobalValue, list []Ref) bool {
	v.refs = 0
	need := 1 + len(list)
	switch {
	case len(list) == 0:
		return true
	case need > refBlock/4:
		block := append([]Ref{Ref(len(list))}, list...)
		number := a.store.newBlock(block)
		if number > maxRefBlocks {
			return false
		}
		v.refs = refPos(number << refBlockBits)
		return true
	case len(a.block)-a.used < need:
		a.block, a.used = make([]Ref, refBlock), 0
		a.number = a.store.newBlock(a.block)
	}
	if a.number > maxRefBlocks {
		return false
	}
	v.refs = refPos(a.number<<refBlockBits | a.used)
	a.block[a.used] = Ref(len(list))
	copy(a.block[a.used+1:], list)
	a.used += need
	return true
}
