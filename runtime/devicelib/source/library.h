/* library.h: how the functions of the device library are written. Each one is
 * an image of its own, so that a kernel is linked with no more than it calls.
 *
 * The names and parameters are those that clang's SYCL front ends call: C's
 * <math.h>, <complex.h>, <string.h> and <stdlib.h>, the run-time functions of
 * complex arithmetic, and their twins with the prefix __devicelib_ that
 * DPC++'s device libraries have.
 */
#include <offlink/device.h>

/* An exported function with a name that OpenCL C has for one of its own. */
#define EXPORT(type, name, ...) \
  OFFLINK_EXTERNAL type lib_##name(__VA_ARGS__) __asm(#name); \
  OFFLINK_EXTERNAL type lib_##name(__VA_ARGS__)

/* The same function by its two names. */
#define EXPORT_TWICE(type, name, parameters, body) \
  OFFLINK_EXTERNAL type lib_##name parameters __asm(#name); \
  OFFLINK_EXTERNAL type lib_##name parameters body \
  OFFLINK_EXTERNAL type devicelib_##name parameters __asm("__devicelib_" #name); \
  OFFLINK_EXTERNAL type devicelib_##name parameters body

/* A function of sycl::ext::intel::math by its two names. */
#define IMF(type, name, parameters, value) \
  OFFLINK_EXTERNAL type lib_imf_##name parameters __asm("__imf_" #name); \
  OFFLINK_EXTERNAL type lib_imf_##name parameters { return value; } \
  OFFLINK_EXTERNAL type devicelib_imf_##name parameters __asm("__devicelib_imf_" #name); \
  OFFLINK_EXTERNAL type devicelib_imf_##name parameters { return value; }

/* One without a result, whose body stores them. */
#define IMF_VOID(name, parameters, body) \
  OFFLINK_EXTERNAL void lib_imf_##name parameters __asm("__imf_" #name); \
  OFFLINK_EXTERNAL void lib_imf_##name parameters body \
  OFFLINK_EXTERNAL void devicelib_imf_##name parameters __asm("__devicelib_imf_" #name); \
  OFFLINK_EXTERNAL void devicelib_imf_##name parameters body
