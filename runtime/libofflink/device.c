/* device.c: devices. */
#include "objects.h"

OFFLINK_EXPORT offlink_status offlink_device_open(const char *selector, offlink_device **device) {
  REQUIRE(device);
  struct offlink_call call = {.function = OFFLINK_CORE_DEVICE_OPEN, .text = selector ? selector : "", .exit_begun = offlink_exit_has_begun()};
  offlink_status status;
  offlink_device *d = offlink_create(&call, sizeof *d, &status);
  if (!d)
    return status;
  *d = (offlink_device){call.created, call.name, call.quick, NULL};
  *device = d;
  return OFFLINK_OK;
}

OFFLINK_EXPORT const char *offlink_device_name(const offlink_device *device) { return device ? device->name : ""; }

OFFLINK_EXPORT void offlink_device_close(offlink_device *device) {
  if (!device)
    return;
  offlink_end_handle(device->handle, 0);
  free(device->name);
  free(device->info);
  free(device);
}

OFFLINK_EXPORT offlink_status offlink_device_list(char ***selectors, size_t *count) {
  REQUIRE(selectors);
  REQUIRE(count);
  struct offlink_call call = {.function = OFFLINK_CORE_DEVICE_LIST, .exit_begun = offlink_exit_has_begun()};
  offlink_status status = offlink_perform(&call);
  if (status)
    return status;
  *selectors = call.names;
  *count = call.count;
  return OFFLINK_OK;
}

/* Several threads may ask at once: the first answer stays. */
OFFLINK_EXPORT const offlink_device_info *offlink_device_query(offlink_device *device) {
  if (!device) {
    offlink_fail(OFFLINK_ERROR_INVALID, "%s: device is NULL", __func__);
    return NULL;
  }
  offlink_device_info *info = __atomic_load_n(&device->info, __ATOMIC_ACQUIRE), *none = NULL;
  if (info)
    return info;
  struct offlink_call call = {.function = OFFLINK_CORE_DEVICE_QUERY, .object = device->handle};
  if (offlink_perform(&call))
    return NULL;
  info = call.address;
  if (__atomic_compare_exchange_n(&device->info, &none, info, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return info;
  free(info);
  return none;
}

/* Aspects and extensions have different spellings, so that one function serves
 * both lists. */
static int has_name(const char *const *list, const char *name) {
  for (; *list; list++)
    if (!strcmp(*list, name))
      return 1;
  return 0;
}

OFFLINK_EXPORT int offlink_device_has(offlink_device *device, const char *name) {
  const offlink_device_info *info = name ? offlink_device_query(device) : NULL;
  return info && (has_name(info->aspects, name) || has_name(info->extensions, name));
}

OFFLINK_EXPORT offlink_status offlink_device_native(offlink_device *device, uint64_t *handle) {
  REQUIRE(device);
  REQUIRE(handle);
  return offlink_native(device->handle, handle);
}
