package runtime_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"

	"offlink/ir/irtext"
	"offlink/runtime"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	_ "offlink/runtime/hostdev/wazeroengine" // compiles its kernels
	"offlink/runtime/registry"
	"offlink/spirv"
	"offlink/spirv/fromir"
	"offlink/wrapper/devimg"
)

// twice doubles each element of a buffer. It is the output of a compiler of OpenCL C.
const twice = `target triple = "spir64-unknown-unknown"

define spir_kernel void @twice(ptr addrspace(1) %data) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %y = shl i32 %x, 1
  store i32 %y, ptr addrspace(1) %p, align 4
  ret void
}

declare spir_func i64 @_Z13get_global_idj(i32)

!opencl.ocl.version = !{!0}
!0 = !{i32 3, i32 0}
`

// From LLVM IR to a result: the kernel is translated, registered as an image
// would be that a file brought, built for the embedded device and launched.
func Example() {
	module, err := irtext.Parse("twice.ll", []byte(twice))
	if err != nil {
		log.Fatal(err)
	}
	code, err := fromir.Translate(module, fromir.Options{Version: spirv.Version1_3})
	if err != nil {
		log.Fatal(err)
	}

	rt := runtime.New([]driver.Driver{hostdev.New(hostdev.Options{})})
	defer rt.Shutdown()
	rt.Register(registry.Owner{Name: "example"}, []*devimg.Image{{
		Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64",
		Code: devimg.Bytes(code), Entries: []string{"twice"}, HasEntries: true,
	}})
	if err := launchTwice(rt); err != nil {
		log.Fatal(err)
	}
	// Output: [2 4 6 8]
}

func launchTwice(rt *runtime.Runtime) error {
	device, err := rt.Device("")
	if err != nil {
		return err
	}
	program, err := rt.Program(context.Background(), device, runtime.KernelRef{Name: "twice"})
	if err != nil {
		return err
	}
	defer program.Close()
	kernel, err := program.Kernel()
	if err != nil {
		return err
	}
	defer kernel.Close()
	queue, err := device.NewQueue(driver.QueueOptions{})
	if err != nil {
		return err
	}
	defer queue.Close()
	memory, err := device.Alloc(driver.DeviceMemory, 16)
	if err != nil {
		return err
	}
	defer memory.Close()

	data := make([]byte, 16)
	for i := range uint32(4) {
		binary.LittleEndian.PutUint32(data[4*i:], i+1)
	}
	if err := queue.Write(memory, 0, data, driver.Sync{}); err != nil {
		return err
	}
	if err := kernel.Launch(queue, driver.Range{Global: []int{4}}, []driver.Arg{{Memory: memory}}, driver.Sync{}); err != nil {
		return err
	}
	if err := queue.Read(memory, 0, data, driver.Sync{}); err != nil {
		return err
	}
	if err := queue.Finish(); err != nil {
		return err
	}
	var results []uint32
	for i := range 4 {
		results = append(results, binary.LittleEndian.Uint32(data[4*i:]))
	}
	fmt.Println(results)
	return nil
}
