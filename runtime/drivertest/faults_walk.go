package drivertest

import (
	"context"
	"errors"
	"testing"

	"offlink/runtime/driver"
)

// walkDevice uses every part of a device once, and closes it.
func walkDevice(t *testing.T, d driver.Driver) (err error) {
	var w deviceWalk
	defer func() { err = errors.Join(err, w.closeParts()) }()
	if err := w.openParts(t, d); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.queue.Finish()) }() // it has the failures that no command told
	if err := runSteps(append(w.queueSteps(), append(w.eventSteps(), w.walkVariable)...)); err != nil {
		return err
	}
	return errors.Join(w.walkSubDevices(), walkBinary(t, w.device, w.program), w.walkMemories(), w.walkNative(), walkPointers(t, w.device))
}

// walkPlainly uses the parts that every device has.
func walkPlainly(t *testing.T, d driver.Driver) (err error) {
	var w deviceWalk
	defer func() { err = errors.Join(err, w.closeParts()) }()
	if err := w.openParts(t, d); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.queue.Finish()) }()
	if err := runSteps(w.queueSteps()); err != nil {
		return err
	}
	return errors.Join(w.walkSubDevices(), walkBinary(t, w.device, w.program))
}

func runSteps(steps []func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// deviceWalk is a device with one of each of its parts.
type deviceWalk struct {
	device  driver.Device
	queue   driver.Queue
	memory  driver.Memory
	program driver.Program
	kernel  driver.Kernel
	open    []closer
}

// keepPart notes a part that closeParts closes, unless it could not be opened.
func (w *deviceWalk) keepPart(c closer, failed error) error {
	if failed == nil {
		w.open = append(w.open, c)
	}
	return failed
}

// closeParts closes the parts in the reverse order: each may use those before it.
func (w *deviceWalk) closeParts() (err error) {
	for i := len(w.open) - 1; i >= 0; i-- {
		err = errors.Join(err, w.open[i].Close())
	}
	return err
}

func (w *deviceWalk) openParts(t *testing.T, d driver.Driver) error {
	devices, err := d.Devices()
	if err != nil {
		return err
	}
	w.device = devices[0]
	kernels, err := kernelsFor(w.device)
	if err != nil {
		return err
	}
	w.queue, err = w.device.NewQueue(driver.QueueOptions{})
	if err := w.keepPart(w.queue, err); err != nil {
		return err
	}
	w.memory, err = w.device.Alloc(driver.DeviceMemory, 64)
	if err := w.keepPart(w.memory, err); err != nil {
		return err
	}
	var options driver.BuildOptions
	if kernels.isSPIRV() {
		options.SpecConstants = map[uint32][]byte{3: {7, 0, 0, 0}}
	}
	w.program, err = driver.Build(t.Context(), w.device, []driver.Module{kernels.appModule(), kernels.libModule()}, options)
	if err := w.keepPart(w.program, err); err != nil {
		return err
	}
	w.kernel, err = w.program.Kernel("app")
	return w.keepPart(w.kernel, err)
}

// queueSteps are the commands of a queue, each once.
func (w *deviceWalk) queueSteps() []func() error {
	q, m, data := w.queue, w.memory, make([]byte, 16)
	return []func() error{
		func() error { return q.Write(m, 0, data, driver.Sync{}) },
		func() error { return q.Fill(m, 32, 16, []byte{1}, driver.Sync{}) },
		func() error { return q.Copy(m, 0, m, 32, 16, driver.Sync{}) },
		func() error { return q.Barrier(driver.Sync{}) },
		func() error {
			return q.Launch(w.kernel, driver.Range{Global: []int{4}}, []driver.Arg{{Memory: m}}, driver.Sync{})
		},
		func() error { return q.Read(m, 0, data, driver.Sync{}) },
		q.Flush, q.Finish,
		func() error { _, err := w.program.Variable("variable"); return supported(err) },
	}
}

// walkVariable writes and reads a variable.
func (w *deviceWalk) walkVariable() error {
	v, err := w.program.Variable("variable")
	if err != nil {
		return supported(err)
	}
	data := make([]byte, v.Size())
	return errors.Join(w.queue.Write(v, 0, data, driver.Sync{Block: true}), w.queue.Read(v, 0, data, driver.Sync{Block: true}), v.Close())
}

// eventSteps are commands with events, in a queue of each kind: those of commands, and of the
// host, which fails one and leaves one.
func (w *deviceWalk) eventSteps() (steps []func() error) {
	for _, outOfOrder := range []bool{false, true} {
		steps = append(steps, func() error {
			q, err := w.device.NewQueue(driver.QueueOptions{OutOfOrder: outOfOrder, Profiling: true})
			if err != nil {
				return err
			}
			return errors.Join(w.walkEvents(q), q.Finish(), q.Close())
		})
	}
	return steps
}

func (w *deviceWalk) walkEvents(q driver.Queue) error {
	var first, second driver.Event
	if err := q.Fill(w.memory, 0, 16, []byte{1}, driver.Sync{Done: &first}); err != nil {
		return err
	}
	err := q.Barrier(driver.Sync{After: []driver.Event{first}, Done: &second})
	if err != nil {
		return errors.Join(err, first.Close())
	}
	err = second.Wait(context.Background()) // with a limit it is asked again
	if err == nil {
		_, err = first.Times()
	}
	return errors.Join(err, w.walkGate(q), first.Close(), second.Close())
}

// walkGate has a command wait for an event of the host that has ended. One that ends later is
// left out: a call that fails to end it leaves the command waiting.
func (w *deviceWalk) walkGate(q driver.Queue) error {
	maker, ok := w.device.(driver.EventMaker)
	if !ok {
		return nil
	}
	gate, err := maker.NewEvent()
	if errors.Is(err, driver.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	gate.OnDone(func(err error) { done <- err })
	gate.Complete(nil)
	return errors.Join(<-done, q.Fill(w.memory, 0, 16, []byte{1}, driver.Sync{After: []driver.Event{gate}, Block: true}), gate.Close())
}

// walkMemories uses memory of all kinds, and a part of one as an argument.
func (w *deviceWalk) walkMemories() (err error) {
	for _, kind := range []driver.MemoryKind{driver.HostMemory, driver.SharedMemory} {
		m, failed := w.device.Alloc(kind, 64)
		if errors.Is(failed, driver.ErrUnsupported) {
			continue
		}
		if failed != nil {
			return errors.Join(err, failed)
		}
		err = errors.Join(err, m.Close())
	}
	m, failed := w.device.Alloc(driver.DeviceMemory, 2*partOffset)
	if failed != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(err,
		w.queue.Launch(w.kernel, driver.Range{Global: []int{4}}, []driver.Arg{{Memory: m, Offset: partOffset}}, driver.Sync{}), w.queue.Finish(), m.Close())
}

// partOffset is an offset at which parts of buffers may begin on every device of the tests.
const partOffset = 128

// walkNative takes the queue's and the memory's own handles in.
func (w *deviceWalk) walkNative() (err error) {
	if importer, ok := w.device.(driver.QueueImporter); ok {
		if native, ok := w.queue.(driver.NativeHandle); ok {
			q, failed := importer.ImportQueue(native.Handle())
			if failed == nil {
				failed = errors.Join(q.Fill(w.memory, 0, 16, []byte{1}, driver.Sync{}), q.Finish(), q.Close())
			}
			err = errors.Join(err, supported(failed))
		}
	}
	if importer, ok := w.device.(driver.MemoryImporter); ok {
		if native, ok := w.memory.(driver.NativeHandle); ok {
			m, failed := importer.ImportMemory(native.Handle(), w.memory.Size())
			if failed == nil {
				failed = m.Close()
			}
			err = errors.Join(err, supported(failed))
		}
	}
	return err
}

// supported is the error but for one that says that a device lacks the feature.
func supported(err error) error {
	if errors.Is(err, driver.ErrUnsupported) {
		return nil
	}
	return err
}

// walkPointers builds modules with pointers to functions, and asks for one.
func walkPointers(t *testing.T, device driver.Device) error {
	kernels, err := kernelsFor(device)
	if err != nil || !kernels.isSPIRV() {
		return err
	}
	modules := []driver.Module{kernels.moduleOf("pointers", pointersSPIRV), kernels.moduleOf("chosen", chosenSPIRV)}
	p, err := driver.Build(t.Context(), device, modules, driver.BuildOptions{})
	if err != nil {
		return supported(err)
	}
	if functions, ok := p.(driver.FunctionPointers); ok {
		_, err = functions.FunctionPointer("twice")
	}
	return errors.Join(supported(err), p.Close())
}

// walkSubDevices uses the first part of the device.
func (w *deviceWalk) walkSubDevices() error {
	whole, ok := w.device.(driver.Partitioner)
	if !ok {
		return nil
	}
	parts, err := whole.SubDevices()
	if err != nil || len(parts) == 0 {
		return err
	}
	q, err := parts[0].NewQueue(driver.QueueOptions{})
	if err != nil {
		return err
	}
	m, err := parts[0].Alloc(driver.DeviceMemory, 64)
	if err != nil {
		return errors.Join(err, q.Close())
	}
	return errors.Join(q.Fill(m, 0, 64, []byte{1}, driver.Sync{}), q.Finish(), q.Close(), m.Close())
}

func walkBinary(t *testing.T, device driver.Device, p driver.Program) error {
	source, ok := p.(driver.BinaryProgram)
	loader, loads := device.(driver.BinaryLoader)
	if !ok || !loads {
		return nil
	}
	binary, err := source.Binary()
	if err != nil {
		return err
	}
	loaded, err := loader.LoadBinary(t.Context(), binary)
	if err != nil {
		return err
	}
	return loaded.Close()
}
