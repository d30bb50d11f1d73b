package hostdev_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"

	"offlink/ir/irtext"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	"offlink/spirv"
	"offlink/spirv/fromir"
)

// A kernel that writes beyond its buffer: the checked mode stops the launch and says
// which access it was.
func Example_checkedMode() {
	module, err := irtext.Parse("beyond.ll", []byte(`target triple = "spir64-unknown-unknown"
define spir_kernel void @beyond(ptr addrspace(1) %data) {
  %p = getelementptr i32, ptr addrspace(1) %data, i64 4
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}
!opencl.ocl.version = !{!0}
!0 = !{i32 3, i32 0}`))
	if err != nil {
		log.Fatal(err)
	}
	code, err := fromir.Translate(module, fromir.Options{Version: spirv.Version1_3})
	if err != nil {
		log.Fatal(err)
	}
	devices, err := hostdev.New(hostdev.Options{Check: true}).Devices()
	if err != nil {
		log.Fatal(err)
	}
	device := devices[0]
	program, err := driver.Build(context.Background(), device, []driver.Module{{Name: "beyond", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code}}, driver.BuildOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	kernel, err := program.Kernel("beyond")
	if err != nil {
		log.Fatal(err)
	}
	defer kernel.Close()
	queue, err := device.NewQueue(driver.QueueOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer queue.Close()
	data, err := device.Alloc(driver.DeviceMemory, 16)
	if err != nil {
		log.Fatal(err)
	}
	defer data.Close()
	if err := queue.Write(data, 0, binary.LittleEndian.AppendUint64(make([]byte, 8), 0), driver.Sync{}); err != nil {
		log.Fatal(err)
	}
	err = queue.Launch(kernel, driver.Range{Global: []int{1}}, []driver.Arg{{Memory: data}}, driver.Sync{Block: true})
	if found, ok := hostdev.IsCheckError(err); ok {
		for _, f := range found.Findings {
			fmt.Println(f.Kind)
		}
	}
	// Output: out-of-bounds
}
