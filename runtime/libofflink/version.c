/* version.c: the functions of offlink.h that are the same for every program. */
#include "objects.h"

#ifndef OFFLINK_VERSION
#define OFFLINK_VERSION "devel"
#endif

OFFLINK_EXPORT const char *offlink_version(void) { return OFFLINK_VERSION; }

OFFLINK_EXPORT void offlink_free(void *memory) { free(memory); }

OFFLINK_EXPORT const char *offlink_status_text(offlink_status status) {
  static const char *const texts[] = {"success",
                                      "invalid argument",
                                      "not found",
                                      "device code cannot be linked",
                                      "device code cannot be built",
                                      "the device failed",
                                      "the runtime cannot be used",
                                      "the process was forked",
                                      "timeout",
                                      "aborted",
                                      "not supported by the device"};
  size_t i = (size_t)status;
  return i < sizeof texts / sizeof *texts ? texts[i] : "unknown status";
}
