package runtime

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/trace"
)

// ErrDriverEnded is the error of every use of a driver after EndDrivers.
var ErrDriverEnded = errors.New("the exit of the process has ended this driver")

// Backend is a back end that can be opened. Opening one loads libraries, starts
// threads and takes up to a quarter of a second.
type Backend struct {
	// Name is that of its drivers; "" where only they know it, as plugins do.
	Name string
	// Provides, if set, reports whether it may have a driver of that name, in small letters.
	// It opens nothing.
	Provides func(name string) bool
	// Open is called at most once. The runtime closes the drivers. The error says why there
	// are not more; those that are there are used all the same.
	Open func() ([]driver.Driver, error)
	// Embedded is set for a back end without a library of its own: it works as
	// long as the process is there (EndDrivers).
	Embedded bool
}

// lazyBackend is a back end with its devices once it is open. It is safe for
// concurrent use.
type lazyBackend struct {
	Backend
	trace *trace.Recorder

	once    sync.Once
	mu      sync.Mutex // of the fields below, which closeDrivers reads without opening
	drivers []driver.Driver
	devices []*Device
	err     error
}

// mayBe reports whether the back end may have a driver of that name, in small letters.
func (b *lazyBackend) mayBe(name string) bool {
	return b.Name != "" && strings.ToLower(b.Name) == name || b.Provides != nil && b.Provides(name)
}

// fits reports whether the back end may have a driver whose name fits a pattern, in small
// letters.
func (b *lazyBackend) fits(pattern string) bool {
	return b.Name == "" || fitsPattern(pattern, strings.ToLower(b.Name))
}

// listDevices opens the back end on its first call.
func (b *lazyBackend) listDevices() ([]*Device, error) {
	b.once.Do(b.openDrivers)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.devices, b.err
}

func (b *lazyBackend) openDrivers() {
	drivers, err := b.Open()
	var devices []*Device
	errs := []error{err}
	for _, d := range drivers {
		list, err := d.Devices()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", d.Name(), err))
		}
		for i, device := range list {
			devices = append(devices, &Device{device, d.Name(), i, modeOf(device), b.trace})
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drivers, b.devices, b.err = drivers, devices, errors.Join(errs...)
}

// isOpen reports whether drivers were opened.
func (b *lazyBackend) isOpen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.drivers) > 0
}

// endDrivers takes the devices away; holders must not use them. It returns
// them, and the drivers, which are not closed.
func (b *lazyBackend) endDrivers() ([]*Device, []driver.Driver) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.drivers) == 0 {
		return nil, nil // it may be opened later
	}
	devices, drivers := b.devices, b.drivers
	b.drivers, b.devices, b.err = nil, nil, fmt.Errorf("%s: %w", drivers[0].Name(), ErrDriverEnded)
	return devices, drivers
}

// closeDrivers closes the drivers if they were opened. It keeps the back end from
// being opened later.
func (b *lazyBackend) closeDrivers() error {
	b.once.Do(func() {})
	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	for _, d := range b.drivers {
		errs = append(errs, d.Close())
	}
	b.drivers = nil
	return errors.Join(errs...)
}

// HasDrivers reports whether a back end is open that EndDrivers would end.
func (r *Runtime) HasDrivers() bool {
	return slices.ContainsFunc(r.backends, func(b *lazyBackend) bool { return !b.Embedded && b.isOpen() })
}

// EndDrivers is the first part of the end of a process: a driver's library has exit
// handlers, after which it must not be called. It takes the devices of all back ends that
// are not embedded away, and forgets the programs and the memory of device globals that are
// on them. idle says that no call is under way: then these and the drivers are closed,
// otherwise they are left as they are, as a caller may use them. It returns the devices,
// which must not be used from then on.
func (r *Runtime) EndDrivers(idle bool) (map[*Device]bool, error) {
	ended := make(map[*Device]bool)
	var drivers []driver.Driver
	for _, b := range r.backends {
		if b.Embedded {
			continue
		}
		devices, opened := b.endDrivers()
		drivers = append(drivers, opened...)
		for _, d := range devices {
			ended[d] = true
		}
	}
	if len(ended) == 0 && len(drivers) == 0 {
		return nil, nil
	}
	errs := []error{
		r.programs.endEntries(idle, func(key programKey) bool { return ended[key.device] }),
		r.objects.endEntries(idle, func(key objectKey) bool { return ended[key.device] }),
		r.globals.endDevices(idle, ended),
	}
	if idle {
		for _, d := range drivers {
			errs = append(errs, d.Close())
		}
	}
	return ended, errors.Join(errs...)
}
