package cl

// Function is a function of OpenCL.
type Function int

// The functions that the library exports. Those of versions after 1.2 may be missing.
const (
	GetPlatformIDs Function = iota
	GetPlatformInfo
	GetDeviceIDs
	GetDeviceInfo
	CreateSubDevices
	ReleaseDevice
	CreateContext
	ReleaseContext
	CreateCommandQueue
	CreateCommandQueueWithProperties
	RetainCommandQueue
	ReleaseCommandQueue
	GetCommandQueueInfo
	CreateBuffer
	CreateSubBuffer
	RetainMemObject
	RetainEvent
	ReleaseMemObject
	GetMemObjectInfo
	CreateProgramWithIL
	CreateProgramWithBinary
	CreateProgramWithSource
	SetProgramSpecializationConstant
	BuildProgram
	CompileProgram
	LinkProgram
	GetProgramInfo
	GetProgramBuildInfo
	ReleaseProgram
	CreateKernel
	ReleaseKernel
	GetKernelInfo
	GetKernelArgInfo
	GetKernelWorkGroupInfo
	GetKernelSubGroupInfo
	SetKernelArg
	SetKernelArgSVMPointer
	SetKernelExecInfo
	EnqueueNDRangeKernel
	EnqueueReadBuffer
	EnqueueWriteBuffer
	EnqueueCopyBuffer
	EnqueueFillBuffer
	EnqueueMarkerWithWaitList
	EnqueueBarrierWithWaitList
	SVMAlloc
	SVMFree
	EnqueueSVMMemcpy
	EnqueueSVMMemFill
	Flush
	Finish
	WaitForEvents
	GetEventInfo
	GetEventProfilingInfo
	SetEventCallback
	ReleaseEvent
	CreateUserEvent
	SetUserEventStatus
	GetExtensionFunctionAddressForPlatform

	firstExtension // those from here on are queried from each platform
)

// The functions of extensions.
const (
	CreateProgramWithILKHR Function = firstExtension + iota
	GetKernelSubGroupInfoKHR
	HostMemAllocINTEL
	DeviceMemAllocINTEL
	SharedMemAllocINTEL
	MemFreeINTEL
	MemBlockingFreeINTEL
	GetMemAllocInfoINTEL
	SetKernelArgMemPointerINTEL
	EnqueueMemFillINTEL
	EnqueueMemcpyINTEL
	GetDeviceGlobalVariablePointerINTEL
	GetDeviceFunctionPointerINTEL
	EnqueueReadGlobalVariableINTEL
	EnqueueWriteGlobalVariableINTEL

	functions // their number
)

