package cl

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// headerFolder has the headers of Khronos.
const headerFolder = "/usr/include/CL"

func needHeaders(t *testing.T) {
	t.Helper()
	testtool.Need(t, "gcc")
	if _, err := os.Stat(headerFolder + "/cl.h"); err != nil {
		testtool.Missing(t, &exec.Error{Name: "opencl-c-headers", Err: err})
	}
}

// headerNames are the names of this package's constants in the headers.
var headerNames = map[string]string{
	"PlatformVersion": "CL_PLATFORM_VERSION", "PlatformName": "CL_PLATFORM_NAME", "PlatformVendor": "CL_PLATFORM_VENDOR", "PlatformExtensions": "CL_PLATFORM_EXTENSIONS",

	"DeviceType": "CL_DEVICE_TYPE", "DeviceVendorID": "CL_DEVICE_VENDOR_ID", "DeviceMaxComputeUnits": "CL_DEVICE_MAX_COMPUTE_UNITS",
	"DeviceMaxWorkGroupSize": "CL_DEVICE_MAX_WORK_GROUP_SIZE", "DeviceMaxWorkItemSizes": "CL_DEVICE_MAX_WORK_ITEM_SIZES",
	"DeviceVectorWidthChar": "CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR", "DeviceVectorWidthShort": "CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT",
	"DeviceVectorWidthInt": "CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT", "DeviceVectorWidthLong": "CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG",
	"DeviceVectorWidthFloat": "CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT", "DeviceVectorWidthDouble": "CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE",
	"DeviceVectorWidthHalf": "CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF", "DeviceMaxClockFrequency": "CL_DEVICE_MAX_CLOCK_FREQUENCY",
	"DeviceAddressBits": "CL_DEVICE_ADDRESS_BITS", "DeviceMaxAllocation": "CL_DEVICE_MAX_MEM_ALLOC_SIZE", "DeviceImageSupport": "CL_DEVICE_IMAGE_SUPPORT",
	"DeviceMaxParameterSize": "CL_DEVICE_MAX_PARAMETER_SIZE", "DeviceMemoryAlignment": "CL_DEVICE_MEM_BASE_ADDR_ALIGN",
	"DeviceSingleConfig": "CL_DEVICE_SINGLE_FP_CONFIG", "DeviceDoubleConfig": "CL_DEVICE_DOUBLE_FP_CONFIG", "DeviceHalfConfig": "CL_DEVICE_HALF_FP_CONFIG",
	"DeviceCacheLine": "CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE", "DeviceCacheSize": "CL_DEVICE_GLOBAL_MEM_CACHE_SIZE", "DeviceGlobalMemory": "CL_DEVICE_GLOBAL_MEM_SIZE",
	"DeviceConstantMemory": "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE", "DeviceLocalMemoryType": "CL_DEVICE_LOCAL_MEM_TYPE", "DeviceLocalMemory": "CL_DEVICE_LOCAL_MEM_SIZE",
	"DeviceErrorCorrection": "CL_DEVICE_ERROR_CORRECTION_SUPPORT", "DeviceTimerResolution": "CL_DEVICE_PROFILING_TIMER_RESOLUTION",
	"DeviceEndianLittle": "CL_DEVICE_ENDIAN_LITTLE", "DeviceCompilerAvailable": "CL_DEVICE_COMPILER_AVAILABLE", "DeviceQueueProperties": "CL_DEVICE_QUEUE_PROPERTIES",
	"DeviceName": "CL_DEVICE_NAME", "DeviceVendor": "CL_DEVICE_VENDOR", "DriverVersion": "CL_DRIVER_VERSION", "DeviceVersion": "CL_DEVICE_VERSION",
	"DeviceExtensions": "CL_DEVICE_EXTENSIONS", "DeviceHostUnified": "CL_DEVICE_HOST_UNIFIED_MEMORY", "DeviceLinkerAvailable": "CL_DEVICE_LINKER_AVAILABLE", "DeviceUnevenGroups": "CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT",
	"DeviceMaxSubDevices": "CL_DEVICE_PARTITION_MAX_SUB_DEVICES", "DevicePartitions": "CL_DEVICE_PARTITION_PROPERTIES", "DevicePrintfBuffer": "CL_DEVICE_PRINTF_BUFFER_SIZE",
	"DeviceSVMCapabilities": "CL_DEVICE_SVM_CAPABILITIES", "DeviceILVersion": "CL_DEVICE_IL_VERSION", "DeviceMaxSubGroups": "CL_DEVICE_MAX_NUM_SUB_GROUPS",
	"DeviceSubGroupSizes": "CL_DEVICE_SUB_GROUP_SIZES_INTEL", "DeviceUSMHost": "CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL", "DeviceUSMDevice": "CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL",
	"DeviceUSMShared": "CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL", "DeviceUSMSharedCross": "CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL",
	"DeviceUSMSharedSystem": "CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL",

	"PartitionEqually": "CL_DEVICE_PARTITION_EQUALLY", "PartitionByAffinity": "CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN",
	"AffinityNUMA": "CL_DEVICE_AFFINITY_DOMAIN_NUMA", "AffinityNextPartitionable": "CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE",
	"TypeCPU": "CL_DEVICE_TYPE_CPU", "TypeGPU": "CL_DEVICE_TYPE_GPU", "TypeAccelerator": "CL_DEVICE_TYPE_ACCELERATOR",
	"QueueOutOfOrder": "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE", "QueueProfiling": "CL_QUEUE_PROFILING_ENABLE",
	"SVMCoarse": "CL_DEVICE_SVM_COARSE_GRAIN_BUFFER", "SVMFine": "CL_DEVICE_SVM_FINE_GRAIN_BUFFER", "SVMFineSystem": "CL_DEVICE_SVM_FINE_GRAIN_SYSTEM", "SVMAtomics": "CL_DEVICE_SVM_ATOMICS",
	"USMAccess": "CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL", "USMAtomic": "CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL",
	"MemReadWrite": "CL_MEM_READ_WRITE", "MemSVMFine": "CL_MEM_SVM_FINE_GRAIN_BUFFER",

	"QueueContext": "CL_QUEUE_CONTEXT", "QueueProperties": "CL_QUEUE_PROPERTIES", "MemSize": "CL_MEM_SIZE", "MemContext": "CL_MEM_CONTEXT",
	"MemAllocType": "CL_MEM_ALLOC_TYPE_INTEL", "MemAllocBase": "CL_MEM_ALLOC_BASE_PTR_INTEL", "MemAllocSize": "CL_MEM_ALLOC_SIZE_INTEL",
	"TypeHostUSM": "CL_MEM_TYPE_HOST_INTEL", "TypeDeviceUSM": "CL_MEM_TYPE_DEVICE_INTEL", "TypeSharedUSM": "CL_MEM_TYPE_SHARED_INTEL",
	"ProgramBinarySizes": "CL_PROGRAM_BINARY_SIZES", "ProgramBinaries": "CL_PROGRAM_BINARIES", "ProgramKernelNames": "CL_PROGRAM_KERNEL_NAMES",
	"ProgramBuildLog": "CL_PROGRAM_BUILD_LOG", "ProgramBinaryType": "CL_PROGRAM_BINARY_TYPE",
	"KernelNumArgs": "CL_KERNEL_NUM_ARGS", "KernelArgAddressQualifier": "CL_KERNEL_ARG_ADDRESS_QUALIFIER", "KernelArgTypeName": "CL_KERNEL_ARG_TYPE_NAME",
	"KernelArgName": "CL_KERNEL_ARG_NAME", "KernelWorkGroupSize": "CL_KERNEL_WORK_GROUP_SIZE", "KernelCompileWorkGroupSize": "CL_KERNEL_COMPILE_WORK_GROUP_SIZE",
	"KernelLocalMemory": "CL_KERNEL_LOCAL_MEM_SIZE", "KernelPreferredMultiple": "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE",
	"KernelPrivateMemory": "CL_KERNEL_PRIVATE_MEM_SIZE", "KernelCompileSubGroupSize": "CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL",
	"KernelMaxSubGroupSizeForRange": "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE",
	"ExecIndirectHost":              "CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL", "ExecIndirectDevice": "CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL",
	"ExecIndirectShared": "CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL", "ExecSVMFineSystem": "CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM", "ExecSVMPointers": "CL_KERNEL_EXEC_INFO_SVM_PTRS",
	"EventCommandStatus": "CL_EVENT_COMMAND_EXECUTION_STATUS", "ProfilingQueued": "CL_PROFILING_COMMAND_QUEUED", "ProfilingSubmit": "CL_PROFILING_COMMAND_SUBMIT",
	"ProfilingStart": "CL_PROFILING_COMMAND_START", "ProfilingEnd": "CL_PROFILING_COMMAND_END",
	"AddressGlobal": "CL_KERNEL_ARG_ADDRESS_GLOBAL", "AddressLocal": "CL_KERNEL_ARG_ADDRESS_LOCAL", "AddressConstant": "CL_KERNEL_ARG_ADDRESS_CONSTANT", "AddressPrivate": "CL_KERNEL_ARG_ADDRESS_PRIVATE",

	"DeviceNotFound": "CL_DEVICE_NOT_FOUND", "DevicePartitionFailed": "CL_DEVICE_PARTITION_FAILED", "CompilerNotAvailable": "CL_COMPILER_NOT_AVAILABLE",
	"OutOfResources": "CL_OUT_OF_RESOURCES", "ProfilingNotAvailable": "CL_PROFILING_INFO_NOT_AVAILABLE", "BuildProgramFailure": "CL_BUILD_PROGRAM_FAILURE",
	"ErrorInWaitList": "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "CompileProgramFailure": "CL_COMPILE_PROGRAM_FAILURE", "LinkProgramFailure": "CL_LINK_PROGRAM_FAILURE",
	"KernelArgInfoNotAvailable": "CL_KERNEL_ARG_INFO_NOT_AVAILABLE", "InvalidValue": "CL_INVALID_VALUE", "InvalidProgram": "CL_INVALID_PROGRAM",
	"InvalidKernelName": "CL_INVALID_KERNEL_NAME", "InvalidArgValue": "CL_INVALID_ARG_VALUE", "InvalidOperation": "CL_INVALID_OPERATION",
	"InvalidSpecID": "CL_INVALID_SPEC_ID", "PlatformNotFound": "CL_PLATFORM_NOT_FOUND_KHR",
}

