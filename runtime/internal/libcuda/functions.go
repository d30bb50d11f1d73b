package libcuda

// The functions, by the names that the library exports: headers give some of
// them their newer version's suffix by macros.
const (
	fnInit = iota
	fnDriverGetVersion
	fnGetErrorName
	fnGetErrorString
	fnDeviceGetCount
	fnDeviceGet
	fnDeviceGetName
	fnDeviceGetAttribute
	fnDeviceTotalMem
	fnDevicePrimaryCtxRetain
	fnDevicePrimaryCtxRelease
	fnCtxPushCurrent
	fnCtxPopCurrent
	fnMemAlloc
	fnMemFree
	fnMemHostAlloc
	fnMemFreeHost
	fnMemAllocManaged
	fnMemcpyAsync
	fnMemsetD8Async
	fnMemsetD16Async
	fnMemsetD32Async
	fnMemsetD2D8Async
	fnMemsetD2D32Async
	fnPointerGetAttribute
	fnStreamCreate
	fnStreamDestroy
	fnStreamSynchronize
	fnStreamQuery
	fnStreamWaitEvent
	fnStreamGetCtx
	fnEventCreate
	fnEventDestroy
	fnEventRecord
	fnEventQuery
	fnEventSynchronize
	fnEventElapsedTime
	fnLinkCreate
	fnLinkAddData
	fnLinkComplete
	fnLinkDestroy
	fnModuleLoadDataEx
	fnModuleUnload
	fnModuleGetFunction
	fnModuleGetGlobal
	fnFuncGetAttribute
	fnFuncSetAttribute
	fnFuncGetParamInfo
	fnLaunchKernel
	functionCount
)

var functionNames = [functionCount]string{
	fnInit:                    "cuInit",
	fnDriverGetVersion:        "cuDriverGetVersion",
	fnGetErrorName:            "cuGetErrorName",
	fnGetErrorString:          "cuGetErrorString",
	fnDeviceGetCount:          "cuDeviceGetCount",
	fnDeviceGet:               "cuDeviceGet",
	fnDeviceGetName:           "cuDeviceGetName",
	fnDeviceGetAttribute:      "cuDeviceGetAttribute",
	fnDeviceTotalMem:          "cuDeviceTotalMem_v2",
	fnDevicePrimaryCtxRetain:  "cuDevicePrimaryCtxRetain",
	fnDevicePrimaryCtxRelease: "cuDevicePrimaryCtxRelease_v2",
	fnCtxPushCurrent:          "cuCtxPushCurrent_v2",
	fnCtxPopCurrent:           "cuCtxPopCurrent_v2",
	fnMemAlloc:                "cuMemAlloc_v2",
	fnMemFree:                 "cuMemFree_v2",
	fnMemHostAlloc:            "cuMemHostAlloc",
	fnMemFreeHost:             "cuMemFreeHost",
	fnMemAllocManaged:         "cuMemAllocManaged",
	fnMemcpyAsync:             "cuMemcpyAsync",
	fnMemsetD8Async:           "cuMemsetD8Async",
	fnMemsetD16Async:          "cuMemsetD16Async",
	fnMemsetD32Async:          "cuMemsetD32Async",
	fnMemsetD2D8Async:         "cuMemsetD2D8Async",
	fnMemsetD2D32Async:        "cuMemsetD2D32Async",
	fnPointerGetAttribute:     "cuPointerGetAttribute",
	fnStreamCreate:            "cuStreamCreate",
	fnStreamDestroy:           "cuStreamDestroy_v2",
	fnStreamSynchronize:       "cuStreamSynchronize",
	fnStreamQuery:             "cuStreamQuery",
	fnStreamWaitEvent:         "cuStreamWaitEvent",
	fnStreamGetCtx:            "cuStreamGetCtx",
	fnEventCreate:             "cuEventCreate",
	fnEventDestroy:            "cuEventDestroy_v2",
	fnEventRecord:             "cuEventRecord",
	fnEventQuery:              "cuEventQuery",
	fnEventSynchronize:        "cuEventSynchronize",
	fnEventElapsedTime:        "cuEventElapsedTime",
	fnLinkCreate:              "cuLinkCreate_v2",
	fnLinkAddData:             "cuLinkAddData_v2",
	fnLinkComplete:            "cuLinkComplete",
	fnLinkDestroy:             "cuLinkDestroy",
	fnModuleLoadDataEx:        "cuModuleLoadDataEx",
	fnModuleUnload:            "cuModuleUnload",
	fnModuleGetFunction:       "cuModuleGetFunction",
	fnModuleGetGlobal:         "cuModuleGetGlobal_v2",
	fnFuncGetAttribute:        "cuFuncGetAttribute",
	fnFuncSetAttribute:        "cuFuncSetAttribute",
	fnFuncGetParamInfo:        "cuFuncGetParamInfo",
	fnLaunchKernel:            "cuLaunchKernel",
}

// optional are the functions of newer drivers that offlink can do without.
var optional = [functionCount]bool{fnFuncGetParamInfo: true}
