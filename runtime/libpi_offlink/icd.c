/* icd.c: the native handles of this library, and its functions for OpenCL's loader, which
 * loads it as a driver (cl_khr_icd; OCL_ICD_VENDORS, OCL_ICD_FILENAMES or a file in
 * /etc/OpenCL/vendors names it). A native handle is an object as the loader wants it: its
 * first word points to a table of functions, whose order is that of CL/cl_icd.h. Hosts of the
 * plugin interface get such handles too: dpctl makes a program of SPIR-V with the loader and
 * the cl_context of a sycl::context. */
#include "opencl.h"

/* The functions of the other files, by their addresses alone. */
#define FUNCTIONS(F) \
  F(clBuildProgram) F(clCloneKernel) F(clCommandBarrierWithWaitListKHR) F(clCommandCopyBufferKHR) \
  F(clCommandCopyBufferRectKHR) F(clCommandCopyBufferToImageKHR) F(clCommandCopyImageKHR) \
  F(clCommandCopyImageToBufferKHR) F(clCommandFillBufferKHR) F(clCommandFillImageKHR) F(clCommandNDRangeKernelKHR) \
  F(clCommandSVMMemFillKHR) F(clCommandSVMMemcpyKHR) F(clCompileProgram) F(clCreateBuffer) \
  F(clCreateBufferWithProperties) F(clCreateCommandBufferKHR) F(clCreateCommandQueue) \
  F(clCreateCommandQueueWithProperties) F(clCreateContext) F(clCreateContextFromType) F(clCreateImage) \
  F(clCreateImage2D) F(clCreateImage3D) F(clCreateImageWithProperties) F(clCreateKernel) F(clCreateKernelsInProgram) \
  F(clCreateProgramWithBinary) F(clCreateProgramWithIL) F(clCreateProgramWithSource) F(clCreateSampler) \
  F(clCreateSamplerWithProperties) F(clCreateSubBuffer) F(clCreateSubDevices) F(clCreateUserEvent) \
  F(clDeviceMemAllocINTEL) F(clEnqueueBarrier) F(clEnqueueBarrierWithWaitList) F(clEnqueueCommandBufferKHR) \
  F(clEnqueueCopyBuffer) F(clEnqueueCopyBufferRect) F(clEnqueueCopyBufferToImage) F(clEnqueueCopyImage) \
  F(clEnqueueCopyImageToBuffer) F(clEnqueueFillBuffer) F(clEnqueueFillImage) F(clEnqueueMapBuffer) \
  F(clEnqueueMapImage) F(clEnqueueMarker) F(clEnqueueMarkerWithWaitList) F(clEnqueueMemAdviseINTEL) \
  F(clEnqueueMemFillINTEL) F(clEnqueueMemcpyINTEL) F(clEnqueueMemsetINTEL) F(clEnqueueMigrateMemINTEL) \
  F(clEnqueueMigrateMemObjects) F(clEnqueueNDRangeKernel) F(clEnqueueReadBuffer) F(clEnqueueReadBufferRect) \
  F(clEnqueueReadGlobalVariableINTEL) F(clEnqueueReadImage) F(clEnqueueSVMFree) F(clEnqueueSVMMap) \
  F(clEnqueueSVMMemFill) F(clEnqueueSVMMemcpy) F(clEnqueueSVMMigrateMem) F(clEnqueueSVMUnmap) F(clEnqueueTask) \
  F(clEnqueueUnmapMemObject) F(clEnqueueWaitForEvents) F(clEnqueueWriteBuffer) F(clEnqueueWriteBufferRect) \
  F(clEnqueueWriteGlobalVariableINTEL) F(clEnqueueWriteImage) F(clFinalizeCommandBufferKHR) F(clFinish) F(clFlush) \
  F(clGetCommandBufferInfoKHR) F(clGetCommandQueueInfo) F(clGetContextInfo) F(clGetDeviceAndHostTimer) \
  F(clGetDeviceFunctionPointerINTEL) F(clGetDeviceGlobalVariablePointerINTEL) F(clGetDeviceIDs) F(clGetDeviceInfo) \
  F(clGetEventInfo) F(clGetEventProfilingInfo) F(clGetHostTimer) F(clGetImageInfo) F(clGetKernelArgInfo) \
  F(clGetKernelInfo) F(clGetKernelSubGroupInfo) F(clGetKernelSuggestedLocalWorkSizeKHR) F(clGetKernelWorkGroupInfo) \
  F(clGetMemAllocInfoINTEL) F(clGetMemObjectInfo) F(clGetMutableCommandInfoKHR) F(clGetPlatformIDs) \
  F(clGetPlatformInfo) F(clGetProgramBuildInfo) F(clGetProgramInfo) F(clGetSamplerInfo) \
  F(clGetSupportedImageFormats) F(clHostMemAllocINTEL) F(clLinkProgram) F(clMemFreeINTEL) \
  F(clReleaseCommandBufferKHR) F(clReleaseCommandQueue) F(clReleaseContext) F(clReleaseDevice) F(clReleaseEvent) \
  F(clReleaseKernel) F(clReleaseMemObject) F(clReleaseProgram) F(clReleaseSampler) F(clRetainCommandBufferKHR) \
  F(clRetainCommandQueue) F(clRetainContext) F(clRetainDevice) F(clRetainEvent) F(clRetainKernel) \
  F(clRetainMemObject) F(clRetainProgram) F(clRetainSampler) F(clSVMAlloc) F(clSVMFree) \
  F(clSetContextDestructorCallback) F(clSetEventCallback) F(clSetKernelArg) F(clSetKernelArgSVMPointer) \
  F(clSetKernelExecInfo) F(clSetMemObjectDestructorCallback) F(clSetProgramReleaseCallback) \
  F(clSetProgramSpecializationConstant) F(clSetUserEventStatus) F(clSharedMemAllocINTEL) F(clUnloadCompiler) \
  F(clUnloadPlatformCompiler) F(clUpdateMutableCommandsKHR) F(clWaitForEvents)
