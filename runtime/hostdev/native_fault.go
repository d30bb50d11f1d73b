package hostdev

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"offlink/runtime/hostdev/internal/lanes"
)

// The faults of compiled code: the record has the trap and the site, and here they become
// the fault that the interpreter would have named.

// report turns the record that the code left into a fault of the launch.
func (w *worker) report(n *nativeKernel, code *lanes.Code, err error) {
	get := func(offset int) int { return int(binary.LittleEndian.Uint32(w.data[offset:])) }
	index := get(lanes.RecordGroup)
	g := &group{launch: w.l}
	// The code counts groups linearly, the first dimension fastest, as
	// group.run does.
	rest := index
	for i, count := range w.l.r.groups {
		g.id[i] = w.l.r.first[i] + rest%count
		rest /= count
	}
	it := &item{group: g}
	g.setOrigin()
	for i, n := range w.l.r.local {
		// Between two parts of a kernel with barriers the loops over the work-items are at their end.
		it.local[i] = min(get(lanes.RecordItem+4*i), n-1)
	}
	trap := lanes.Trap(get(lanes.RecordTrap))
	if trap == lanes.TrapBounds {
		var lane int
		it.fault, lane = w.boundsFault(code.Sites[get(lanes.FaultSite)], get)
		it.local[0] += lane
	} else {
		it.fault = w.faultOf(err, trap)
	}
	if trap == lanes.TrapDivision {
		it.local[0] += bits.TrailingZeros32(uint32(get(lanes.FaultLanes)))
	}
	fault := g.place(it)
	// Of these traps, the record has no site.
	if trap != lanes.TrapNone && trap != lanes.TrapBarrier && trap != lanes.TrapUnaligned {
		at := n.sites[code.Sites[get(lanes.FaultSite)].Site]
		fault.Function, fault.Op, fault.File, fault.Line = at.function, at.op, at.file, int(at.line)
	}
	w.l.report(int64(index), fault)
}

// wholeDistance is a distance of which the code knows the low half, and another number.
func wholeDistance(v *lanes.Value, low, far uint32) int64 {
	kind, scale, shift := v.Far()
	offset := shift
	switch kind {
	case lanes.FarHigh:
		return int64(far)<<32 | int64(low)
	case lanes.FarSigned:
		offset += int64(int32(far)) * int64(scale)
	case lanes.FarUnsigned:
		offset += int64(far) * int64(scale)
	default:
		return int64(int32(low))
	}
	return offset + int64(low-uint32(offset)) // from a pointer that lies after the start
}

// boundsFault names the access that was out of bounds, and in which lane of the step.
func (w *worker) boundsFault(v *lanes.Value, get func(offset int) int) (fault *Fault, lane int) {
	size, store := v.Access()
	what := "load"
	if store {
		what = "store"
	}
	if all := get(lanes.FaultLanes); all != 0 {
		lane = bits.TrailingZeros(uint(all))
	}
	if v.Bounds.Table {
		at, base := uint32(get(lanes.FaultDistance)), get(lanes.FaultStride)
		if kind, _, _ := v.Far(); kind != lanes.FarNothing && get(lanes.RecordFar) != 0 {
			at = math.MaxUint32 // of an address elsewhere the low half says nothing
		}
		return w.tableFault(what, at, uint32(base), uint32(get(lanes.FaultLen)), size, store), lane
	}
	at := wholeDistance(v, uint32(get(lanes.FaultDistance)), uint32(get(lanes.RecordFar)))
	stride, length := int64(get(lanes.FaultStride)), int64(get(lanes.FaultLen))
	// The check covers the accesses of all lanes at once; the first lane that
	// is out of bounds is the one to name.
	for stride != 0 && at >= 0 && at <= length-size && lane < 64 {
		at += stride
		lane++
	}
	switch memory := v.Bounds.Memory; {
	case size == 0 && at != int64(int32(at)):
		return &Fault{Message: fmt.Sprintf("%s far outside of an array of %d elements in private memory", what, length)}, lane
	case size == 0:
		return &Fault{Message: fmt.Sprintf("%s of element %d of an array of %d elements in private memory", what, at, length)}, lane
	case store && memory == constantMemory:
		return &Fault{Message: fmt.Sprintf("store of %d bytes to %s, which cannot be written", size, memory)}, lane
	case length == 0:
		return &Fault{Message: fmt.Sprintf("%s of %d bytes through a null pointer", what, size)}, lane
	case at != at<<8>>8:
		return &Fault{Message: fmt.Sprintf("%s of %d bytes far outside of an allocation of %d bytes in %s", what, size, length, memory)}, lane
	default:
		return &Fault{Message: fmt.Sprintf("%s of %d bytes at offset %d of an allocation of %d bytes in %s", what, size, at, length, memory)}, lane
	}
}

