package backends

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"offlink/runtime/driver"
)

//go:generate testdata/build.sh

var (
	//go:embed testdata/selftest.spv
	selfTestSPIRV []byte
	//go:embed testdata/selftest.ptx
	selfTestPTX []byte
)

// SelfTestTimes are how long the parts of a self-test took.
type SelfTestTimes struct {
	Build  time.Duration // of one small kernel, with the start of the device
	Launch time.Duration // of it, with the transfer of its result
}

// selfTestModules are the kernel in the forms that devices take.
func selfTestModules() []driver.Module {
	return []driver.Module{
		{Name: "self-test", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: selfTestSPIRV},
		{Name: "self-test", Image: driver.Image{Format: "none", Target: "nvptx64"}, Code: selfTestPTX},
	}
}

// SelfTest builds one kernel on a device, launches it and compares its result.
func SelfTest(ctx context.Context, d driver.Device) (times SelfTestTimes, err error) {
	var refused []error
	for _, m := range selfTestModules() {
		if err := d.Accepts(m.Image); err != nil {
			refused = append(refused, err)
			continue
		}
		start := time.Now()
		p, err := driver.Build(ctx, d, []driver.Module{m}, driver.BuildOptions{})
		if err != nil {
			return times, err
		}
		times.Build = time.Since(start)
		start = time.Now()
		err = launchSelfTest(d, p)
		times.Launch = time.Since(start)
		return times, errors.Join(err, p.Close())
	}
	return times, &RefusedError{refused[0]}
}

// RefusedError has the reason why a device takes none of the self-test's kernels.
type RefusedError struct{ Reason error }

func (e *RefusedError) Error() string { return e.Reason.Error() }

const selfTestItems = 64

func launchSelfTest(d driver.Device, p driver.Program) (err error) {
	k, err := p.Kernel("selftest")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	m, err := d.Alloc(driver.DeviceMemory, 4*selfTestItems)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	q, err := d.NewQueue(driver.QueueOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	data := make([]byte, 4*selfTestItems)
	if err := errors.Join(
		q.Launch(k, driver.Range{Global: []int{selfTestItems}}, []driver.Arg{{Memory: m}}, driver.Sync{}),
		q.Read(m, 0, data, driver.Sync{Block: true}), q.Finish(),
	); err != nil {
		return err
	}
	for i := range selfTestItems {
		if got := binary.LittleEndian.Uint32(data[4*i:]); got != uint32(i*i+1) {
			return fmt.Errorf("the kernel wrote %d at %d; want %d", got, i, i*i+1)
		}
	}
	return nil
}
