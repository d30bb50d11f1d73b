package ze

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// headerFile is Level Zero's own.
const headerFile = "/usr/include/level_zero/ze_api.h"

// headerConstants are the numbers that this package uses, by their names there. Results are
// in resultNames.
var headerConstants = map[string]uint64{
	"ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES": typeDriverProperties, "ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES": typeDeviceProperties,
	"ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES": typeComputeProperties, "ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES": typeDeviceModules,
	"ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES": typeQueueGroup, "ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES": typeMemoryProperties,
	"ZE_STRUCTURE_TYPE_CONTEXT_DESC": typeContextDesc, "ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC": typeQueueDesc,
	"ZE_STRUCTURE_TYPE_EVENT_POOL_DESC": typeEventPoolDesc, "ZE_STRUCTURE_TYPE_EVENT_DESC": typeEventDesc,
	"ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC": typeDeviceAllocDesc, "ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC": typeHostAllocDesc,
	"ZE_STRUCTURE_TYPE_MODULE_DESC": typeModuleDesc, "ZE_STRUCTURE_TYPE_MODULE_PROPERTIES": typeModuleProperties,
	"ZE_STRUCTURE_TYPE_KERNEL_DESC": typeKernelDesc, "ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES": typeKernelProperties,
	"ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC": typeModuleProgramDesc,

	"ZE_DEVICE_TYPE_GPU": 1, "ZE_DEVICE_TYPE_CPU": 2, "ZE_DEVICE_TYPE_FPGA": 3,
	"ZE_DEVICE_PROPERTY_FLAG_INTEGRATED": 1, "ZE_DEVICE_PROPERTY_FLAG_ECC": 4,
	"ZE_DEVICE_MODULE_FLAG_FP16": ModuleHalf, "ZE_DEVICE_MODULE_FLAG_FP64": ModuleDouble, "ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS": ModuleAtomic64,
	"ZE_DEVICE_FP_FLAG_DENORM": 1, "ZE_DEVICE_FP_FLAG_INF_NAN": 2, "ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST": 4, "ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO": 8,
	"ZE_DEVICE_FP_FLAG_ROUND_TO_INF": 16, "ZE_DEVICE_FP_FLAG_FMA": 32, "ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT": 64, "ZE_DEVICE_FP_FLAG_SOFT_FLOAT": 128,
	"ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE": groupComputes, "ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS": modeAsynchronous,
	"ZE_EVENT_POOL_FLAG_HOST_VISIBLE": poolHostVisible, "ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP": poolTimestamps, "ZE_EVENT_SCOPE_FLAG_HOST": scopeHost,
	"ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST": indirectHost, "ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE": indirectDevice, "ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED": indirectShared,
	"ZE_MODULE_FORMAT_IL_SPIRV": FormatSPIRV, "ZE_MODULE_FORMAT_NATIVE": FormatNative, "ZE_MODULE_PROPERTY_FLAG_IMPORTS": moduleImports,
	"ZE_RESULT_NOT_READY": resultNotReady,
}

// headerStructs are the structures, by their names in the header.
var headerStructs = map[string]any{
	"ze_device_properties_t": DeviceProperties{}, "ze_device_compute_properties_t": ComputeProperties{}, "ze_device_module_properties_t": ModuleProperties{},
	"ze_command_queue_group_properties_t": queueGroupProperties{}, "ze_device_memory_properties_t": memoryProperties{}, "ze_driver_properties_t": driverProperties{},
	"ze_driver_extension_properties_t": extensionProperties{}, "ze_context_desc_t": flagsDesc{}, "ze_module_properties_t": flagsDesc{},
	"ze_command_queue_desc_t": queueDesc{}, "ze_event_pool_desc_t": eventPoolDesc{}, "ze_event_desc_t": eventDesc{},
	"ze_device_mem_alloc_desc_t": allocDesc{}, "ze_module_constants_t": moduleConstants{}, "ze_module_desc_t": moduleDesc{},
	"ze_module_program_exp_desc_t": programDesc{}, "ze_kernel_desc_t": kernelDesc{}, "ze_kernel_properties_t": KernelProperties{},
}