#define DECLARE(name) extern int32_t own_##name() __attribute__((visibility("hidden")));
FUNCTIONS(DECLARE)

/* The functions that are not supported: those that return a code, and those that return an
 * object, and store a code where their last parameter says. */
static int32_t no_command(void) { return INVALID_OPERATION; }

#define NO_OBJECT(count, ...)                           \
  static void *no_object_##count(__VA_ARGS__, int32_t *error) { \
    if (error)                                          \
      *error = INVALID_OPERATION;                       \
    return NULL;                                        \
  }
typedef uintptr_t any;
NO_OBJECT(3, any a, any b)
NO_OBJECT(4, any a, any b, any c)
NO_OBJECT(5, any a, any b, any c, any d)
NO_OBJECT(6, any a, any b, any c, any d, any e)
NO_OBJECT(7, any a, any b, any c, any d, any e, any f)
NO_OBJECT(8, any a, any b, any c, any d, any e, any f, any g)
NO_OBJECT(10, any a, any b, any c, any d, any e, any f, any g, any h, any i)
NO_OBJECT(12, any a, any b, any c, any d, any e, any f, any g, any h, any i, any j, any k)

/* Functions that hosts and the loader ask for by name. */
static const struct {
  const char *name;
  void *function;
} extensions[] = {
    {"clCommandBarrierWithWaitListKHR", (void *)own_clCommandBarrierWithWaitListKHR},
    {"clCommandCopyBufferKHR", (void *)own_clCommandCopyBufferKHR},
    {"clCommandCopyBufferRectKHR", (void *)own_clCommandCopyBufferRectKHR},
    {"clCommandCopyBufferToImageKHR", (void *)own_clCommandCopyBufferToImageKHR},
    {"clCommandCopyImageKHR", (void *)own_clCommandCopyImageKHR},
    {"clCommandCopyImageToBufferKHR", (void *)own_clCommandCopyImageToBufferKHR},
    {"clCommandFillBufferKHR", (void *)own_clCommandFillBufferKHR},
    {"clCommandFillImageKHR", (void *)own_clCommandFillImageKHR},
    {"clCommandNDRangeKernelKHR", (void *)own_clCommandNDRangeKernelKHR},
    {"clCommandSVMMemFillKHR", (void *)own_clCommandSVMMemFillKHR},
    {"clCommandSVMMemcpyKHR", (void *)own_clCommandSVMMemcpyKHR},
    {"clCreateBufferWithPropertiesINTEL", (void *)own_clCreateBufferWithProperties},
    {"clCreateCommandBufferKHR", (void *)own_clCreateCommandBufferKHR},
    {"clCreateCommandQueueWithPropertiesKHR", (void *)own_clCreateCommandQueueWithProperties},
    {"clCreateProgramWithILKHR", (void *)own_clCreateProgramWithIL},
    {"clDeviceMemAllocINTEL", (void *)own_clDeviceMemAllocINTEL},
    {"clEnqueueCommandBufferKHR", (void *)own_clEnqueueCommandBufferKHR},
    {"clEnqueueMemAdviseINTEL", (void *)own_clEnqueueMemAdviseINTEL},
    {"clEnqueueMemFillINTEL", (void *)own_clEnqueueMemFillINTEL},
    {"clEnqueueMemcpyINTEL", (void *)own_clEnqueueMemcpyINTEL},
    {"clEnqueueMemsetINTEL", (void *)own_clEnqueueMemsetINTEL},
    {"clEnqueueMigrateMemINTEL", (void *)own_clEnqueueMigrateMemINTEL},
    {"clEnqueueReadGlobalVariableINTEL", (void *)own_clEnqueueReadGlobalVariableINTEL},
    {"clEnqueueWriteGlobalVariableINTEL", (void *)own_clEnqueueWriteGlobalVariableINTEL},
    {"clFinalizeCommandBufferKHR", (void *)own_clFinalizeCommandBufferKHR},
    {"clGetCommandBufferInfoKHR", (void *)own_clGetCommandBufferInfoKHR},
    {"clGetDeviceFunctionPointerINTEL", (void *)own_clGetDeviceFunctionPointerINTEL},
    {"clGetDeviceGlobalVariablePointerINTEL", (void *)own_clGetDeviceGlobalVariablePointerINTEL},
    {"clGetKernelSubGroupInfoKHR", (void *)own_clGetKernelSubGroupInfo},
    {"clGetKernelSuggestedLocalWorkSizeKHR", (void *)own_clGetKernelSuggestedLocalWorkSizeKHR},
    {"clGetMemAllocInfoINTEL", (void *)own_clGetMemAllocInfoINTEL},
    {"clGetMutableCommandInfoKHR", (void *)own_clGetMutableCommandInfoKHR},
    {"clGetPlatformInfo", (void *)own_clGetPlatformInfo},
    {"clHostMemAllocINTEL", (void *)own_clHostMemAllocINTEL},
    {"clIcdGetPlatformIDsKHR", (void *)own_clGetPlatformIDs},
    {"clMemBlockingFreeINTEL", (void *)own_clMemFreeINTEL},
    {"clMemFreeINTEL", (void *)own_clMemFreeINTEL},
    {"clReleaseCommandBufferKHR", (void *)own_clReleaseCommandBufferKHR},
    {"clRetainCommandBufferKHR", (void *)own_clRetainCommandBufferKHR},
    {"clSetKernelArgMemPointerINTEL", (void *)own_clSetKernelArgSVMPointer},
    {"clSharedMemAllocINTEL", (void *)own_clSharedMemAllocINTEL},
    {"clUpdateMutableCommandsKHR", (void *)own_clUpdateMutableCommandsKHR},
};

