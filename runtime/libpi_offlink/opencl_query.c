/* opencl_query.c: counts of uses, queries, platforms, devices and contexts. */
#include "opencl.h"

#pragma GCC visibility push(hidden)

int32_t opencl_code(int32_t code) {
  if (code > UNSUPPORTED_FEATURE || (code <= INVALID_COMMAND_BUFFER && code >= INVALID_MUTABLE_COMMAND))
    return code;
  return code == UNSUPPORTED_FEATURE ? INVALID_OPERATION : OUT_OF_RESOURCES;
}

void *opencl_failed(int32_t code, int32_t *error) {
  if (error)
    *error = opencl_code(code);
  return NULL;
}

void *opencl_made(int32_t code, uintptr_t handle, int32_t *error) {
  void *made = handle ? (void *)offlink_native_of(handle) : NULL;
  if (error)
    *error = !code && !made ? OUT_OF_HOST_MEMORY : opencl_code(code);
  return made;
}

size_t *opencl_handles(uint32_t count, struct object *const *list) {
  size_t *handles = malloc(count * sizeof *handles);
  for (uint32_t i = 0; handles && i < count; i++) {
    if (!list[i]) {
      free(handles);
      return NULL;
    }
    handles[i] = list[i]->handle;
  }
  return handles;
}

/* An information whose answer is a handle of the plugin interface. */
static int is_handle(uint32_t param) {
  static const uint32_t handles[] = {
      0x1031 /* platform of a device */, 0x1042 /* its parent */, 0x1081 /* devices of a context */,
      0x1090 /* context of a queue */, 0x1091 /* its device */, 0x1106 /* context of memory */,
      0x1107 /* the buffer of a part */, 0x1118 /* and of an image */, 0x1151 /* context of a sampler */, 0x1161 /* context of a program */, 0x1163 /* its devices */,
      0x1193 /* context of a kernel */, 0x1194 /* its program */, 0x11D0 /* queue of an event */,
      0x11D4 /* its context */, 0x1294 /* queue of a command buffer */, 0x1299 /* its context */,
      0x12A0 /* queue of a mutable command */, 0x12A1 /* its command buffer */, 0x12A3 /* its kernel */, 0x419D /* device of an allocation */,
  };
  for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
    if (handles[i] == param)
      return 1;
  return 0;
}

/* Makes the answer to a query OpenCL's: native handles, and codes. */
static void adapt_answer(uint32_t param, void *out, size_t bytes) {
  enum { COMMAND_STATUS = 0x11D3 };
  if (!out)
    return;
  if (param == COMMAND_STATUS && bytes == sizeof(int32_t))
    *(int32_t *)out = opencl_code(*(int32_t *)out);
  uintptr_t *words = out;
  for (size_t i = 0; is_handle(param) && i < bytes / sizeof *words; i++)
    words[i] = offlink_native_of(words[i]);
}

#define SIMPLE(name, plugin, missing) \
  int32_t own_##name(struct object *o) { return o ? opencl_code(offlink_##plugin(o->handle)) : missing; }
SIMPLE(clRetainDevice, piDeviceRetain, INVALID_DEVICE)
SIMPLE(clReleaseDevice, piDeviceRelease, INVALID_DEVICE)
SIMPLE(clRetainContext, piContextRetain, INVALID_CONTEXT)
SIMPLE(clReleaseContext, piContextRelease, INVALID_CONTEXT)
SIMPLE(clRetainCommandQueue, piQueueRetain, INVALID_VALUE)
SIMPLE(clReleaseCommandQueue, clReleaseQueue, INVALID_VALUE)
SIMPLE(clRetainMemObject, piMemRetain, INVALID_MEM_OBJECT)
SIMPLE(clReleaseMemObject, piMemRelease, INVALID_MEM_OBJECT)
SIMPLE(clRetainProgram, piProgramRetain, INVALID_PROGRAM)
SIMPLE(clReleaseProgram, piProgramRelease, INVALID_PROGRAM)
SIMPLE(clRetainKernel, piKernelRetain, INVALID_KERNEL)
SIMPLE(clReleaseKernel, piKernelRelease, INVALID_KERNEL)
SIMPLE(clRetainEvent, piEventRetain, INVALID_EVENT)
SIMPLE(clReleaseEvent, piEventRelease, INVALID_EVENT)
SIMPLE(clFinalizeCommandBufferKHR, clFinalizeCommandBuffer, INVALID_COMMAND_BUFFER)
SIMPLE(clRetainCommandBufferKHR, clRetainCommandBuffer, INVALID_COMMAND_BUFFER)
SIMPLE(clReleaseCommandBufferKHR, clReleaseCommandBuffer, INVALID_COMMAND_BUFFER)
SIMPLE(clFlush, piQueueFlush, INVALID_VALUE)
SIMPLE(clFinish, piQueueFinish, INVALID_VALUE)

