package main

import (
	"fmt"
	"sync/atomic"

	"offlink/runtime"
	"offlink/runtime/devicefile"
	"offlink/runtime/driver"
	"offlink/runtime/registry"
)

// nativeHandle is the native handle of anything that C holds.
func (s *session) nativeHandle(handle uint64) (uint64, error) {
	var held any
	switch v := s.handles.getHandle(handle).(type) {
	case nil:
		return 0, invalidArgument("not an open object")
	case endedObject:
		return 0, &endedError{v.device}
	case *runtime.Device:
		held = v.Device
	case *buffer:
		held = v.Memory
	case *queue:
		held = v.Queue
	case *event:
		held = v.Event
	case *kernel:
		held = v.Driver()
	}
	native, ok := held.(driver.NativeHandle)
	if !ok {
		return 0, fmt.Errorf("the object has no native handle: %w", driver.ErrUnsupported)
	}
	return native.Handle(), nil
}

func (s *session) importBuffer(device, native uint64, size int64) (handle uint64, bytes []byte, err error) {
	d, err := lookupHandle[*runtime.Device](&s.handles, device, "device")
	if err != nil {
		return 0, nil, err
	}
	importer, ok := d.Device.(driver.MemoryImporter)
	if !ok {
		return 0, nil, fmt.Errorf("%v takes no native memory: %w", d, driver.ErrUnsupported)
	}
	m, err := importer.ImportMemory(native, size)
	if err != nil {
		return 0, nil, invalidArgument("%v", err)
	}
	if visible, ok := m.(driver.HostVisible); ok {
		bytes = visible.Bytes()
	}
	return s.handles.addHandle(&buffer{m, d}), bytes, nil
}

func (s *session) importQueue(device, native uint64) (uint64, error) {
	d, err := lookupHandle[*runtime.Device](&s.handles, device, "device")
	if err != nil {
		return 0, err
	}
	importer, ok := d.Device.(driver.QueueImporter)
	if !ok {
		return 0, fmt.Errorf("%v takes no native queues: %w", d, driver.ErrUnsupported)
	}
	q, err := importer.ImportQueue(native)
	if err != nil {
		return 0, invalidArgument("%v", err)
	}
	return s.handles.addHandle(&queue{Queue: q, device: d}), nil
}

// codeFile is device code that was opened by its path.
type codeFile struct {
	session      *session
	file         *devicefile.File
	registration *registry.Registration
	module       uintptr
}

// fileModules counts the files that were opened. A number that is not an address
// of a program stands for the load address of each.
var fileModules atomic.Uintptr

const firstFileModule = 1 << 63

// openCode registers the images of a file.
func (s *session) openCode(path string) (handle uint64, module uintptr, err error) {
	f, err := devicefile.Open(path)
	if err != nil {
		return 0, 0, &codeError{err}
	}
	module = firstFileModule + fileModules.Add(1)
	owner := registry.Owner{ID: uint64(module), Name: path}
	s.mu.Lock()
	s.owners[module] = owner
	s.mu.Unlock()
	return s.handles.addHandle(&codeFile{s, f, s.runtime.Register(owner, f.Images), module}), module, nil
}

// codeError is a file whose device code cannot be used.
type codeError struct{ error }

// Unwrap returns the cause.
func (e *codeError) Unwrap() error { return e.error }

// Close takes the images out. Drivers copy code when they compile it, so that the file can
// be closed.
func (c *codeFile) Close() error {
	c.session.runtime.Unregister(c.registration)
	c.session.mu.Lock()
	delete(c.session.owners, c.module)
	c.session.mu.Unlock()
	return c.file.Close()
}
