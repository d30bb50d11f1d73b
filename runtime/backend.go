package runtime

import (
	"errors"
	"fmt"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/trace"
)

// Backend is a back end that can be opened. Opening one loads libraries, starts
// threads and takes up to a quarter of a second.
type Backend struct {
	// Name is that of its drivers; "" where only they know it, as plugins do.
	Name string
	// Open is called at most once. The runtime closes the drivers.
	Open func() []driver.Driver
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

// listDevices opens the back end on its first call.
func (b *lazyBackend) listDevices() ([]*Device, error) {
	b.once.Do(b.openDrivers)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.devices, b.err
}

func (b *lazyBackend) openDrivers() {
	drivers := b.Open()
	var devices []*Device
	var errs []error
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