__attribute__((visibility("default"))) void *clGetExtensionFunctionAddress(const char *name) {
  for (size_t i = 0; name && i < sizeof extensions / sizeof *extensions; i++)
    if (!strcmp(name, extensions[i].name))
      return extensions[i].function;
  return NULL;
}

static void *address_for_platform(void *platform, const char *name) { return clGetExtensionFunctionAddress(name); }

/* Loaders look for these two, some of them by their symbols. */
__attribute__((visibility("default"))) int32_t clIcdGetPlatformIDsKHR(uint32_t room, void **list, uint32_t *count) {
  return own_clGetPlatformIDs(room, list, count);
}

__attribute__((visibility("default"))) int32_t clGetPlatformInfo(struct object *o, uint32_t param, size_t room, void *out, size_t *size) {
  return own_clGetPlatformInfo(o, param, room, out, size);
}

static const void *const table[] = {
    (void *)own_clGetPlatformIDs,
    (void *)own_clGetPlatformInfo,
    (void *)own_clGetDeviceIDs,
    (void *)own_clGetDeviceInfo,
    (void *)own_clCreateContext,
    (void *)own_clCreateContextFromType,
    (void *)own_clRetainContext,
    (void *)own_clReleaseContext,
    (void *)own_clGetContextInfo,
    (void *)own_clCreateCommandQueue,
    (void *)own_clRetainCommandQueue,
    (void *)own_clReleaseCommandQueue,
    (void *)own_clGetCommandQueueInfo,
    (void *)no_command, /* clSetCommandQueueProperty */
    (void *)own_clCreateBuffer,
    (void *)own_clCreateImage2D,
    (void *)own_clCreateImage3D,
    (void *)own_clRetainMemObject,
    (void *)own_clReleaseMemObject,
    (void *)own_clGetSupportedImageFormats,
    (void *)own_clGetMemObjectInfo,
    (void *)own_clGetImageInfo,
    (void *)own_clCreateSampler,
    (void *)own_clRetainSampler,
    (void *)own_clReleaseSampler,
    (void *)own_clGetSamplerInfo,
    (void *)own_clCreateProgramWithSource,
    (void *)own_clCreateProgramWithBinary,
    (void *)own_clRetainProgram,
    (void *)own_clReleaseProgram,
    (void *)own_clBuildProgram,
    (void *)own_clUnloadCompiler,
    (void *)own_clGetProgramInfo,
    (void *)own_clGetProgramBuildInfo,
    (void *)own_clCreateKernel,
    (void *)own_clCreateKernelsInProgram,
    (void *)own_clRetainKernel,
    (void *)own_clReleaseKernel,
    (void *)own_clSetKernelArg,
    (void *)own_clGetKernelInfo,
    (void *)own_clGetKernelWorkGroupInfo,
    (void *)own_clWaitForEvents,
    (void *)own_clGetEventInfo,
    (void *)own_clRetainEvent,
    (void *)own_clReleaseEvent,
    (void *)own_clGetEventProfilingInfo,
    (void *)own_clFlush,
    (void *)own_clFinish,
    (void *)own_clEnqueueReadBuffer,
    (void *)own_clEnqueueWriteBuffer,
    (void *)own_clEnqueueCopyBuffer,
    (void *)own_clEnqueueReadImage,
    (void *)own_clEnqueueWriteImage,
    (void *)own_clEnqueueCopyImage,
    (void *)own_clEnqueueCopyImageToBuffer,
    (void *)own_clEnqueueCopyBufferToImage,
    (void *)own_clEnqueueMapBuffer,
    (void *)own_clEnqueueMapImage,
    (void *)own_clEnqueueUnmapMemObject,
    (void *)own_clEnqueueNDRangeKernel,
    (void *)own_clEnqueueTask,
    (void *)no_command, /* clEnqueueNativeKernel */
    (void *)own_clEnqueueMarker,
    (void *)own_clEnqueueWaitForEvents,
    (void *)own_clEnqueueBarrier,
    (void *)clGetExtensionFunctionAddress,
    (void *)no_object_4, /* clCreateFromGLBuffer */
    (void *)no_object_6, /* clCreateFromGLTexture2D */
    (void *)no_object_6, /* clCreateFromGLTexture3D */
    (void *)no_object_4, /* clCreateFromGLRenderbuffer */
    (void *)no_command, /* clGetGLObjectInfo */
    (void *)no_command, /* clGetGLTextureInfo */
    (void *)no_command, /* clEnqueueAcquireGLObjects */
    (void *)no_command, /* clEnqueueReleaseGLObjects */
    (void *)no_command, /* clGetGLContextInfoKHR */
    (void *)no_command, /* clGetDeviceIDsFromD3D10KHR */
    (void *)no_object_4, /* clCreateFromD3D10BufferKHR */
    (void *)no_object_5, /* clCreateFromD3D10Texture2DKHR */
    (void *)no_object_5, /* clCreateFromD3D10Texture3DKHR */
    (void *)no_command, /* clEnqueueAcquireD3D10ObjectsKHR */
    (void *)no_command, /* clEnqueueReleaseD3D10ObjectsKHR */
    (void *)own_clSetEventCallback,
    (void *)own_clCreateSubBuffer,
    (void *)own_clSetMemObjectDestructorCallback,
    (void *)own_clCreateUserEvent,
    (void *)own_clSetUserEventStatus,
    (void *)own_clEnqueueReadBufferRect,
    (void *)own_clEnqueueWriteBufferRect,
    (void *)own_clEnqueueCopyBufferRect,
    (void *)no_command, /* clCreateSubDevicesEXT */
    (void *)no_command, /* clRetainDeviceEXT */
    (void *)no_command, /* clReleaseDeviceEXT */
    (void *)no_object_3, /* clCreateEventFromGLsyncKHR */
    (void *)own_clCreateSubDevices,
    (void *)own_clRetainDevice,
    (void *)own_clReleaseDevice,
    (void *)own_clCreateImage,
    (void *)no_object_5, /* clCreateProgramWithBuiltInKernels */
    (void *)own_clCompileProgram,
    (void *)own_clLinkProgram,
    (void *)own_clUnloadPlatformCompiler,
    (void *)own_clGetKernelArgInfo,
    (void *)own_clEnqueueFillBuffer,
    (void *)own_clEnqueueFillImage,
    (void *)own_clEnqueueMigrateMemObjects,
    (void *)own_clEnqueueMarkerWithWaitList,
    (void *)own_clEnqueueBarrierWithWaitList,
    (void *)address_for_platform,
    (void *)no_object_6, /* clCreateFromGLTexture */
    (void *)no_command, /* clGetDeviceIDsFromD3D11KHR */
    (void *)no_object_4, /* clCreateFromD3D11BufferKHR */
    (void *)no_object_5, /* clCreateFromD3D11Texture2DKHR */
    (void *)no_object_5, /* clCreateFromD3D11Texture3DKHR */
    (void *)no_object_6, /* clCreateFromDX9MediaSurfaceKHR */
    (void *)no_command, /* clEnqueueAcquireD3D11ObjectsKHR */
    (void *)no_command, /* clEnqueueReleaseD3D11ObjectsKHR */
    (void *)no_command, /* clGetDeviceIDsFromDX9MediaAdapterKHR */
    (void *)no_command, /* clEnqueueAcquireDX9MediaSurfacesKHR */
    (void *)no_command, /* clEnqueueReleaseDX9MediaSurfacesKHR */
    (void *)no_object_6, /* clCreateFromEGLImageKHR */
    (void *)no_command, /* clEnqueueAcquireEGLObjectsKHR */
    (void *)no_command, /* clEnqueueReleaseEGLObjectsKHR */
    (void *)no_object_4, /* clCreateEventFromEGLSyncKHR */
    (void *)own_clCreateCommandQueueWithProperties,
    (void *)no_object_6, /* clCreatePipe */
    (void *)no_command, /* clGetPipeInfo */
    (void *)own_clSVMAlloc,
    (void *)own_clSVMFree,
    (void *)own_clEnqueueSVMFree,
    (void *)own_clEnqueueSVMMemcpy,
    (void *)own_clEnqueueSVMMemFill,
    (void *)own_clEnqueueSVMMap,
    (void *)own_clEnqueueSVMUnmap,
    (void *)own_clCreateSamplerWithProperties,
    (void *)own_clSetKernelArgSVMPointer,
    (void *)own_clSetKernelExecInfo,
    (void *)own_clGetKernelSubGroupInfo, /* ...KHR */
    (void *)own_clCloneKernel,
    (void *)own_clCreateProgramWithIL,
    (void *)own_clEnqueueSVMMigrateMem,
    (void *)own_clGetDeviceAndHostTimer,
    (void *)own_clGetHostTimer,
    (void *)own_clGetKernelSubGroupInfo,
    (void *)no_command, /* clSetDefaultDeviceCommandQueue */
    (void *)own_clSetProgramReleaseCallback,
    (void *)own_clSetProgramSpecializationConstant,
    (void *)own_clCreateBufferWithProperties,
    (void *)own_clCreateImageWithProperties,
    (void *)own_clSetContextDestructorCallback,
};

uintptr_t offlink_new_native(uintptr_t handle) {
  struct object *o = malloc(sizeof *o);
  if (o)
    *o = (struct object){table, handle};
  return (uintptr_t)o;
}

void offlink_free_native(uintptr_t native) { free((void *)native); }
