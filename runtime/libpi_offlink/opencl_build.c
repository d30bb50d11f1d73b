/* opencl_build.c: programs, kernels and their arguments. */
#include "opencl.h"

#pragma GCC visibility push(hidden)

typedef void (*notification)(void *program, void *user);

void *own_clCreateProgramWithIL(struct object *context, const void *code, size_t length, int32_t *error) {
  size_t handle = 0;
  if (!code || !length)
    return opencl_failed(INVALID_VALUE, error);
  int32_t result = offlink_piProgramCreate(handle_of(context), (void *)code, length, &handle);
  return opencl_made(result, handle, error);
}

void *own_clCreateProgramWithSource(struct object *context, uint32_t count, const char **texts, const size_t *lengths, int32_t *error) {
  size_t handle = 0;
  int32_t code = offlink_piclProgramCreateWithSource(handle_of(context), count, (void *)texts, (size_t *)lengths, &handle);
  return opencl_made(code, handle, error);
}

void *own_clCreateProgramWithBinary(struct object *context, uint32_t count, void *devices, const size_t *lengths, const uint8_t **codes,
                                    int32_t *status, int32_t *error) {
  size_t handle = 0;
  if (!count || !lengths || !codes)
    return opencl_failed(INVALID_VALUE, error);
  int32_t code = offlink_piProgramCreateWithBinary(handle_of(context), count, devices, (size_t *)lengths, codes, 0, NULL, status, &handle);
  return opencl_made(code, handle, error);
}

int32_t own_clSetProgramSpecializationConstant(struct object *program, uint32_t id, size_t size, const void *value) {
  return opencl_code(offlink_piextProgramSetSpecializationConstant(handle_of(program), id, size, (void *)value));
}

/* Builds end in the call: the host's function is called before it returns. */
int32_t own_clBuildProgram(struct object *program, uint32_t count, void *devices, const char *options, notification ended, void *user) {
  int32_t code = offlink_clCheckBuild(handle_of(program), count, devices, (uintptr_t)ended, (uintptr_t)user);
  if (code)
    return opencl_code(code);
  code = offlink_piProgramBuild(handle_of(program), 0, NULL, (uintptr_t)options, 0, 0);
  if (ended)
    ended(program, user);
  return opencl_code(code);
}

int32_t own_clCompileProgram(struct object *program, uint32_t count, void *devices, const char *options, uint32_t headers, void *programs,
                             void *names, notification ended, void *user) {
  int32_t code = offlink_clCheckBuild(handle_of(program), count, devices, (uintptr_t)ended, (uintptr_t)user);
  if (code)
    return opencl_code(code);
  code = offlink_clCompileProgram(handle_of(program), (uintptr_t)options, headers, programs, names);
  if (ended)
    ended(program, user);
  return opencl_code(code);
}

/* The program is made where the link fails, too: it has the log. */
void *own_clLinkProgram(struct object *context, uint32_t devices, void *device_list, const char *options, uint32_t count,
                        struct object *const *list, notification ended, void *user, int32_t *error) {
  int32_t code = offlink_clCheckBuild(handle_of(context), devices, device_list, (uintptr_t)ended, (uintptr_t)user);
  if (code)
    return opencl_failed(code, error);
  size_t handle = 0, *parts = count && list ? opencl_handles(count, list) : NULL;
  if (!parts)
    return opencl_failed(count && list ? INVALID_PROGRAM : INVALID_VALUE, error);
  code = offlink_clLinkProgram(handle_of(context), (uintptr_t)options, count, parts, &handle);
  free(parts);
  void *made = opencl_made(code, handle, error);
  if (ended && made)
    ended(made, user);
  return made;
}

/* The compiler is a process of its own, which ends with each program: there is nothing to unload. */
int32_t own_clUnloadCompiler(void) { return 0; }
int32_t own_clUnloadPlatformCompiler(void *platform) { return platform ? 0 : INVALID_PLATFORM; }

void *own_clCreateKernel(struct object *program, const char *name, int32_t *error) {
  size_t handle = 0;
  if (!name)
    return opencl_failed(INVALID_VALUE, error);
  int32_t result = offlink_piKernelCreate(handle_of(program), (uintptr_t)name, &handle);
  return opencl_made(result, handle, error);
}

/* The names of a program's kernels, which the caller frees; separated by semicolons. */
static char *kernel_names(struct object *program, int32_t *code) {
  enum { KERNEL_NAMES = 0x1168 };
  size_t size = 0;
  *code = offlink_piProgramGetInfo(handle_of(program), KERNEL_NAMES, 0, NULL, &size);
  char *names = *code ? NULL : malloc(size);
  if (names)
    *code = offlink_piProgramGetInfo(handle_of(program), KERNEL_NAMES, size, names, NULL);
  return names;
}

int32_t own_clCreateKernelsInProgram(struct object *program, uint32_t room, void **kernels, uint32_t *count) {
  int32_t code = 0;
  uint32_t found = 0;
  char *names = kernel_names(program, &code), *rest = NULL;
  if (!names)
    return code ? opencl_code(code) : OUT_OF_HOST_MEMORY;
  for (char *name = strtok_r(names, ";", &rest); name && !code; name = strtok_r(NULL, ";", &rest), found++) {
    if (kernels && found >= room)
      code = INVALID_VALUE;
    else if (kernels)
      kernels[found] = own_clCreateKernel(program, name, &code);
  }
  free(names);
  if (count)
    *count = found;
  return code;
}

void *own_clCloneKernel(struct object *kernel, int32_t *error) {
  size_t handle = 0;
  int32_t code = offlink_clCloneKernel(handle_of(kernel), &handle);
  return opencl_made(code, handle, error);
}

int32_t own_clSetKernelArg(struct object *kernel, uint32_t index, size_t size, const void *value) {
  return opencl_code(offlink_clSetKernelArg(handle_of(kernel), index, size, (void *)value));
}

int32_t own_clSetKernelArgSVMPointer(struct object *kernel, uint32_t index, uintptr_t address) {
  GoUint64 value = address;
  return opencl_code(offlink_piextKernelSetArgPointer(handle_of(kernel), index, sizeof value, &value));
}

/* Kernels may follow every address of the device without being told. */
int32_t own_clSetKernelExecInfo(struct object *kernel, uint32_t param, size_t size, const void *value) {
  return opencl_code(offlink_piKernelSetExecInfo(handle_of(kernel), param, size, (void *)value));
}

int32_t own_clGetDeviceGlobalVariablePointerINTEL(void *device, struct object *program, const char *name, size_t *size, void **address) {
  uintptr_t found = 0;
  if (!name || !address)
    return INVALID_VALUE;
  int32_t code = offlink_piextGetGlobalVariablePointer(0, handle_of(program), (uintptr_t)name, size, &found);
  if (!code)
    *address = (void *)found;
  return opencl_code(code);
}

int32_t own_clGetDeviceFunctionPointerINTEL(void *device, struct object *program, const char *name, uint64_t *address) {
  if (!name || !address)
    return INVALID_VALUE;
  return opencl_code(offlink_piextGetDeviceFunctionPointer(0, handle_of(program), (uintptr_t)name, (void *)address));
}

#pragma GCC visibility pop