#define INFO(name, plugin)                                                                         \
  int32_t own_##name(struct object *o, uint32_t param, size_t room, void *out, size_t *size) { \
    size_t bytes = 0;                                                                              \
    int32_t code = offlink_##plugin(handle_of(o), param, room, out, &bytes);                       \
    if (!code)                                                                                     \
      adapt_answer(param, out, bytes);                                                             \
    if (size)                                                                                      \
      *size = bytes;                                                                               \
    return opencl_code(code);                                                                      \
  }
INFO(clGetPlatformInfo, piPlatformGetInfo)
INFO(clGetDeviceInfo, clGetDeviceInfo)
INFO(clGetContextInfo, piContextGetInfo)
INFO(clGetCommandQueueInfo, piQueueGetInfo)
INFO(clGetMemObjectInfo, piMemGetInfo)
INFO(clGetImageInfo, clGetImageInfo)
INFO(clGetSamplerInfo, clGetSamplerInfo)
INFO(clGetProgramInfo, piProgramGetInfo)
INFO(clGetKernelInfo, piKernelGetInfo)
INFO(clGetCommandBufferInfoKHR, clGetCommandBufferInfo)
INFO(clGetMutableCommandInfoKHR, clGetMutableCommandInfo)
INFO(clGetEventInfo, piEventGetInfo)
INFO(clGetEventProfilingInfo, piEventGetProfilingInfo)

/* The two that have a device too: the answer is the same for all. */
#define DEVICE_INFO(name, plugin)                                                                                    \
  int32_t own_##name(struct object *o, void *device, uint32_t param, size_t room, void *out, size_t *size) { \
    return opencl_code(offlink_##plugin(handle_of(o), 0, param, room, out, size));                                   \
  }
DEVICE_INFO(clGetProgramBuildInfo, piProgramGetBuildInfo)
DEVICE_INFO(clGetKernelWorkGroupInfo, piKernelGetGroupInfo)

int32_t own_clGetKernelSubGroupInfo(struct object *kernel, void *device, uint32_t param, size_t given, const void *input, size_t room,
                                    void *out, size_t *size) {
  return opencl_code(offlink_clGetKernelSubGroupInfo(handle_of(kernel), param, given, (void *)input, room, out, size));
}

int32_t own_clGetKernelSuggestedLocalWorkSizeKHR(struct object *queue, struct object *kernel, uint32_t dimensions, const size_t *offset,
                                                 const size_t *global, size_t *local) {
  return opencl_code(offlink_clGetKernelSuggestedLocalWorkSizeKHR(handle_of(queue), handle_of(kernel), dimensions, (size_t *)offset,
                                                                  (size_t *)global, local));
}

int32_t own_clGetKernelArgInfo(struct object *kernel, uint32_t index, uint32_t param, size_t room, void *out, size_t *size) {
  return opencl_code(offlink_clGetKernelArgInfo(handle_of(kernel), index, param, room, out, size));
}

