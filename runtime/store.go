package runtime

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/registry"
)

// Counters count the uses of a store of built things.
type Counters struct {
	Hits     uint64 // requests that found one
	Built    uint64
	Failed   uint64 // builds that failed
	Replayed uint64 // requests that got an earlier failure again
	Evicted  uint64 // dropped because there were too many
	Kept     int    // there now
}

// store keeps built things of one kind, made once for each key: programs, or compiled
// objects. It drops idle ones while it has more than limit entries. The zero value with
// a limit is ready, and it is safe for concurrent use.
type store[K comparable, T interface{ Close() error }] struct {
	limit int
	// isState reports whether a thing has contents that another build of it would not have:
	// it stays until one of its images goes. Nil: none has.
	isState func(T) bool

	mu      sync.Mutex
	entries map[K]*built[K, T]
	// forgotten are entries whose use by the store ends at the next request: images go
	// while their library is unloaded, when no driver may be called.
	forgotten []*built[K, T]
	clock     uint64
	counters  Counters
}

// built is one thing with a count of its uses, of which the store is one. The release of
// the last use closes it.
type built[K comparable, T interface{ Close() error }] struct {
	key    K
	ready  chan struct{} // closed when value and err are set
	value  T
	err    error
	images []*registry.Image

	mu   sync.Mutex
	uses int
	last uint64 // when it was asked for, guarded by the store
}

// getOrBuild returns the thing of the key with one use added. One caller builds it while
// others wait. A failed build is remembered: later callers get the same error until one
// of the images goes. A failure that may not recur, such as that of a caller that gave
// up, is not remembered.
func (s *store[K, T]) getOrBuild(ctx context.Context, key K, images []*registry.Image, build func(context.Context) (T, error)) (*built[K, T], error) {
	_ = s.giveUp() // the errors are not about this request
	b, known := s.enterKey(key, images)
	if !known {
		s.buildEntry(ctx, b, build)
	}
	select {
	case <-b.ready:
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), b.releaseUse())
	}
	switch {
	case b.err == nil:
		s.updateCounters(func(c *Counters) {
			if known {
				c.Hits++
			}
		})
		return b, nil
	case known && isCancelled(b.err) && ctx.Err() == nil:
		_ = b.releaseUse()
		return s.getOrBuild(ctx, key, images, build) // the builder gave up, we do not
	case known:
		s.updateCounters(func(c *Counters) { c.Replayed++ })
	}
	return nil, errors.Join(b.err, b.releaseUse())
}

// enterKey finds the entry of the key, or makes one to be built.
func (s *store[K, T]) enterKey(key K, images []*registry.Image) (b *built[K, T], known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, known = s.entries[key]
	if !known {
		b = &built[K, T]{key: key, ready: make(chan struct{}), images: images, uses: 1}
		if s.entries == nil {
			s.entries = make(map[K]*built[K, T])
		}
		s.entries[key] = b
	}
	s.touchEntry(b)
	b.addUse()
	return b, known
}

// touchEntry makes the entry the one that was used last.
func (s *store[K, T]) touchEntry(b *built[K, T]) {
	s.clock++
	b.last = s.clock
}

func (s *store[K, T]) updateCounters(f func(*Counters)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.counters)
}

func isCancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// isLasting reports whether another build of the same inputs would fail as well.
func isLasting(err error) bool {
	_, build := errors.AsType[*driver.BuildError](err)
	return build && !isCancelled(err) && !errors.Is(err, driver.ErrOutOfResources)
}

func (s *store[K, T]) buildEntry(ctx context.Context, b *built[K, T], build func(context.Context) (T, error)) {
	b.value, b.err = build(ctx)
	if errors.Is(b.err, driver.ErrOutOfResources) {
		_ = s.dropIdle()
		b.value, b.err = build(ctx)
	}
	s.mu.Lock()
	s.counters.Built++
	if b.err != nil {
		s.counters.Failed++
		if !isLasting(b.err) && s.entries[b.key] == b {
			delete(s.entries, b.key)
			s.forgotten = append(s.forgotten, b)
		}
	}
	s.evictOldest()
	s.mu.Unlock()
	close(b.ready)
}

