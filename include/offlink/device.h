/* device.h: macros for device code that a stock clang compiles, so that
 * postlink knows which functions and variables are for others.
 *
 *   OFFLINK_EXTERNAL        a function that other device modules may call, or
 *                           that this module calls from another
 *   OFFLINK_KERNEL          a kernel; a template or inline one is emitted too
 *   OFFLINK_DEVICE_GLOBAL   a variable that the host can read and write
 *   OFFLINK_SPEC_CONSTANT   C++: a constant that the host sets before the
 *                           kernel is built
 *
 *   // lib.cl                                  // app.cl
 *   #include <offlink/device.h>                #include <offlink/device.h>
 *   OFFLINK_EXTERNAL                           OFFLINK_EXTERNAL int LibDeviceFunc(int i);
 *   int LibDeviceFunc(int i) {                 OFFLINK_KERNEL void app(OFFLINK_GLOBAL int *out) {
 *     return i * 2;                              size_t i = get_global_id(0);
 *   }                                            out[i] = LibDeviceFunc((int)i);
 *                                              }
 *
 * The languages, for the target spir64-unknown-unknown, with clang 14 to 19, and
 * for nvptx64-nvidia-cuda, with clang 19:
 *
 *   OpenCL C          -x cl -cl-std=CL3.0
 *   C++ for OpenCL    -x clcpp, or -x cl -cl-std=clc++
 *   C, C++            -x c, -x c++. They cannot express a kernel's
 *                     calling convention: OFFLINK_KERNEL annotates it and
 *                     postlink changes the definition. Pointer parameters of
 *                     kernels are OFFLINK_GLOBAL or OFFLINK_LOCAL. A C++
 *                     kernel has its mangled name unless it is extern "C".
 *
 * With -O1 and above add -fno-slp-vectorize -fno-vectorize -mllvm
 * -replexitval=never: otherwise clang's optimiser makes integers of 4 or 33
 * bits and vectors of booleans, which SPIR-V lacks.
 *
 * An annotated function belongs to the module that is compiled, also where a
 * header defines it. The macros are annotations (clang's annotate attribute);
 * postlink turns them into the attributes that the SYCL compiler would write.
 */
#ifndef OFFLINK_DEVICE_H
#define OFFLINK_DEVICE_H

#if !defined(__clang__)
#error "offlink/device.h: device code is compiled by clang"
#endif

#define OFFLINK_MODULE_ID __attribute__((annotate("sycl-module-id=" __BASE_FILE__)))

/* "used" makes clang emit inline functions and templates. */
#define OFFLINK_EXTERNAL __attribute__((used)) OFFLINK_MODULE_ID

#if defined(__OPENCL_C_VERSION__) || defined(__OPENCL_CPP_VERSION__)
#define OFFLINK_KERNEL OFFLINK_EXTERNAL __kernel
#define OFFLINK_GLOBAL __global
#define OFFLINK_LOCAL __local
#define OFFLINK_CONSTANT __constant
#else
#define OFFLINK_KERNEL OFFLINK_EXTERNAL __attribute__((annotate("sycl-kernel")))
#define OFFLINK_GLOBAL __attribute__((address_space(1)))
#if defined(__NVPTX__)
#define OFFLINK_CONSTANT __attribute__((address_space(4)))
#else
#define OFFLINK_CONSTANT __attribute__((address_space(2)))
#endif
#define OFFLINK_LOCAL __attribute__((address_space(3)))
#endif

/* OFFLINK_DEVICE_GLOBAL(type, name) defines a variable in global memory that
 * the host knows by its name; every image that uses it has its own copy:
 *
 *   OFFLINK_DEVICE_GLOBAL(int, counter) = 7;
 *
 * OFFLINK_DEVICE_GLOBAL(type, name, "id") gives it another name for the host.
 * type may not end in [] or (): use a typedef for arrays. */
#define OFFLINK_DEVICE_GLOBAL(...) \
  OFFLINK_DEVICE_GLOBAL_PICK(__VA_ARGS__, OFFLINK_DEVICE_GLOBAL_ID, OFFLINK_DEVICE_GLOBAL_NAME, )(__VA_ARGS__)
#define OFFLINK_DEVICE_GLOBAL_PICK(type, name, id, macro, ...) macro
#define OFFLINK_DEVICE_GLOBAL_NAME(type, name) OFFLINK_DEVICE_GLOBAL_ID(type, name, #name)
/* Drivers find variables by their symbols, which are the ids, also in a namespace
 * of C++. Of PTX, where few characters can be in one, a table in the image tells. */
