package opencl

import (
	"errors"
	"fmt"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/clinfo"
	"offlink/runtime/internal/kernelargs"
)

// kernel is a kernel. OpenCL keeps its arguments in the cl_kernel, so that
// setting them and launching is done under a lock.
type kernel struct {
	program *program
	device  *Device
	handle  cl.Handle
	name    string
	params  []driver.Param

	mu        sync.Mutex
	event     cl.Handle // of the launch that is made
	arguments kernelargs.Arguments
	parts     kernelargs.SubBuffers
	guard     *driver.ArgumentGuard // shared with other users of the cl_kernel; nil if there are none
}

func (k *kernel) Name() string           { return k.name }
func (k *kernel) Params() []driver.Param { return append([]driver.Param(nil), k.params...) }

// Handle is the cl_kernel.
func (k *kernel) Handle() uint64 { return uint64(k.handle) }

// Close releases the kernel.
func (k *kernel) Close() error {
	err := k.device.api.Release(cl.ReleaseKernel, k.handle)
	return errors.Join(err, k.parts.Close((*argumentSetter)(k).releasePart))
}

// prepareKernel lets the kernel follow addresses that it finds in memory, and asks the
// driver for the parameters unless listed says that the module's own tables had them. The
// tables are preferred: drivers describe parameters only if the program was built with
// -cl-kernel-arg-info, and not for binaries.
func (k *kernel) prepareKernel(listed bool) error {
	if !listed {
		params, err := k.askParams()
		if err != nil {
			return err
		}
		k.params = params
	}
	k.arguments = kernelargs.New(k.params)
	if k.device.able.memory != unifiedMemory {
		return nil
	}
	// A cl_bool of CL_TRUE. Without these an address inside of a buffer would not be
	// resident on a device with memory of its own.
	yes := []byte{1, 0, 0, 0}
	for _, param := range []uint32{cl.ExecIndirectHost, cl.ExecIndirectDevice, cl.ExecIndirectShared} {
		if err := k.device.api.SetExecInfo(k.handle, param, yes); err != nil {
			return err
		}
	}
	return nil
}

// askParams asks the driver for the parameters. An argument of unknown size is passed as it
// is, and one that the driver does not describe too: drivers know no more than the number of
// parameters of a binary that was built without -cl-kernel-arg-info.
func (k *kernel) askParams() ([]driver.Param, error) {
	n, err := k.device.api.Number(cl.GetKernelInfo, cl.KernelNumArgs, k.handle)
	if err != nil {
		return nil, err
	}
	params := make([]driver.Param, n)
	for i := range params {
		qualifier, err := k.device.api.KernelArgNumber(k.handle, i, cl.KernelArgAddressQualifier)
		if cl.IsCode(err, cl.KernelArgInfoNotAvailable) {
			params[i].Kind = driver.ParamUnknown
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("kernel %s: the driver does not describe its parameters: %w", k.name, err)
		}
		switch qualifier {
		case cl.AddressGlobal, cl.AddressConstant:
			params[i].Kind = driver.ParamBuffer
		case cl.AddressLocal:
			params[i].Kind = driver.ParamLocal
		}
		params[i].Type, _ = k.device.api.KernelArgText(k.handle, i, cl.KernelArgTypeName)
		params[i].Name, _ = k.device.api.KernelArgText(k.handle, i, cl.KernelArgName)
	}
	return params, nil
}

// Info asks the driver about the kernel on its device.
func (k *kernel) Info() driver.KernelInfo {
	info := clinfo.Kernel(&clinfo.Reader{Query: func(param uint32) ([]byte, error) {
		return k.device.api.Raw(cl.GetKernelWorkGroupInfo, param, k.handle, k.device.handle)
	}})
	// Intel's CPU device crashes on an uneven launch of a kernel that may have none.
	info.Uneven = k.device.able.uneven && k.program.tables.Uneven
	k.subGroups(&info)
	return info
}

func (k *kernel) subGroups(info *driver.KernelInfo) {
	f := cl.GetKernelSubGroupInfo
	// The query is of OpenCL 2.1; before, the extension's function has the same parameters.
	if k.device.able.version < 21 || !k.device.api.Has(f) {
		if f = cl.GetKernelSubGroupInfoKHR; !k.device.info.HasExtension("cl_khr_subgroups") || !k.device.api.Has(f) {
			return
		}
	}
	if size, err := k.device.api.SubGroupSize(f, k.handle, k.device.handle, []uintptr{uintptr(max(info.MaxGroup, 1))}); err == nil {
		info.SubGroup = int(size)
	}
	if k.device.info.HasExtension("cl_intel_required_subgroup_size") {
		if size, err := k.device.api.KernelSubGroupNumber(f, k.handle, k.device.handle, cl.KernelCompileSubGroupSize); err == nil {
			info.RequiredSubGroup = int(size)
		}
	}
}
