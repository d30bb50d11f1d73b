package streams

import (
	"fmt"
	"math"

	"offlink/runtime/driver"
)

// Limits are a device's limits of launches.
type Limits struct {
	Group  [3]int   // work-items of a work-group in each dimension
	Groups [3]int64 // work-groups in each dimension
}

// GroupRules are a kernel's rules for its work-groups.
type GroupRules struct {
	// Required is the size that the code asks for, zeros if it asks for none.
	Required [3]int
	// Most is the number of work-items that a work-group may have.
	Most int
}

// Grid computes the work-groups of a launch, and the work-items of one. Groups
// are whole: the local size divides the global one.
func (l *Limits) Grid(r driver.Range, rules *GroupRules, groups, group *[3]uint32) error {
	if len(r.Global) < 1 || len(r.Global) > 3 {
		return fmt.Errorf("a range of %d dimensions", len(r.Global))
	}
	global := [3]int{1, 1, 1}
	copy(global[:], r.Global)
	local, err := l.localSize(global, r, rules)
	if err != nil {
		return err
	}
	items := 1
	*groups, *group = [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}
	for i := range 3 {
		if global[i] == 1 && local[i] == 1 {
			continue // a division costs more than the rest
		}
		count := divide(global[i], local[i])
		if count < 1 || count*local[i] != global[i] {
			return fmt.Errorf("the local size %v does not divide the global size %v", local, global)
		}
		if local[i] > l.Group[i] {
			return fmt.Errorf("the local size %v has %d work-items in dimension %d; the device takes %d", local, local[i], i, l.Group[i])
		}
		if int64(count) > l.Groups[i] {
			return fmt.Errorf("the range has %d work-groups in dimension %d; the device takes %d", count, i, l.Groups[i])
		}
		groups[i], group[i] = uint32(count), uint32(local[i])
		items *= local[i]
	}
	if items > rules.Most {
		return fmt.Errorf("the local size %v has %d work-items; the kernel takes %d on this device", local, items, rules.Most)
	}
	return nil
}

// divide returns the quotient, 0 for a divisor below 1. It divides 32-bit numbers where it
// can: a 64-bit division takes several times as long on older processors.
func divide(n, divisor int) int {
	switch {
	case divisor < 1 || n < 0:
		return 0
	case uint64(n)|uint64(divisor) <= math.MaxUint32:
		return int(uint32(n) / uint32(divisor))
	}
	return n / divisor
}

// localSize is the size of a work-group: the caller's, the one that the code
// asks for, or one that divides the global size.
func (l *Limits) localSize(global [3]int, r driver.Range, rules *GroupRules) ([3]int, error) {
	local := [3]int{1, 1, 1}
	required := rules.Required != [3]int{}
	switch {
	case r.Local == nil && required:
		return rules.Required, nil
	case r.Local == nil:
		return l.chooseLocal(global, rules.Most), nil
	case len(r.Local) != len(r.Global):
		return local, fmt.Errorf("the local size %v has other dimensions than the global size %v", r.Local, r.Global)
	}
	copy(local[:], r.Local)
	if required && local != rules.Required {
		return local, fmt.Errorf("the code asks for work-groups of %v work-items, and the local size is %v", rules.Required, local)
	}
	return local, nil
}

// goodGroup is the most work-items of a work-group whose size is chosen here: enough to
// fill a multiprocessor, few enough to leave each enough registers.
const goodGroup = 256

// chooseLocal finds divisors of the global size, the largest in the first
// dimension, whose neighbors lie side by side in memory.
func (l *Limits) chooseLocal(global [3]int, most int) (local [3]int) {
	room := min(goodGroup, most)
	for i := range 3 {
		local[i] = largestDivisor(global[i], min(room, l.Group[i]))
		room /= local[i]
	}
	return local
}

func largestDivisor(n, limit int) int {
	for d := min(n, limit); d > 1; d-- {
		if n%d == 0 {
			return d
		}
	}
	return 1
}