// TestHeaderConstants: each constant and each name of a code is that of the headers, and the
// errors of cl.h all have names.
func TestHeaderConstants(t *testing.T) {
	needHeaders(t)
	var source strings.Builder
	source.WriteString("#define CL_TARGET_OPENCL_VERSION 300\n#include <CL/cl.h>\n#include <CL/cl_ext.h>\n#include <CL/cl_ext_intel.h>\n#include <CL/cl_gl.h>\n")
	require := func(name string, value int64) {
		fmt.Fprintf(&source, "_Static_assert((long long)(%s) == %d, %q);\n", name, value, name)
	}
	for name, value := range constantsOf(t, "constants.go", "codes.go") {
		if headerNames[name] == "" {
			t.Errorf("%s has no name of a header in this test", name)
			continue
		}
		require(headerNames[name], value)
	}
	for code, name := range codeNames {
		require(name, int64(code))
	}
	// Those that are in the code of functions.
	for name, value := range map[string]int64{
		"CL_BUFFER_CREATE_TYPE_REGION": 0x1220, "CL_CONTEXT_PLATFORM": 0x1084, "CL_MEM_READ_WRITE": 1, "CL_COMPLETE": 0, "CL_LOCAL": 1,
	} {
		require(name, value)
	}
	file := filepath.Join(t.TempDir(), "headers.c")
	if err := os.WriteFile(file, []byte(source.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-fsyntax-only", "-w", file).CombinedOutput(); err != nil {
		t.Errorf("%s", out)
	}
	header, err := os.ReadFile(headerFolder + "/cl.h")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`(?m)^#define (CL_\w+)\s+(-\d+)$`).FindAllSubmatch(header, -1)
	if len(codes) < 60 {
		t.Errorf("cl.h has %d codes", len(codes))
	}
	for _, code := range codes {
		if strings.HasPrefix(string(code[1]), "CL_BUILD_") && string(code[1]) != "CL_BUILD_PROGRAM_FAILURE" {
			continue // states of a build
		}
		var number int
		if _, err := fmt.Sscan(string(code[2]), &number); err != nil || CodeName(number) != string(code[1]) {
			t.Errorf("%s (%s) is named %q", code[1], code[2], CodeName(number))
		}
	}
}

