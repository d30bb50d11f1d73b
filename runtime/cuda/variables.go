package cuda

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/internal/libcuda"
)

// launchVariables are the variables of a program from which its kernels read the offset and
// the number of dimensions of their launch, which CUDA launches lack. All launches of a
// program share them: a launch with other values waits for those before it, in any stream,
// and those after it wait for the change.
type launchVariables struct {
	offset, dimensions uint64 // addresses; 0: the program does not read it

	mu      sync.Mutex
	current launchValues
	// unknown says that a change failed halfway: the variables may not have the current
	// values.
	unknown bool
	// users are the streams with launches since the last change, last the one
	// that launched last.
	users map[libcuda.Stream]bool
	last  libcuda.Stream
	// changed is recorded after the last change. before is recorded in each stream that
	// the next change has to wait for. They are 0 before they are made.
	changed, before libcuda.Event
}

// launchValues are the contents of the variables: the offset, then the number
// of dimensions.
type launchValues [4]uint64

// findVariables finds the variables of a program.
func (v *launchVariables) findVariables(p *program) error {
	for name, address := range map[string]*uint64{offsetVariable: &v.offset, dimensionVariable: &v.dimensions} {
		found, _, err := p.device.library.Global(p.module, name)
		if err != nil && !libcuda.IsNotFound(err) {
			return err
		}
		if err == nil {
			*address = found
		}
	}
	v.users = map[libcuda.Stream]bool{}
	return nil
}

// isRead reports whether the program reads any of the variables.
func (v *launchVariables) isRead() bool { return v.offset != 0 || v.dimensions != 0 }

// wantedValues returns the values for a launch, as far as the program reads them.
func (v *launchVariables) wantedValues(r *driver.Range) (w launchValues) {
	if v.offset != 0 {
		for i, offset := range r.Offset {
			w[i] = uint64(offset)
		}
	}
	if v.dimensions != 0 {
		w[3] = uint64(len(r.Global))
	}
	return w
}

// launchWithValues launches in the stream, after commands that give the variables the
// values if they have others.
func (v *launchVariables) launchWithValues(d *Device, f libcuda.Function, s libcuda.Stream, w launchValues, n *libcuda.Launch) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.last != s || v.unknown || v.current != w { // otherwise the stream is ordered after the change
		if err := v.orderStream(d, s, w); err != nil {
			return err
		}
	}
	return d.library.Launch(f, s, n)
}

// orderStream makes the later work of the stream read the values: it changes the variables,
// or has the stream wait for the last change.
func (v *launchVariables) orderStream(d *Device, s libcuda.Stream, w launchValues) error {
	if v.unknown || v.current != w {
		if err := v.changeValues(d, s, w); err != nil {
			return err
		}
	} else if !v.users[s] && v.changed != 0 {
		if err := d.library.StreamWait(s, v.changed); err != nil {
			return err
		}
	}
	v.users[s], v.last = true, s
	return nil
}

// changeValues writes the variables in the stream, after the launches of all others.
func (v *launchVariables) changeValues(d *Device, s libcuda.Stream, w launchValues) error {
	if err := v.makeEvents(d); err != nil {
		return err
	}
	for user := range v.users {
		if user == s {
			continue
		}
		if err := errors.Join(d.library.Record(v.before, user), d.library.StreamWait(s, v.before)); err != nil {
			return err
		}
	}
	v.users[s] = true // the next change waits for the writes of this one, even if it fails
	err := v.writeValues(d, s, w)
	v.unknown = true
	if err == nil {
		err = d.library.Record(v.changed, s)
	}
	if err != nil {
		return err
	}
	v.current, v.unknown = w, false
	clear(v.users)
	return nil
}

func (v *launchVariables) makeEvents(d *Device) (err error) {
	for _, e := range []*libcuda.Event{&v.changed, &v.before} {
		if *e == 0 && err == nil {
			err = d.withContext(func() (err error) { *e, err = d.library.NewEvent(false); return err })
		}
	}
	return err
}

// writeValues sets the words that change, or all if their contents are unknown. It sets values instead of copying them, as the
// host memory of a copy would have to be kept until its end.
func (v *launchVariables) writeValues(d *Device, s libcuda.Stream, w launchValues) error {
	for i := range 2 * 3 {
		if now := halfWord(w, i); v.offset != 0 && (v.unknown || now != halfWord(v.current, i)) {
			if err := d.library.Set(v.offset+uint64(4*i), now, 4, 1, s); err != nil {
				return err
			}
		}
	}
	if v.dimensions != 0 && (v.unknown || w[3] != v.current[3]) {
		return d.library.Set(v.dimensions, uint32(w[3]), 4, 1, s)
	}
	return nil
}

// halfWord is the word of 32 bits at an index.
func halfWord(w launchValues, i int) uint32 { return uint32(w[i/2] >> (32 * (i % 2))) }

// forgetStream notes that a stream has no more work.
func (v *launchVariables) forgetStream(s libcuda.Stream) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.users, s)
	if v.last == s {
		v.last = 0
	}
}

func (v *launchVariables) closeEvents(d *Device) error {
	var errs []error
	for _, e := range []libcuda.Event{v.changed, v.before} {
		if e != 0 {
			errs = append(errs, d.library.DestroyEvent(e))
		}
	}
	return errors.Join(errs...)
}

// checkOffset refuses an offset that the kernel would not add.
func (k *kernel) checkOffset(r *driver.Range) error {
	zero, fits := true, true
	for _, offset := range r.Offset {
		zero = zero && offset == 0
		fits = fits && uint64(offset) <= math.MaxUint32
	}
	switch {
	case zero:
		return nil
	case k.withOffset != 0 && !fits:
		return fmt.Errorf("the offset %v: the kernel takes offsets of 32 bits: %w", r.Offset, driver.ErrUnsupported)
	case k.withOffset != 0 || k.program.launch.offset != 0 && k.program.image.Offsets:
		return nil
	}
	return fmt.Errorf("its code does not know the offset of a launch: compile it with offlink/device.h, or without libclc's work-item functions: %w", driver.ErrUnsupported)
}