// TestHeader: constants, results, and the places and sizes of structures and their fields are
// those of the header.
func TestHeader(t *testing.T) {
	testtool.Need(t, "gcc")
	header, err := os.ReadFile(headerFile)
	if err != nil {
		testtool.Missing(t, &exec.Error{Name: "libze-dev", Err: err})
	}
	var source strings.Builder
	fmt.Fprintf(&source, "#include <stddef.h>\n#include %q\n", headerFile)
	require := func(text string, value uint64) {
		fmt.Fprintf(&source, "_Static_assert((unsigned long long)(%s) == %#x, %q);\n", text, value, text)
	}
	for name, value := range headerConstants {
		require(name, value)
	}
	// Newer headers have results that this one lacks.
	for code, name := range resultNames {
		if strings.Contains(string(header), " "+name+" =") {
			require(name, uint64(code))
		}
	}
	for name, value := range headerStructs {
		goType := reflect.TypeOf(value)
		require("sizeof("+name+")", uint64(goType.Size()))
		members := membersOf(t, string(header), name)
		fields := fieldsOf(goType, 0)
		if len(members) != len(fields) {
			t.Errorf("%s has the members %v, %v %d fields", name, members, goType, len(fields))
			continue
		}
		for i, member := range members {
			require(fmt.Sprintf("offsetof(%s, %s)", name, member), fields[i].offset)
			require(fmt.Sprintf("sizeof(((%s *)0)->%s)", name, member), fields[i].size)
		}
	}
	// The descriptor of host memory is passed as that of a device's, which is longer.
	require("offsetof(ze_host_mem_alloc_desc_t, flags)", uint64(reflect.TypeFor[allocDesc]().Field(2).Offset))
	require("offsetof(ze_kernel_timestamp_result_t, global.kernelEnd)", 8*timestampGlobalEnd)
	require("sizeof(ze_kernel_timestamp_result_t)", 32)
	file := filepath.Join(t.TempDir(), "header.c")
	if err := os.WriteFile(file, []byte(source.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-fsyntax-only", "-w", file).CombinedOutput(); err != nil {
		t.Errorf("%s", out)
	}
	for _, name := range functionNames {
		if !strings.Contains(string(header), "\n"+name+"(\n") {
			t.Errorf("%s is not in the header", name)
		}
	}
}

// membersOf are the members of a structure in the header, in their order.
func membersOf(t *testing.T, header, name string) (members []string) {
	t.Helper()
	body := regexp.MustCompile(`(?s)typedef struct _` + name + `\n\{\n(.*?)\n\} ` + name + `;`).FindStringSubmatch(header)
	if body == nil {
		t.Fatalf("%s is not in the header", name)
	}
	for _, m := range regexp.MustCompile(`(?m)^[^/\n]*?(\w+)(?:\[\w+\])?;`).FindAllStringSubmatch(body[1], -1) {
		members = append(members, m[1])
	}
	return members
}

type goField struct{ offset, size uint64 }

// fieldsOf are the fields of a type, with those of structures that it embeds, and the three
// numbers of a range, in their place.
func fieldsOf(structure reflect.Type, base uintptr) (fields []goField) {
	for i := range structure.NumField() {
		f := structure.Field(i)
		switch {
		case f.Name == "_":
		case f.Anonymous:
			fields = append(fields, fieldsOf(f.Type, base+f.Offset)...)
		case f.Type == reflect.TypeFor[[3]uint32]():
			for k := range uint64(3) {
				fields = append(fields, goField{uint64(base+f.Offset) + 4*k, 4})
			}
		default:
			fields = append(fields, goField{uint64(base + f.Offset), uint64(f.Type.Size())})
		}
	}
	return fields
}
