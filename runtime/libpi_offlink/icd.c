/* icd.c: the native handles of this plugin, which hosts take for OpenCL's. DPC++'s
 * runtime knows this library as a back end of OpenCL, so a program may ask for the
 * cl_context of a sycl::context, make a cl_program of SPIR-V with the OpenCL loader, and
 * give that back (dpctl.program does). A native handle is therefore an object as the
 * loader wants it: its first word points to a table of functions (cl_khr_icd; the order
 * is that of CL/cl_icd.h). The functions are those of the plugin, whose interface was
 * modelled on OpenCL's; the others say that they are not supported. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "_cgo_export.h"

enum { NO_COMPILER = -3, OUT_OF_RESOURCES = -5, INVALID_VALUE = -30, INVALID_OPERATION = -59, UNSUPPORTED_FEATURE = -995 };

/* An object of OpenCL: the loader reads the table, this library the handle. */
struct object {
  const void *const *table;
  size_t handle; /* uintptr_t, as Go has it in C */
};

/* OpenCL has no codes for those that only the plugin interface has. */
static int32_t code_of(int32_t code) {
  if (code > UNSUPPORTED_FEATURE)
    return code;
  return code == UNSUPPORTED_FEATURE ? INVALID_OPERATION : OUT_OF_RESOURCES;
}

/* An information whose answer is a handle of the plugin interface. */
static int is_handle(uint32_t param) {
  static const uint32_t handles[] = {
      0x1031 /* platform of a device */, 0x1042 /* its parent */, 0x1081 /* devices of a context */,
      0x1090 /* context of a queue */, 0x1091 /* its device */, 0x1106 /* context of memory */,
      0x1161 /* context of a program */, 0x1163 /* its devices */, 0x1193 /* context of a kernel */,
      0x1194 /* its program */, 0x11D0 /* queue of an event */, 0x11D4 /* its context */,
  };
  for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
    if (handles[i] == param)
      return 1;
  return 0;
}

/* Native handles in the place of those of an answer of so many bytes. */
static void to_native(uint32_t param, uintptr_t *out, size_t bytes) {
  for (size_t i = 0; out && is_handle(param) && i < bytes / sizeof *out; i++)
    out[i] = offlink_native_of(out[i]);
}

/* An object that the plugin made, or an error. */
static void *made(int32_t code, uintptr_t handle, int32_t *error) {
  if (error)
    *error = code_of(code);
  return code ? NULL : (void *)offlink_native_of(handle);
}

#define SIMPLE(name, plugin) \
  static int32_t own_##name(struct object *o) { return code_of(offlink_##plugin(o->handle)); }
SIMPLE(clRetainDevice, piDeviceRetain)
SIMPLE(clReleaseDevice, piDeviceRelease)
SIMPLE(clRetainContext, piContextRetain)
SIMPLE(clReleaseContext, piContextRelease)
SIMPLE(clRetainCommandQueue, piQueueRetain)
SIMPLE(clReleaseCommandQueue, piQueueRelease)
SIMPLE(clRetainMemObject, piMemRetain)
SIMPLE(clReleaseMemObject, piMemRelease)
SIMPLE(clRetainProgram, piProgramRetain)
SIMPLE(clReleaseProgram, piProgramRelease)
SIMPLE(clRetainKernel, piKernelRetain)
SIMPLE(clReleaseKernel, piKernelRelease)
SIMPLE(clRetainEvent, piEventRetain)
SIMPLE(clReleaseEvent, piEventRelease)
SIMPLE(clFlush, piQueueFlush)
SIMPLE(clFinish, piQueueFinish)

#define INFO(name, plugin)                                                                          \
  static int32_t own_##name(struct object *o, uint32_t param, size_t room, void *out, size_t *size) { \
    size_t bytes = 0;                                                                               \
    int32_t code = offlink_##plugin(o->handle, param, room, out, &bytes);                           \
    if (!code)                                                                                      \
      to_native(param, out, bytes);                                                                 \
    if (size)                                                                                       \
      *size = bytes;                                                                                \
    return code_of(code);                                                                           \
  }
