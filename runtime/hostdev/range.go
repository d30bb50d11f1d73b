package hostdev

import (
	"sync/atomic"

	"offlink/runtime/hostdev/internal/mem"
)

// ndrange is an ND-range, extended to three dimensions. One that the local size does not
// divide has parts with work-groups of one size each, which are ranges too.
type ndrange struct {
	dims           int
	global, offset [3]int

	// local is the size of the work-groups, groups how many there are, and first the
	// number of the first one.
	local, groups, first [3]int

	// enqueued is the local size of the launch, and allGroups the number of all its
	// work-groups.
	enqueued, allGroups [3]int
}

// countGroups completes a range with a local size. The last work-group of a dimension
// has the work-items that are left.
func (r *ndrange) countGroups() {
	r.enqueued = r.local
	for i, size := range r.local {
		r.groups[i] = (r.global[i] + size - 1) / max(size, 1)
	}
	r.allGroups = r.groups
}

// isUneven reports whether the last work-group of a dimension has fewer work-items.
func (r *ndrange) isUneven() bool {
	for i, size := range r.local {
		if size > 0 && r.global[i]%size != 0 {
			return true
		}
	}
	return false
}

// parts are up to eight ranges with work-groups of one size.
func (r *ndrange) parts() []ndrange {
	list := []ndrange{*r}
	for i, size := range r.local {
		whole, rest := r.global[i]/size, r.global[i]%size
		for n := range list {
			list[n].groups[i] = whole
		}
		if rest == 0 {
			continue
		}
		for _, last := range list {
			last.local[i], last.groups[i], last.first[i] = rest, 1, whole
			list = append(list, last)
		}
	}
	return list
}

// sizeOf is the size of a work-group.
func (r *ndrange) sizeOf(group [3]int) (size [3]int) {
	for i := range size {
		size[i] = min(r.enqueued[i], r.global[i]-group[i]*r.enqueued[i])
	}
	return size
}

// start is the global id of the first work-item of a work-group, without the offset.
func (r *ndrange) start(group [3]int) (id [3]int) {
	for i := range id {
		id[i] = group[i] * r.enqueued[i]
	}
	return id
}

// runParts runs the parts of the range one after the other.
func (l *launch) runParts() error {
	began := l.began
	for _, part := range l.r.parts() {
		l.r = part
		if err := l.runUniform(); err != nil {
			return err
		}
		if l.shared != nil { // which is memory of a worker of this part
			l.steps.Store(int64(mem.Load64(l.shared)))
			l.shared = nil
		}
		l.next, l.crew = atomic.Int64{}, crew{}
	}
	l.began = began
	return nil
}
