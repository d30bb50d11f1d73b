package piplugin

import (
	"errors"
	"fmt"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/clinfo"
	"offlink/runtime/internal/kernelargs"
	"offlink/runtime/internal/pi"
)

// kernel is a kernel. A plugin keeps its arguments in the pi_kernel, so that
// setting them and launching is done under a lock.
type kernel struct {
	program *program
	device  *Device
	handle  pi.Handle
	name    string
	params  []driver.Param

	mu        sync.Mutex
	arguments kernelargs.Arguments
	parts     kernelargs.SubBuffers
}

func (k *kernel) Name() string           { return k.name }
func (k *kernel) Params() []driver.Param { return append([]driver.Param(nil), k.params...) }

// Handle is the native handle of the kernel.
func (k *kernel) Handle() uint64 {
	return k.device.nativeHandle(pi.ExtKernelGetNativeHandle, k.handle)
}

// Close releases the kernel.
func (k *kernel) Close() error {
	return k.device.streams.FreeLater(func() error {
		err := k.device.plugin.Release(pi.KernelRelease, k.handle)
		return errors.Join(err, k.parts.Close((*argumentSetter)(k).releasePart))
	})
}

// countParams asks for the number of parameters of native code. Plugins have no query for
// their kinds, so that arguments are passed unchecked.
func (k *kernel) countParams() error {
	n, err := k.device.plugin.Number(pi.KernelGetInfo, cl.KernelNumArgs, k.handle)
	if err != nil {
		return fmt.Errorf("kernel %s: the plugin does not give the number of its parameters: %w", k.name, err)
	}
	const most = 1 << 16
	k.params = make([]driver.Param, min(n, most))
	for i := range k.params {
		k.params[i].Kind = driver.ParamUnknown
	}
	k.arguments = kernelargs.New(k.params)
	return nil
}

// Info asks about the kernel on its device.
func (k *kernel) Info() driver.KernelInfo {
	info := clinfo.Kernel(&clinfo.Reader{Query: func(param uint32) ([]byte, error) {
		return k.device.plugin.Raw(pi.KernelGetGroupInfo, param, k.handle, k.device.handle)
	}})
	if size, err := k.device.plugin.SubGroupNumber(k.handle, k.device.handle, cl.KernelMaxSubGroupSizeForRange); err == nil {
		info.SubGroup = int(size)
	}
	if size, err := k.device.plugin.SubGroupNumber(k.handle, k.device.handle, cl.KernelCompileSubGroupSize); err == nil {
		info.RequiredSubGroup = int(size)
	}
	return info
}

// launch sets the arguments and launches the kernel in a queue.
func (k *kernel) launch(o pi.Order, r driver.Range, args []driver.Arg) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.arguments.SetAll((*argumentSetter)(k), args); err != nil {
		return err
	}
	return k.device.plugin.Launch(o, k.handle, r.Global, r.Local, r.Offset)
}
