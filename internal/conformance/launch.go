package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	_ "offlink/runtime/hostdev/wazeroengine" // compiles its kernels
)

// The range and the sizes of memory of every launch: two work-groups, and 1 KiB
// of each buffer for each work-item.
const (
	globalItems = 32
	groupItems  = 16
	bufferSize  = globalItems << 10
	localSize   = 4 << 10
)

// maxSteps stops kernels of the fuzzing that do not end.
const maxSteps = 20_000_000

// launchHere runs all kernels of a module on the embedded device. The digest of
// a kernel that fails is its error.
func launchHere(code []byte, kernels []signature) (map[string]string, error) {
	var output bytes.Buffer
	d, err := hostdev.New(hostdev.Options{Output: &output, Steps: maxSteps}).Devices()
	if err != nil {
		return nil, err
	}
	results, err := launchAll(d[0], code, kernels)
	if output.Len() > 0 {
		results["printed"] = digestOf(output.Bytes())
	}
	return results, err
}

// launchAll runs the kernels of a module one after the other.
func launchAll(device driver.Device, code []byte, kernels []signature) (map[string]string, error) {
	results := make(map[string]string)
	p, err := driver.Build(context.Background(), device, []driver.Module{{
		Name: "module", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code,
	}}, driver.BuildOptions{})
	if err != nil {
		return results, err
	}
	defer p.Close()
	q, err := device.NewQueue(driver.QueueOptions{})
	if err != nil {
		return results, err
	}
	defer q.Close()
	for _, s := range kernels {
		digest, err := launchKernel(device, q, p, s)
		if err != nil {
			digest = "error: " + err.Error()
		}
		results[s.name] = digest
	}
	return results, nil
}

// launchKernel runs a kernel and returns the digest of the memory that it leaves.
func launchKernel(device driver.Device, q driver.Queue, p driver.Program, s signature) (digest string, err error) {
	k, err := p.Kernel(s.name)
	if err != nil {
		return "", err
	}
	defer k.Close()
	var memories []driver.Memory
	defer func() {
		for _, m := range memories {
			m.Close()
		}
	}()
	params := k.Params()
	if len(params) != len(s.parameters) {
		return "", fmt.Errorf("%d parameters, the source has %d", len(params), len(s.parameters))
	}
	args := make([]driver.Arg, len(params))
	for i, p := range s.parameters {
		if args[i], err = p.makeArgument(device, q, params[i].Size); err != nil {
			return "", err
		}
		if args[i].Memory != nil {
			memories = append(memories, args[i].Memory)
		}
	}
	if err := q.Launch(k, driver.Range{Global: []int{globalItems}, Local: []int{groupItems}}, args, driver.Sync{}); err != nil {
		return "", err
	}
	if err := q.Finish(); err != nil {
		return "", err
	}
	return digestMemory(q, memories)
}

// makeArgument makes the argument of a parameter; the caller closes its memory. The
// contents follow from the parameter alone, so that every device gets the same.
func (p *parameter) makeArgument(device driver.Device, q driver.Queue, size int) (arg driver.Arg, err error) {
	switch p.space {
	case "local":
		return driver.Arg{LocalSize: localSize}, nil
	case "":
		return driver.Arg{Value: p.fillValue(size)}, nil
	}
	if arg.Memory, err = device.Alloc(driver.DeviceMemory, bufferSize); err != nil {
		return arg, err
	}
	if err := q.Write(arg.Memory, 0, p.fillBuffer(bufferSize), driver.Sync{Block: true}); err != nil {
		arg.Memory.Close()
		return driver.Arg{}, err
	}
	return arg, nil
}

// digestMemory returns a digest of all buffers after a launch: the first bytes of a hash,
// which are enough to distinguish results and make short lines.
func digestMemory(q driver.Queue, memories []driver.Memory) (string, error) {
	h := sha256.New()
	data := make([]byte, bufferSize)
	for _, m := range memories {
		if err := q.Read(m, 0, data, driver.Sync{Block: true}); err != nil {
			return "", err
		}
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