INFO(clGetPlatformInfo, piPlatformGetInfo)
INFO(clGetDeviceInfo, piDeviceGetInfo)
INFO(clGetContextInfo, piContextGetInfo)
INFO(clGetCommandQueueInfo, piQueueGetInfo)
INFO(clGetMemObjectInfo, piMemGetInfo)
INFO(clGetProgramInfo, piProgramGetInfo)
INFO(clGetKernelInfo, piKernelGetInfo)
INFO(clGetEventInfo, piEventGetInfo)
INFO(clGetEventProfilingInfo, piEventGetProfilingInfo)

/* The two that have a device too: the answer is the same for all. */
#define DEVICE_INFO(name, plugin)                                                                                   \
  static int32_t own_##name(struct object *o, void *device, uint32_t param, size_t room, void *out, size_t *size) { \
    return code_of(offlink_##plugin(o->handle, 0, param, room, out, size));                              \
  }
DEVICE_INFO(clGetProgramBuildInfo, piProgramGetBuildInfo)
DEVICE_INFO(clGetKernelWorkGroupInfo, piKernelGetGroupInfo)

static int32_t own_clGetDeviceIDs(struct object *platform, uint64_t type, uint32_t room, size_t *list, uint32_t *count) {
  uint32_t found = 0;
  int32_t code = offlink_piDevicesGet(platform->handle, type, room, list, &found);
  if (count)
    *count = found;
  if (!code && !found)
    return -1; /* CL_DEVICE_NOT_FOUND */
  if (!code && list)
    *list = offlink_native_of(*list);
  return code_of(code);
}

static int32_t own_clCreateSubDevices(struct object *device, const void *properties, uint32_t room, size_t *list, uint32_t *count) {
  uint32_t found = 0;
  int32_t code = offlink_piDevicePartition(device->handle, (void *)properties, room, list, &found);
  for (uint32_t i = 0; !code && list && i < found; i++)
    list[i] = offlink_native_of(list[i]);
  if (count)
    *count = found;
  return code_of(code);
}

static void *own_clCreateProgramWithIL(struct object *context, const void *code, size_t length, int32_t *error) {
  size_t handle = 0;
  int32_t result = offlink_piProgramCreate(context->handle, (void *)code, length, &handle);
  return made(result, handle, error);
}

static int32_t own_clSetProgramSpecializationConstant(struct object *program, uint32_t id, size_t size, const void *value) {
  return code_of(offlink_piextProgramSetSpecializationConstant(program->handle, id, size, (void *)value));
}

static int32_t own_clBuildProgram(struct object *program, uint32_t count, const void *devices, const char *options,
                                  void (*ended)(void *, void *), void *user) {
  int32_t code = offlink_piProgramBuild(program->handle, 0, NULL, (uintptr_t)options, 0, 0);
  if (ended)
    ended(program, user);
  return code_of(code);
}

static void *own_clCreateKernel(struct object *program, const char *name, int32_t *error) {
  size_t handle = 0;
  int32_t result = offlink_piKernelCreate(program->handle, (uintptr_t)name, &handle);
  return made(result, handle, error);
}

static int32_t own_clSetKernelArg(struct object *kernel, uint32_t index, size_t size, const size_t *value) {
  uintptr_t handle = value && size == sizeof *value ? offlink_handle_of(*value) : 0;
  return code_of(offlink_piKernelSetArg(kernel->handle, index, size, handle ? (void *)&handle : (void *)value));
}

static int32_t own_clSetKernelArgSVMPointer(struct object *kernel, uint32_t index, uintptr_t address) {
  GoUint64 value = address;
  return code_of(offlink_piextKernelSetArgPointer(kernel->handle, index, sizeof value, &value));
}

static int32_t own_clWaitForEvents(uint32_t count, struct object *const *list) {
  if (!count || !list)
    return INVALID_VALUE;
  int32_t first = 0;
  for (uint32_t i = 0; i < count; i++) {
    int32_t code = offlink_piEventsWait(1, (size_t *)&list[i]->handle);
    first = first ? first : code;
  }
  return code_of(first);
}