int32_t own_clGetMemAllocInfoINTEL(struct object *context, void *address, uint32_t param, size_t room, void *out, size_t *size) {
  size_t bytes = 0;
  int32_t code = offlink_piextUSMGetMemAllocInfo(handle_of(context), (uintptr_t)address, param, room, out, &bytes);
  if (!code)
    adapt_answer(param, out, bytes);
  if (size)
    *size = bytes;
  return opencl_code(code);
}

int32_t own_clGetPlatformIDs(uint32_t room, void **list, uint32_t *count) {
  size_t handle = 0;
  int32_t code = offlink_piPlatformsGet(1, &handle, NULL);
  if (code || (!list && !count) || (list && !room))
    return code ? opencl_code(code) : INVALID_VALUE;
  if (list)
    *list = (void *)offlink_native_of(handle);
  if (count)
    *count = 1;
  return 0;
}

int32_t own_clGetDeviceIDs(struct object *platform, uint64_t type, uint32_t room, size_t *list, uint32_t *count) {
  uint32_t found = 0;
  if ((list && !room) || (!list && !count))
    return INVALID_VALUE;
  int32_t code = offlink_piDevicesGet(handle_of(platform), type, room, list, &found);
  if (count)
    *count = found;
  if (!code && !found)
    return DEVICE_NOT_FOUND;
  if (!code && list)
    *list = offlink_native_of(*list);
  return opencl_code(code);
}

int32_t own_clCreateSubDevices(struct object *device, const void *properties, uint32_t room, size_t *list, uint32_t *count) {
  uint32_t found = 0;
  int32_t code = offlink_piDevicePartition(handle_of(device), (void *)properties, room, list, &found);
  for (uint32_t i = 0; !code && list && i < found; i++)
    list[i] = offlink_native_of(list[i]);
  if (count)
    *count = found;
  return opencl_code(code);
}

/* Errors of contexts go to the calls that meet them: notify is not called. */
void *own_clCreateContext(const intptr_t *properties, uint32_t count, struct object *const *devices, void *notify, void *user, int32_t *error) {
  size_t handle = 0, *list = count && devices ? opencl_handles(count, devices) : NULL;
  if (!list)
    return opencl_failed(count && devices ? INVALID_DEVICE : INVALID_VALUE, error);
  int32_t code = offlink_piContextCreate(NULL, count, list, 0, 0, &handle);
  free(list);
  if (!code)
    code = offlink_clKeepProperties(handle, (void *)properties);
  return opencl_made(code, handle, error);
}

void *own_clCreateContextFromType(const intptr_t *properties, uint64_t type, void *notify, void *user, int32_t *error) {
  struct object *device = NULL;
  int32_t code = own_clGetDeviceIDs(NULL, type, 1, (size_t *)&device, NULL);
  if (code)
    return opencl_failed(code, error);
  return own_clCreateContext(properties, 1, &device, notify, user, error);
}

static int32_t at_end(struct object *o, void (*ended)(), void *user) {
  return opencl_code(offlink_clAtEnd(handle_of(o), (uintptr_t)o, (uintptr_t)ended, (uintptr_t)user));
}
int32_t own_clSetContextDestructorCallback(struct object *o, void (*ended)(), void *user) { return at_end(o, ended, user); }
int32_t own_clSetMemObjectDestructorCallback(struct object *o, void (*ended)(), void *user) { return at_end(o, ended, user); }
int32_t own_clSetProgramReleaseCallback(struct object *o, void (*ended)(), void *user) { return at_end(o, ended, user); }

int32_t own_clGetDeviceAndHostTimer(struct object *device, uint64_t *on_device, uint64_t *on_host) {
  unsigned long long times[2] = {0};
  if (!on_device || !on_host)
    return INVALID_VALUE;
  int32_t code = offlink_piGetDeviceAndHostTimer(handle_of(device), &times[0], &times[1]);
  *on_device = times[0], *on_host = times[1];
  return opencl_code(code);
}

int32_t own_clGetHostTimer(struct object *device, uint64_t *on_host) {
  uint64_t on_device;
  return own_clGetDeviceAndHostTimer(device, &on_device, on_host);
}

#pragma GCC visibility pop
