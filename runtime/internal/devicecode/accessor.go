package devicecode

import (
	"encoding/binary"
	"errors"

	"offlink/runtime/driver"
	"offlink/spirv"
)

// Prefixes of the kernels that Accessors names.
const (
	readerPrefix = "offlink.read."
	writerPrefix = "offlink.write."
)

// Accessors lists the exported variables that kernels may change, with the names of kernels
// that read and write them (spirv.Module.WithAccessors). They are for drivers without a call
// for that.
func Accessors(m *spirv.Module) (list []spirv.Accessor) {
	for _, in := range m.Globals() {
		if in.Op != spirv.OpVariable || spirv.StorageClass(in.Words[2]) != spirv.StorageCrossWorkgroup {
			continue
		}
		name, linked := m.LinkageName(in.Result())
		if _, builtin := m.IsBuiltIn(in.Result()); linked && !builtin {
			list = append(list, spirv.Accessor{Variable: in.Result(), Read: readerPrefix + name, Write: writerPrefix + name})
		}
	}
	return list
}

// accessorParams are those of spirv.Accessor's kernels.
var accessorParams = []driver.Param{{Kind: driver.ParamBuffer}, {Kind: driver.ParamValue, Size: 8}, {Kind: driver.ParamValue, Size: 8}}

// VariableKernels are the kernels of Accessors that transfer one variable.
type VariableKernels struct{ read, write driver.Kernel }

// NewVariableKernels makes the kernels of a variable with the program's function newKernel.
// The caller closes them.
func NewVariableKernels(linkage string, newKernel func(name string, params []driver.Param) (driver.Kernel, error)) (*VariableKernels, error) {
	read, err := newKernel(readerPrefix+linkage, accessorParams)
	if err != nil {
		return nil, err
	}
	write, err := newKernel(writerPrefix+linkage, accessorParams)
	if err != nil {
		return nil, errors.Join(err, read.Close())
	}
	return &VariableKernels{read, write}, nil
}

// Close releases the kernels. A nil pointer has none.
func (k *VariableKernels) Close() error {
	if k == nil {
		return nil
	}
	return errors.Join(k.read.Close(), k.write.Close())
}

// Write writes data at an offset in bytes. It copies data to memory of the device, from
// which a kernel copies it to the variable, and waits for the end of both.
func (k *VariableKernels) Write(d driver.Device, q driver.Queue, offset int64, data []byte, s driver.Sync) error {
	return transferStaged(d, int64(len(data)), func(staging driver.Memory) error {
		var first driver.Event
		if err := q.Write(staging, 0, data, driver.Sync{After: s.After, Done: &first}); err != nil {
			return err
		}
		err := q.Launch(k.write, oneItem, accessorArgs(staging, offset), driver.Sync{After: []driver.Event{first}, Done: s.Done, Block: true})
		return errors.Join(err, first.Close())
	})
}

// Read reads the bytes at an offset into data, by way of memory of the device as Write.
func (k *VariableKernels) Read(d driver.Device, q driver.Queue, offset int64, data []byte, s driver.Sync) error {
	return transferStaged(d, int64(len(data)), func(staging driver.Memory) error {
		var first driver.Event
		if err := q.Launch(k.read, oneItem, accessorArgs(staging, offset), driver.Sync{After: s.After, Done: &first}); err != nil {
			return err
		}
		err := q.Read(staging, 0, data, driver.Sync{After: []driver.Event{first}, Done: s.Done, Block: true})
		return errors.Join(err, first.Close())
	})
}

var oneItem = driver.Range{Global: []int{1}}

func accessorArgs(staging driver.Memory, offset int64) []driver.Arg {
	return []driver.Arg{
		{Memory: staging},
		{Value: binary.LittleEndian.AppendUint64(nil, uint64(offset))},
		{Value: binary.LittleEndian.AppendUint64(nil, uint64(staging.Size()))},
	}
}

// transferStaged runs a transfer by way of memory of the device, which it frees afterwards:
// the transfer must have ended when it returns.
func transferStaged(d driver.Device, size int64, transfer func(driver.Memory) error) (err error) {
	staging, err := d.Alloc(driver.DeviceMemory, size)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, staging.Close()) }()
	return transfer(staging)
}