// constantsOf are the constants of files of this package, which import nothing.
func constantsOf(t *testing.T, files ...string) map[string]int64 {
	t.Helper()
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, file := range files {
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	p, err := new(types.Config).Check("cl", set, parsed, nil)
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string]int64)
	for _, name := range p.Scope().Names() {
		if c, ok := p.Scope().Lookup(name).(*types.Const); ok {
			values[name], _ = constant.Int64Val(c.Val())
		}
	}
	return values
}

// TestHeaderFunctions: each function is in the headers, and each call that names it has as many
// arguments as it has parameters there.
func TestHeaderFunctions(t *testing.T) {
	needHeaders(t)
	var text strings.Builder
	for _, name := range []string{"cl.h", "cl_ext.h", "cl_ext_intel.h"} {
		header, err := os.ReadFile(filepath.Join(headerFolder, name))
		if err != nil {
			t.Fatal(err)
		}
		text.Write(header)
	}
	// A callback's own parameters are in parentheses of their own.
	inner := regexp.MustCompile(`\(CL_CALLBACK\s*\*\s*\w+\)\s*\([^()]*\)`).ReplaceAllString(text.String(), "callback")
	parameters := make(map[string]int)
	for _, m := range regexp.MustCompile(`\b(cl\w+?)(?:_fn|_t)?\)?\s*\(([^()]*)\)`).FindAllStringSubmatch(inner, -1) {
		parameters[m[1]] = max(parameters[m[1]], strings.Count(m[2], ",")+1) // comments name functions too
	}
	// Functions of extensions that are in no header, with the numbers of their specifications.
	parameters["clGetDeviceFunctionPointerINTEL"], parameters["clGetDeviceGlobalVariablePointerINTEL"] = 4, 5
	parameters["clEnqueueReadGlobalVariableINTEL"], parameters["clEnqueueWriteGlobalVariableINTEL"] = 10, 10
	names := make(map[string]string) // of C, by the constant's
	for f, name := range functionNames {
		if parameters[name] == 0 {
			t.Errorf("%s is in no header", name)
		}
		names[strings.TrimPrefix(Function(f).String(), "cl")] = name
	}
	checked := 0
	for _, call := range callsOf(t) {
		name := names[call.function]
		if name == "" {
			continue // the function is a variable there
		}
		checked++
		if parameters[name] != call.arguments {
			t.Errorf("%v: %s has %d parameters, and the call %d arguments", call.place, name, parameters[name], call.arguments)
		}
	}
	if checked < 35 {
		t.Errorf("%d calls were checked", checked)
	}
}

// nativeCall is a call of a function of OpenCL.
type nativeCall struct {
	place     token.Position
	function  string // the constant's name
	arguments int
}

// callsOf finds the calls in this package's files, by the methods that make them.
func callsOf(t *testing.T) (calls []nativeCall) {
	t.Helper()
	set := token.NewFileSet()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	// The arguments beside the function that the method itself adds.
	added := map[string]int{"callFunction": 0, "createObject": 1, "enterFunction": 0}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || call.Ellipsis.IsValid() || len(call.Args) == 0 {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			more, ok := added[method.Sel.Name]
			if function, named := call.Args[0].(*ast.Ident); ok && named {
				calls = append(calls, nativeCall{set.Position(call.Pos()), function.Name, len(call.Args) - 1 + more})
			}
			return true
		})
	}
	return calls
}
