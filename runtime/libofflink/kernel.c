/* kernel.c: kernels, device code from files. */
#include "objects.h"

OFFLINK_EXPORT offlink_status offlink_kernel_names(char ***names, size_t *count) {
  REQUIRE(names);
  REQUIRE(count);
  struct offlink_call call = {.function = OFFLINK_CORE_KERNEL_NAMES};
  offlink_status status = offlink_perform(&call);
  if (status)
    return status;
  *names = call.names;
  *count = call.count;
  return OFFLINK_OK;
}

OFFLINK_EXPORT offlink_status offlink_kernel_open(offlink_device *device, const void *module, const char *name,
                                                  offlink_kernel **kernel) {
  REQUIRE(device);
  REQUIRE(name);
  REQUIRE(kernel);
  return offlink_kernel_open_with(device, module, name, NULL, kernel);
}

/* Copies the options that the caller's version of the struct has. */
static offlink_status fill_options(struct offlink_call *call, const offlink_kernel_options *options) {
  if (!options)
    return OFFLINK_OK;
  REQUIRE_SIZE(options, offlink_kernel_options, flags);
  if (options->constant_count && !options->constants)
    return offlink_fail(OFFLINK_ERROR_INVALID, "offlink_kernel_options.constants is NULL");
  if (options->function_count && !options->functions)
    return offlink_fail(OFFLINK_ERROR_INVALID, "offlink_kernel_options.functions is NULL");
  if (options->flags & ~(unsigned)OFFLINK_KERNEL_REFUSE_DUPLICATES)
    return offlink_fail(OFFLINK_ERROR_INVALID, "%u are not flags of offlink_kernel_flags", options->flags);
  call->constants = options->constants;
  call->constant_count = options->constant_count;
  call->functions = options->functions;
  call->function_count = options->function_count;
  call->flags = options->flags;
  return OFFLINK_OK;
}

OFFLINK_EXPORT offlink_status offlink_kernel_open_with(offlink_device *device, const void *module, const char *name,
                                                       const offlink_kernel_options *options,
                                                       offlink_kernel **kernel) {
  REQUIRE(device);
  REQUIRE(name);
  REQUIRE(kernel);
  struct offlink_call call = {.function = OFFLINK_CORE_KERNEL_OPEN,
                              .object = device->handle,
                              .base = offlink_module_base(module),
                              .text = name};
  offlink_status status = fill_options(&call, options);
  if (status)
    return status;
  offlink_kernel *k = offlink_create(&call, sizeof *k, &status);
  if (!k)
    return status;
  *k = (offlink_kernel){call.created, call.count, 0, NULL, NULL};
  *kernel = k;
  return OFFLINK_OK;
}

OFFLINK_EXPORT size_t offlink_kernel_arg_count(const offlink_kernel *kernel) { return kernel ? kernel->arg_count : 0; }

/* Several threads may ask at once: the first answer stays. */
OFFLINK_EXPORT const offlink_kernel_info *offlink_kernel_query(offlink_kernel *kernel) {
  if (!kernel) {
    offlink_fail(OFFLINK_ERROR_INVALID, "%s: kernel is NULL", __func__);
    return NULL;
  }
  offlink_kernel_info *info = __atomic_load_n(&kernel->info, __ATOMIC_ACQUIRE), *none = NULL;
  if (info)
    return info;
  struct offlink_call call = {.function = OFFLINK_CORE_KERNEL_QUERY, .object = kernel->handle};
  if (offlink_perform(&call))
    return NULL;
  info = call.address;
  if (__atomic_compare_exchange_n(&kernel->info, &none, info, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return info;
  free(info);
  return none;
}

OFFLINK_EXPORT offlink_status offlink_function_pointer(offlink_kernel *kernel, const char *function,
                                                       uint64_t *pointer) {
  REQUIRE(kernel);
  REQUIRE(function);
  REQUIRE(pointer);
  struct offlink_call call = {.function = OFFLINK_CORE_FUNCTION_POINTER, .object = kernel->handle, .text = function};
  offlink_status status = offlink_perform(&call);
  if (!status)
    *pointer = call.number;
  return status;
}

OFFLINK_EXPORT offlink_status offlink_kernel_native(offlink_kernel *kernel, uint64_t *handle) {
  REQUIRE(kernel);
  REQUIRE(handle);
  return offlink_native(kernel->handle, handle);
}

OFFLINK_EXPORT void offlink_kernel_close(offlink_kernel *kernel) {
  if (!kernel)
    return;
  offlink_end_handle(kernel->handle, 0);
  free(kernel->info);
  free(kernel);
}

OFFLINK_EXPORT offlink_status offlink_dlopen_device_code(const char *path, offlink_code **code) {
  REQUIRE(path);
  REQUIRE(code);
  struct offlink_call call = {.function = OFFLINK_CORE_CODE_OPEN, .text = path};
  offlink_status status;
  offlink_code *c = offlink_create(&call, sizeof *c, &status);
  if (!c)
    return status;
  *c = (offlink_code){call.created, call.address};
  *code = c;
  return OFFLINK_OK;
}

OFFLINK_EXPORT const void *offlink_code_module(const offlink_code *code) { return code ? code->module : NULL; }

OFFLINK_EXPORT void offlink_dlclose_device_code(offlink_code *code) {
  if (code)
    offlink_end_handle(code->handle, 0);
  free(code);
}