/* The functions that are not supported: those that return a code, and those that return an
 * object, and store a code where their last parameter says. */
static int32_t no_command(void) { return INVALID_OPERATION; }
static void *no_address(void) { return NULL; }
static void no_release(void) {}

#define NO_OBJECT(count, ...)                           \
  static void *no_object_##count(__VA_ARGS__, int32_t *error) { \
    if (error)                                          \
      *error = INVALID_OPERATION;                       \
    return NULL;                                        \
  }
typedef uintptr_t any;
NO_OBJECT(2, any a)
NO_OBJECT(3, any a, any b)
NO_OBJECT(4, any a, any b, any c)
NO_OBJECT(5, any a, any b, any c, any d)
NO_OBJECT(6, any a, any b, any c, any d, any e)
NO_OBJECT(7, any a, any b, any c, any d, any e, any f)
NO_OBJECT(8, any a, any b, any c, any d, any e, any f, any g)
NO_OBJECT(9, any a, any b, any c, any d, any e, any f, any g, any h)
NO_OBJECT(10, any a, any b, any c, any d, any e, any f, any g, any h, any i)
NO_OBJECT(12, any a, any b, any c, any d, any e, any f, any g, any h, any i, any j, any k)

/* Sources in OpenCL C: the device takes SPIR-V. */
static void *no_source(any context, any count, any texts, any lengths, int32_t *error) {
  if (error)
    *error = NO_COMPILER;
  return NULL;
}