// evictOldest forgets the idle entries that were not used for the longest time while there
// are more entries than the limit. A failure counts as idle. The store is locked.
func (s *store[K, T]) evictOldest() {
	for len(s.entries) > s.limit {
		var oldest *built[K, T]
		for _, b := range s.entries {
			if s.isDispensable(b) && (oldest == nil || b.last < oldest.last) {
				oldest = b
			}
		}
		if oldest == nil {
			return
		}
		delete(s.entries, oldest.key)
		s.forgotten = append(s.forgotten, oldest)
		s.counters.Evicted++
	}
}

// isDispensable reports whether nobody else uses the entry and nothing is lost with it.
func (s *store[K, T]) isDispensable(b *built[K, T]) bool {
	return b.isIdle() && (s.isState == nil || !b.isReady() || b.err != nil || !s.isState(b.value))
}

// findBuilt returns an entry that was built and that the caller wants, with a use added,
// or nil. Of several it is the one that was used least recently.
func (s *store[K, T]) findBuilt(wanted func(key K, images []*registry.Image, value T) bool) *built[K, T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	var best *built[K, T]
	for key, b := range s.entries {
		if !b.isReady() || b.err != nil || !wanted(key, b.images, b.value) {
			continue
		}
		if best == nil || b.last < best.last { // does not depend on the order of the map
			best = b
		}
	}
	if best != nil {
		s.touchEntry(best)
		best.addUse()
		s.counters.Hits++
	}
	return best
}

// forgetImages drops the entries that contain one of the images. It calls no driver.
func (s *store[K, T]) forgetImages(gone map[*registry.Image]bool) {
	s.dropEntries(func(b *built[K, T]) bool {
		for _, img := range b.images {
			if gone[img] {
				return true
			}
		}
		return false
	})
}

// dropIdle closes everything that is not in use elsewhere, but for state.
func (s *store[K, T]) dropIdle() error {
	s.dropEntries(func(b *built[K, T]) bool { return b.isReady() && s.isDispensable(b) })
	return s.giveUp()
}

// closeAll drops all entries.
func (s *store[K, T]) closeAll() error {
	s.dropEntries(func(*built[K, T]) bool { return true })
	return s.giveUp()
}

// endEntries drops the entries of some keys. Without closed, their things are left as
// they are, as those of drivers that must not be called any more.
func (s *store[K, T]) endEntries(closed bool, which func(K) bool) error {
	if closed {
		s.dropEntries(func(b *built[K, T]) bool { return which(b.key) })
		return s.giveUp()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.entries, func(key K, _ *built[K, T]) bool { return which(key) })
	s.forgotten = slices.DeleteFunc(s.forgotten, func(b *built[K, T]) bool { return which(b.key) })
	return nil
}

func (s *store[K, T]) dropEntries(which func(*built[K, T]) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, b := range s.entries {
		if which(b) {
			delete(s.entries, key)
			s.forgotten = append(s.forgotten, b)
		}
	}
}

// giveUp ends the store's use of the forgotten entries.
func (s *store[K, T]) giveUp() error {
	s.mu.Lock()
	forgotten := s.forgotten
	s.forgotten = nil
	s.mu.Unlock()
	var errs []error
	for _, b := range forgotten {
		errs = append(errs, b.releaseUse())
	}
	return errors.Join(errs...)
}

// statistics returns the counters.
func (s *store[K, T]) statistics() Counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counters
	c.Kept = len(s.entries)
	return c
}

func (b *built[K, T]) isReady() bool {
	select {
	case <-b.ready:
		return true
	default:
		return false
	}
}

// isIdle reports whether only the store uses it.
func (b *built[K, T]) isIdle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.uses == 1
}

func (b *built[K, T]) addUse() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.uses++
}

// releaseUse ends one use; the last one closes the thing.
func (b *built[K, T]) releaseUse() error {
	b.mu.Lock()
	b.uses--
	last := b.uses == 0
	b.mu.Unlock()
	if !last {
		return nil
	}
	<-b.ready
	if b.err != nil {
		return nil
	}
	return b.value.Close()
}
