package hostdev

import (
	"fmt"
	"strings"

	"offlink/runtime/driver"
	"offlink/spirv"
)

// Allocations of global memory, as pointers know them. A pointer to local or
// private memory has its allocation in itself.

// extent is an allocation that a pointer can be made for: an argument's memory,
// which may be a part of a larger one, a program-scope variable, or memory that
// a pointer in memory leads to.
type extent struct {
	at, size int64 // in the region
	entry    uint64
	name     string
}

// findArguments makes the objects of the arguments, by parameter.
func (c *checker) findArguments(args []driver.Arg) {
	for i := range args {
		m, ok := args[i].Memory.(*memory)
		if !ok {
			continue
		}
		entry, _ := c.l.flat.entryOf(m.pointer(0))
		c.objects = append(c.objects, extent{m.at, m.Size(), entry, c.argumentName(i)})
		c.l.argObjects = append(c.l.argObjects, argObject{c.l.k.params[i].word, uint32(len(c.objects) - 1)})
	}
}

// argObject is the object of an argument, by the word of the argument.
type argObject struct {
	word   int64
	object uint32
}

func (c *checker) argumentName(i int) string {
	k := c.l.k
	if name := k.p.sourceName(k.p.bodies[k.fn.id].Params[i].Result()); name != "" {
		return fmt.Sprintf("argument %d (%s)", i, name)
	}
	return fmt.Sprintf("argument %d", i)
}

// objectAt returns the number of the object at an address, 0 if there is none.
func (c *checker) objectAt(p pointer) uint32 {
	entry, within := c.l.flat.entryOf(p)
	if entry == 0 || within > entrySize(entry) {
		return 0
	}
	at := entryStart(entry)
	if n, ok := c.byStart[at]; ok {
		return n
	}
	n := uint32(len(c.objects))
	c.objects = append(c.objects, extent{at, entrySize(entry), entry, c.allocationName(at)})
	c.byStart[at] = n
	return n
}

// allocationName tells where an allocation comes from.
func (c *checker) allocationName(at int64) string {
	for _, v := range c.l.k.p.variables {
		if v.memory != nil && v.memory.at == at {
			return "the program-scope variable " + v.name
		}
	}
	for i := range c.objects {
		if o := &c.objects[i]; o.at == at && o.size > 0 {
			return o.name
		}
	}
	for m, number := range c.state.numbers {
		if m.at == at {
			return fmt.Sprintf("allocation %d of the host, %v memory", number, m.kind)
		}
	}
	return "memory of the host"
}

func (o *extent) String() string { return fmt.Sprintf("%s, %d bytes of global memory", o.name, o.size) }

// freedAt returns the allocation at an address that was freed last.
func (c *checker) freedAt(p pointer) (f freed, ok bool) {
	at := int64(uint64(p) - c.l.flat.base)
	for i := len(c.state.freed) - 1; i >= 0; i-- {
		if f := c.state.freed[i]; at >= f.at && at < f.at+max(f.size, 1) {
			return f, true
		}
	}
	return freed{}, false
}

// segmentName names an allocation of local or private memory.
func (it *item) segmentName(s space, index int) string {
	switch s {
	case spaceLocal:
		return it.localName(index)
	case spacePrivate:
		return it.privateName(index)
	}
	return spaceNames[s]
}

func (it *item) localName(index int) string {
	k := it.group.launch.k
	if i := index - len(k.p.locals); i >= 0 {
		return fmt.Sprintf("%s, %d bytes of local memory", it.group.launch.checker.argumentName(i), len(it.group.local[index]))
	}
	return fmt.Sprintf("the variable %s, %d bytes of local memory", k.p.locals[index].name, len(it.group.local[index]))
}

// privateName finds the function whose variable it is: those of the caller come
// first.
func (it *item) privateName(index int) string {
	size := len(it.spaces[spacePrivate][index])
	fn, first := it.fn, it.check.firstPrivate
	for i := len(it.frames) - 1; i >= 0 && index < first; i-- {
		fn = it.frames[i].fn
		first = it.check.firsts[i]
	}
	name := "a variable"
	if i := index - first; i >= 0 && i < len(fn.variables) {
		if own := it.group.launch.k.p.sourceName(fn.variables[i]); own != "" {
			name = "the variable " + own
		}
	} else if i < 0 || len(it.frames) == 0 {
		name = "an argument"
	}
	return fmt.Sprintf("%s of function %s, %d bytes of private memory", name, fn.name, size)
}

// sourceName is the name of a variable or a parameter, "" if the module does not
// say it.
func (p *program) sourceName(id spirv.ID) string {
	if name := p.module.Name(id); !strings.HasPrefix(name, "%") {
		return name
	}
	return ""
}