// tableFault names an access that the table of allocations does not allow, and that was made for
// the allocation of length bytes from base on.
func (w *worker) tableFault(what string, at, base, length uint32, size int64, store bool) *Fault {
	foreign := base == lanes.Foreign
	flat := &w.l.flat
	entry, within := flat.entryNear(pointer(flat.base + uint64(at)))
	memory := spaceNames[spaceGlobal]
	// Local and private memory are allocations of the region too; the kernel's
	// author knows them by their kind.
	for room, name := range map[int]string{roomLocal: spaceNames[spaceLocal], roomFrame: spaceNames[spacePrivate]} {
		if m := w.rooms[room]; m != nil && entryStart(entry) == m.at {
			memory = name
		}
	}
	entryLength := entrySize(entry)
	if entry&entryDivided != 0 { // of its variables, only the bounds of the pointer tell
		within, entryLength = int64(int32(at-base)), int64(length)
	}
	switch {
	case foreign && at < granule:
		return &Fault{Message: fmt.Sprintf("%s of %d bytes through a null pointer", what, size)}
	case foreign:
		return &Fault{Message: fmt.Sprintf("%s of %d bytes through a pointer that is not of the device's memory", what, size)}
	case entry == 0:
		return &Fault{Message: fmt.Sprintf("%s of %d bytes in %s that is not allocated (any more)", what, size, memory)}
	case store && entry&entryReadOnly != 0:
		return &Fault{Message: fmt.Sprintf("store of %d bytes to %s, which cannot be written", size, constantMemory)}
	}
	return &Fault{Message: fmt.Sprintf("%s of %d bytes at offset %d of an allocation of %d bytes in %s", what, size, within, entryLength, memory)}
}

// faultOf names a fault by the trap that the code noted; one that the engine found
// has its text.
func (w *worker) faultOf(err error, trap lanes.Trap) *Fault {
	text, _, _ := strings.Cut(err.Error(), "\n")
	switch {
	case w.fault != nil:
		f := &Fault{Message: w.fault.Error(), Err: w.fault}
		if call, ok := w.fault.(*hostFault); ok {
			f.Function, f.Op, f.File, f.Line = call.at.function, call.at.op, call.at.file, int(call.at.line)
		}
		return f
	case trap == lanes.TrapUnreachable:
		return &Fault{Message: "the kernel reached a place that its compiler took for unreachable"}
	case trap == lanes.TrapCallee:
		return &Fault{Message: "call through a number that is not a pointer to a function of this type"}
	case trap == lanes.TrapDivision:
		return &Fault{Message: divisionByZero}
	case trap == lanes.TrapSubgroup:
		return &Fault{Message: "the work-item waits for its sub-group, and not all of it come here"}
	case trap == lanes.TrapBarrier:
		return &Fault{Message: "the work-item waits for its work-group, and another one does not come here"}
	case trap == lanes.TrapUnaligned || strings.Contains(text, "unaligned"):
		return &Fault{Message: "atomic access that is not aligned"}
	case strings.Contains(text, "out of bounds memory access"):
		return &Fault{Message: "access through a null pointer, or one that is not of the device's memory"}
	}
	return &Fault{Message: text}
}