static const void *const table[] = {
    (void *)no_command, /* clGetPlatformIDs */
    (void *)own_clGetPlatformInfo,
    (void *)own_clGetDeviceIDs,
    (void *)own_clGetDeviceInfo,
    (void *)no_object_6, /* clCreateContext */
    (void *)no_object_5, /* clCreateContextFromType */
    (void *)own_clRetainContext,
    (void *)own_clReleaseContext,
    (void *)own_clGetContextInfo,
    (void *)no_object_4, /* clCreateCommandQueue */
    (void *)own_clRetainCommandQueue,
    (void *)own_clReleaseCommandQueue,
    (void *)own_clGetCommandQueueInfo,
    (void *)no_command, /* clSetCommandQueueProperty */
    (void *)no_object_5, /* clCreateBuffer */
    (void *)no_object_8, /* clCreateImage2D */
    (void *)no_object_10, /* clCreateImage3D */
    (void *)own_clRetainMemObject,
    (void *)own_clReleaseMemObject,
    (void *)no_command, /* clGetSupportedImageFormats */
    (void *)own_clGetMemObjectInfo,
    (void *)no_command, /* clGetImageInfo */
    (void *)no_object_5, /* clCreateSampler */
    (void *)no_command, /* clRetainSampler */
    (void *)no_command, /* clReleaseSampler */
    (void *)no_command, /* clGetSamplerInfo */
    (void *)no_source, /* clCreateProgramWithSource */
    (void *)no_object_7, /* clCreateProgramWithBinary */
    (void *)own_clRetainProgram,
    (void *)own_clReleaseProgram,
    (void *)own_clBuildProgram,
    (void *)no_command, /* clUnloadCompiler */
    (void *)own_clGetProgramInfo,
    (void *)own_clGetProgramBuildInfo,
    (void *)own_clCreateKernel,
    (void *)no_command, /* clCreateKernelsInProgram */
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
    (void *)no_command, /* clEnqueueReadBuffer */
    (void *)no_command, /* clEnqueueWriteBuffer */
    (void *)no_command, /* clEnqueueCopyBuffer */
    (void *)no_command, /* clEnqueueReadImage */
    (void *)no_command, /* clEnqueueWriteImage */
    (void *)no_command, /* clEnqueueCopyImage */
    (void *)no_command, /* clEnqueueCopyImageToBuffer */
    (void *)no_command, /* clEnqueueCopyBufferToImage */
    (void *)no_object_10, /* clEnqueueMapBuffer */
    (void *)no_object_12, /* clEnqueueMapImage */
    (void *)no_command, /* clEnqueueUnmapMemObject */
    (void *)no_command, /* clEnqueueNDRangeKernel */
    (void *)no_command, /* clEnqueueTask */
    (void *)no_command, /* clEnqueueNativeKernel */
    (void *)no_command, /* clEnqueueMarker */
    (void *)no_command, /* clEnqueueWaitForEvents */
    (void *)no_command, /* clEnqueueBarrier */
    (void *)no_address, /* clGetExtensionFunctionAddress */
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
    (void *)no_command, /* clSetEventCallback */
    (void *)no_object_5, /* clCreateSubBuffer */
    (void *)no_command, /* clSetMemObjectDestructorCallback */
    (void *)no_object_2, /* clCreateUserEvent */
    (void *)no_command, /* clSetUserEventStatus */
    (void *)no_command, /* clEnqueueReadBufferRect */
    (void *)no_command, /* clEnqueueWriteBufferRect */
    (void *)no_command, /* clEnqueueCopyBufferRect */
    (void *)no_command, /* clCreateSubDevicesEXT */
    (void *)no_command, /* clRetainDeviceEXT */
    (void *)no_command, /* clReleaseDeviceEXT */
    (void *)no_object_3, /* clCreateEventFromGLsyncKHR */
    (void *)own_clCreateSubDevices,
    (void *)own_clRetainDevice,
    (void *)own_clReleaseDevice,
    (void *)no_object_6, /* clCreateImage */
    (void *)no_object_5, /* clCreateProgramWithBuiltInKernels */
    (void *)no_command, /* clCompileProgram */
    (void *)no_object_9, /* clLinkProgram */
    (void *)no_command, /* clUnloadPlatformCompiler */
    (void *)no_command, /* clGetKernelArgInfo */
    (void *)no_command, /* clEnqueueFillBuffer */
    (void *)no_command, /* clEnqueueFillImage */
    (void *)no_command, /* clEnqueueMigrateMemObjects */
    (void *)no_command, /* clEnqueueMarkerWithWaitList */
    (void *)no_command, /* clEnqueueBarrierWithWaitList */
    (void *)no_address, /* clGetExtensionFunctionAddressForPlatform */
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
    (void *)no_object_4, /* clCreateCommandQueueWithProperties */
    (void *)no_object_6, /* clCreatePipe */
    (void *)no_command, /* clGetPipeInfo */
    (void *)no_address, /* clSVMAlloc */
    (void *)no_release, /* clSVMFree */
    (void *)no_command, /* clEnqueueSVMFree */
    (void *)no_command, /* clEnqueueSVMMemcpy */
    (void *)no_command, /* clEnqueueSVMMemFill */
    (void *)no_command, /* clEnqueueSVMMap */
    (void *)no_command, /* clEnqueueSVMUnmap */
    (void *)no_object_3, /* clCreateSamplerWithProperties */
    (void *)own_clSetKernelArgSVMPointer,
    (void *)no_command, /* clSetKernelExecInfo */
    (void *)no_command, /* clGetKernelSubGroupInfoKHR */
    (void *)no_object_2, /* clCloneKernel */
    (void *)own_clCreateProgramWithIL,
    (void *)no_command, /* clEnqueueSVMMigrateMem */
    (void *)no_command, /* clGetDeviceAndHostTimer */
    (void *)no_command, /* clGetHostTimer */
    (void *)no_command, /* clGetKernelSubGroupInfo */
    (void *)no_command, /* clSetDefaultDeviceCommandQueue */
    (void *)no_command, /* clSetProgramReleaseCallback */
    (void *)own_clSetProgramSpecializationConstant,
    (void *)no_object_6, /* clCreateBufferWithProperties */
    (void *)no_object_7, /* clCreateImageWithProperties */
    (void *)no_command, /* clSetContextDestructorCallback */
};

uintptr_t offlink_new_native(uintptr_t handle) {
  struct object *o = malloc(sizeof *o);
  if (o)
    *o = (struct object){table, handle};
  return (uintptr_t)o;
}

void offlink_free_native(uintptr_t native) { free((void *)native); }
