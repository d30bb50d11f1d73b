package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/libcuda"
)

// ownKernel returns the argument as a kernel of this device.
func (d *Device) ownKernel(k driver.Kernel) (*kernel, error) {
	own, ok := k.(*kernel)
	if !ok || own.program.device != d {
		return nil, errors.New("the kernel is not of this device")
	}
	return own, nil
}

// prepareLaunch fills in a launch.
func (k *kernel) prepareLaunch(n *libcuda.Launch, r *driver.Range, args []driver.Arg) error {
	if err := k.prepareRange(n, r); err != nil {
		return err
	}
	return k.setArguments(n, r, args)
}

// prepareRange fills in the part of a launch that its range decides.
func (k *kernel) prepareRange(n *libcuda.Launch, r *driver.Range) error {
	if err := k.checkOffset(r); err != nil {
		return err
	}
	return k.program.device.limits.Grid(*r, &k.groups, &n.Grid, &n.Block)
}

// offsetSize is the size of the last argument that DPC++'s second form of a kernel has,
// the global offset: three numbers of 32 bits.
const offsetSize = 12

// setArguments lays the arguments out in one block, as the driver takes them. It reuses
// the buffer of the launch.
func (k *kernel) setArguments(n *libcuda.Launch, r *driver.Range, args []driver.Arg) error {
	if len(args) != len(k.params) {
		return fmt.Errorf("%d arguments; it takes %d", len(args), len(k.params))
	}
	size, withOffset := k.size, k.usesOffset(r)
	if withOffset {
		size = (size+3)/4*4 + offsetSize
	}
	if cap(n.Arguments) < size {
		n.Arguments = make([]byte, size)
	}
	n.Arguments = n.Arguments[:size]
	n.Shared = 0
	for i := range args {
		p := &k.params[i]
		if err := k.setArgument(n, n.Arguments[p.Offset:p.Offset+p.Size], p, &args[i]); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	if withOffset {
		for i, offset := range r.Offset {
			binary.LittleEndian.PutUint32(n.Arguments[size-offsetSize+4*i:], uint32(offset))
		}
	}
	if n.Shared == 0 {
		return nil
	}
	return k.allowShared(n.Shared)
}

// usesOffset reports whether the launch takes DPC++'s second form of the kernel, which has
// a global offset.
func (k *kernel) usesOffset(r *driver.Range) bool { return k.withOffset != 0 && r.Offset != nil }

func (k *kernel) setArgument(n *libcuda.Launch, at []byte, p *param, a *driver.Arg) error {
	switch {
	case p.Kind == driver.ParamOther:
		return fmt.Errorf("an image or a sampler: %w", driver.ErrUnsupported)
	case p.Kind == driver.ParamLocal:
		return k.setLocal(n, at, a.LocalSize)
	case a.Memory != nil:
		address, err := k.program.device.RangeAddress(a.Memory, a.Offset, 0)
		if err != nil {
			return err
		}
		if p.Kind != driver.ParamBuffer {
			return errors.New("the kernel takes a value here, and memory was given")
		}
		binary.LittleEndian.PutUint64(at, address)
	case a.Value == nil && p.Kind == driver.ParamBuffer && a.LocalSize == 0:
		clear(at) // the null pointer
	case len(a.Value) != p.Size:
		return fmt.Errorf("%d bytes; the kernel takes %d", len(a.Value), p.Size)
	default:
		copy(at, a.Value)
	}
	return nil
}

// localAlign is the alignment of arguments in local memory: that of the
// largest type of OpenCL C.
const localAlign = 128

// setLocal gives a part of the block's dynamic shared memory to an argument. Dynamic
// memory lies after the static memory of the code, and that after the part which the
// device reserves.
func (k *kernel) setLocal(n *libcuda.Launch, at []byte, size int64) error {
	if size < 0 || size > math.MaxInt32/2 {
		return fmt.Errorf("%d bytes of local memory", size)
	}
	base, err := k.program.device.sharedBase()
	if err != nil {
		return fmt.Errorf("where shared memory begins: %w", err)
	}
	start := base + uint64(k.static)
	address := (start + uint64(n.Shared) + localAlign - 1) / localAlign * localAlign
	end := address - start + uint64(size)
	if limit := k.program.device.info.LocalMemory - int64(k.static); int64(end) > limit {
		return fmt.Errorf("%d bytes of local memory are too much: %d are left", size, max(limit-int64(n.Shared), 0))
	}
	binary.LittleEndian.PutUint64(at, address)
	n.Shared = uint32(end)
	return nil
}

// allowShared raises the kernel's limit of dynamic shared memory, which launches need that
// use more than the device allows by default: to all that the device has, as the limit is
// the function's, which several kernel objects share, and a lower one would replace it.
func (k *kernel) allowShared(size uint32) error {
	d := k.program.device
	if int(size)+k.static <= d.limits.static || k.raised.Load() {
		return nil
	}
	err := d.withContext(func() error {
		for _, f := range []libcuda.Function{k.function, k.withOffset} {
			if f == 0 {
				continue
			}
			if err := d.library.SetFunctionAttribute(f, libcuda.FunctionMaxDynamic, int(d.info.LocalMemory)-k.static); err != nil {
				return err
			}
		}
		return nil
	})
	k.raised.Store(err == nil)
	return err
}

// probeSource is a kernel that stores where dynamic shared memory begins if the code has
// no static shared memory. No query of the driver returns that.
const probeSource = `
.extern .shared .align 128 .b8 offlink_dynamic[];
.visible .entry offlink_probe(.param .u64 offlink_probe_param_0)
{
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [offlink_probe_param_0];
	mov.u64 %rd2, offlink_dynamic;
	st.global.u64 [%rd1], %rd2;
	ret;
}
`

// probeSharedBase runs the probe. A launch calls it with its queue locked. So it takes
// memory from the driver's functions and not from Device.Alloc, as closing such memory
// locks all queues.
func (d *Device) probeSharedBase() (base uint64, err error) {
	err = d.withContext(func() (err error) {
		result, err := d.library.AllocHost(8)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.library.FreeHost(result)) }()
		code, err := d.library.Link([]libcuda.Input{{Name: "probe", Kind: libcuda.InputPTX, Code: []byte(d.moduleHeader() + probeSource)}})
		if err != nil {
			return err
		}
		module, err := d.library.Load(code)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.library.Unload(module)) }()
		if err := d.runProbe(module, result); err != nil {
			return err
		}
		base = binary.LittleEndian.Uint64(dl.Bytes(uintptr(result), 8))
		return nil
	})
	return base, err
}

func (d *Device) runProbe(m libcuda.Module, result uint64) (err error) {
	f, err := d.library.Function(m, "offlink_probe")
	if err != nil {
		return err
	}
	s, err := d.library.NewStream()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.library.DestroyStream(s)) }()
	n := &libcuda.Launch{
		Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Shared: localAlign,
		Arguments: binary.LittleEndian.AppendUint64(nil, result),
	}
	return errors.Join(d.library.Launch(f, s, n), d.library.Synchronize(s))
}