var functionNames = [functions]string{
	GetPlatformIDs:                         "clGetPlatformIDs",
	GetPlatformInfo:                        "clGetPlatformInfo",
	GetDeviceIDs:                           "clGetDeviceIDs",
	GetDeviceInfo:                          "clGetDeviceInfo",
	CreateSubDevices:                       "clCreateSubDevices",
	ReleaseDevice:                          "clReleaseDevice",
	CreateContext:                          "clCreateContext",
	ReleaseContext:                         "clReleaseContext",
	CreateCommandQueue:                     "clCreateCommandQueue",
	CreateCommandQueueWithProperties:       "clCreateCommandQueueWithProperties",
	RetainCommandQueue:                     "clRetainCommandQueue",
	ReleaseCommandQueue:                    "clReleaseCommandQueue",
	GetCommandQueueInfo:                    "clGetCommandQueueInfo",
	CreateBuffer:                           "clCreateBuffer",
	CreateSubBuffer:                        "clCreateSubBuffer",
	RetainMemObject:                        "clRetainMemObject",
	RetainEvent:                            "clRetainEvent",
	ReleaseMemObject:                       "clReleaseMemObject",
	GetMemObjectInfo:                       "clGetMemObjectInfo",
	CreateProgramWithIL:                    "clCreateProgramWithIL",
	CreateProgramWithBinary:                "clCreateProgramWithBinary",
	CreateProgramWithSource:                "clCreateProgramWithSource",
	SetProgramSpecializationConstant:       "clSetProgramSpecializationConstant",
	BuildProgram:                           "clBuildProgram",
	CompileProgram:                         "clCompileProgram",
	LinkProgram:                            "clLinkProgram",
	GetProgramInfo:                         "clGetProgramInfo",
	GetProgramBuildInfo:                    "clGetProgramBuildInfo",
	ReleaseProgram:                         "clReleaseProgram",
	CreateKernel:                           "clCreateKernel",
	ReleaseKernel:                          "clReleaseKernel",
	GetKernelInfo:                          "clGetKernelInfo",
	GetKernelArgInfo:                       "clGetKernelArgInfo",
	GetKernelWorkGroupInfo:                 "clGetKernelWorkGroupInfo",
	GetKernelSubGroupInfo:                  "clGetKernelSubGroupInfo",
	SetKernelArg:                           "clSetKernelArg",
	SetKernelArgSVMPointer:                 "clSetKernelArgSVMPointer",
	SetKernelExecInfo:                      "clSetKernelExecInfo",
	EnqueueNDRangeKernel:                   "clEnqueueNDRangeKernel",
	EnqueueReadBuffer:                      "clEnqueueReadBuffer",
	EnqueueWriteBuffer:                     "clEnqueueWriteBuffer",
	EnqueueCopyBuffer:                      "clEnqueueCopyBuffer",
	EnqueueFillBuffer:                      "clEnqueueFillBuffer",
	EnqueueMarkerWithWaitList:              "clEnqueueMarkerWithWaitList",
	EnqueueBarrierWithWaitList:             "clEnqueueBarrierWithWaitList",
	SVMAlloc:                               "clSVMAlloc",
	SVMFree:                                "clSVMFree",
	EnqueueSVMMemcpy:                       "clEnqueueSVMMemcpy",
	EnqueueSVMMemFill:                      "clEnqueueSVMMemFill",
	Flush:                                  "clFlush",
	Finish:                                 "clFinish",
	WaitForEvents:                          "clWaitForEvents",
	GetEventInfo:                           "clGetEventInfo",
	GetEventProfilingInfo:                  "clGetEventProfilingInfo",
	SetEventCallback:                       "clSetEventCallback",
	ReleaseEvent:                           "clReleaseEvent",
	CreateUserEvent:                        "clCreateUserEvent",
	SetUserEventStatus:                     "clSetUserEventStatus",
	GetExtensionFunctionAddressForPlatform: "clGetExtensionFunctionAddressForPlatform",
	CreateProgramWithILKHR:                 "clCreateProgramWithILKHR",
	GetKernelSubGroupInfoKHR:               "clGetKernelSubGroupInfoKHR",
	HostMemAllocINTEL:                      "clHostMemAllocINTEL",
	DeviceMemAllocINTEL:                    "clDeviceMemAllocINTEL",
	SharedMemAllocINTEL:                    "clSharedMemAllocINTEL",
	MemFreeINTEL:                           "clMemFreeINTEL",
	MemBlockingFreeINTEL:                   "clMemBlockingFreeINTEL",
	GetMemAllocInfoINTEL:                   "clGetMemAllocInfoINTEL",
	SetKernelArgMemPointerINTEL:            "clSetKernelArgMemPointerINTEL",
	EnqueueMemFillINTEL:                    "clEnqueueMemFillINTEL",
	EnqueueMemcpyINTEL:                     "clEnqueueMemcpyINTEL",
	GetDeviceGlobalVariablePointerINTEL:    "clGetDeviceGlobalVariablePointerINTEL",
	GetDeviceFunctionPointerINTEL:          "clGetDeviceFunctionPointerINTEL",
	EnqueueReadGlobalVariableINTEL:         "clEnqueueReadGlobalVariableINTEL",
	EnqueueWriteGlobalVariableINTEL:        "clEnqueueWriteGlobalVariableINTEL",
}

// String is the function's name in C.
func (f Function) String() string { return functionNames[f] }