#if defined(__NVPTX__)
#define OFFLINK_DEVICE_GLOBAL_SYMBOL(id)
#else
#define OFFLINK_DEVICE_GLOBAL_SYMBOL(id) __asm__(id)
#endif
#define OFFLINK_DEVICE_GLOBAL_ID(type, name, id)                        \
  __attribute__((used)) OFFLINK_MODULE_ID                               \
  __attribute__((annotate("sycl-unique-id=" id)))                       \
  __attribute__((annotate("sycl-device-image-scope=true")))             \
  __attribute__((annotate("sycl-device-global-size", (int)sizeof(type)))) \
  OFFLINK_GLOBAL type name OFFLINK_DEVICE_GLOBAL_SYMBOL(id)

#if defined(__cplusplus) && !defined(__OPENCL_CPP_VERSION__)
/* OFFLINK_SPEC_CONSTANT(type, name, value) defines name(), a number that is the
 * value unless the host gives the constant of that name another one when it opens the
 * kernel. For SPIR-V, postlink -spec-const=native makes a specialization constant of
 * it (not emulation, for which the SYCL compiler adds a parameter to the kernel), and
 * for PTX -spec-const=emulation a value in memory:
 *
 *   OFFLINK_SPEC_CONSTANT(int, width, 8)
 *   ... for (int i = 0; i < width(); i++) ...
 */
template <class T> T __sycl_getScalar2020SpecConstantValue(const char *name, const void *value, const void *buffer);
#if defined(__NVPTX__)
/* PTX has no specialization constants: the runtime adds this variable to a
 * module, with the values. */
static inline const void *offlink_spec_buffer(void) {
  const void *buffer;
  __asm__("{ .reg .u64 address; mov.u64 address, offlink_spec_constants; cvta.global.u64 %0, address; }" : "=l"(buffer));
  return buffer;
}
#define OFFLINK_SPEC_BUFFER offlink_spec_buffer()
#else
#define OFFLINK_SPEC_BUFFER nullptr
#endif
#define OFFLINK_SPEC_CONSTANT(type, name, value)                                                                        \
  static OFFLINK_CONSTANT const type offlink_value_of_##name = value;                                                   \
  static inline type name() {                                                                                          \
    return __sycl_getScalar2020SpecConstantValue<type>(#name, (const void *)&offlink_value_of_##name, OFFLINK_SPEC_BUFFER); \
  }
#endif

#if defined(__NVPTX__)

#include <offlink/nvptx.h>

#if !defined(__OPENCL_C_VERSION__) && !defined(__OPENCL_CPP_VERSION__)
#include <stddef.h>
#define OFFLINK_LOCAL_FENCE 1u
#define OFFLINK_GLOBAL_FENCE 2u
#endif

#elif !defined(__OPENCL_C_VERSION__) && !defined(__OPENCL_CPP_VERSION__)

#include <stddef.h>

/* The work-item functions, which OpenCL languages have built in. Their mangled
 * names are those that translators to SPIR-V look for; C has to name them. */
#if defined(__cplusplus)
#define OFFLINK_WORK_ITEM(result, name, parameter, mangled) \
  extern "C" __attribute__((const)) result name(parameter) __asm__(mangled);
#else
#define OFFLINK_WORK_ITEM(result, name, parameter, mangled) \
  __attribute__((const)) result name(parameter) __asm__(mangled);
#endif

OFFLINK_WORK_ITEM(unsigned int, get_work_dim, void, "_Z12get_work_dimv")
OFFLINK_WORK_ITEM(__SIZE_TYPE__, get_global_size, unsigned int dimension, "_Z15get_global_sizej")
OFFLINK_WORK_ITEM(__SIZE_TYPE__, get_global_id, unsigned int dimension, "_Z13get_global_idj")
OFFLINK_WORK_ITEM(__SIZE_TYPE__, get_local_size, unsigned int dimension, "_Z14get_local_sizej")
OFFLINK_WORK_ITEM(__SIZE_TYPE__, get_local_id, unsigned int dimension, "_Z12get_local_idj")
OFFLINK_WORK_ITEM(__SIZE_TYPE__, get_num_groups, unsigned int dimension, "_Z14get_num_groupsj")
OFFLINK_WORK_ITEM(__SIZE_TYPE__, get_group_id, unsigned int dimension, "_Z12get_group_idj")
OFFLINK_WORK_ITEM(__SIZE_TYPE__, get_global_offset, unsigned int dimension, "_Z17get_global_offsetj")
#undef OFFLINK_WORK_ITEM

/* barrier(OFFLINK_LOCAL_FENCE | OFFLINK_GLOBAL_FENCE): every work-item of the
 * group waits for the others, and sees their writes to that memory. */
#define OFFLINK_LOCAL_FENCE 1u
#define OFFLINK_GLOBAL_FENCE 2u
#if defined(__cplusplus)
extern "C"
#endif
__attribute__((convergent)) void barrier(unsigned int fences) __asm__("_Z7barrierj");

#endif
#endif
