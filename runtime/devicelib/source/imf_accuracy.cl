/* imf_accuracy.cl: the functions of sycl::ext::intel::math with a choice of accuracy: _ha
 * (high), _la (low) and _ep (half of the digits). All give the device's own function, whose
 * errors OpenCL's table limits. Its limits for some functions are wider than those of _ha.
 */
#include "library.h"
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define ACCURACIES(type, name, parameters, value) \
  IMF(type, name##_ha, parameters, value) \
  IMF(type, name##_la, parameters, value) \
  IMF(type, name##_ep, parameters, value)
#define ACCURACIES1(name) ACCURACIES(float, name##f, (float x), name(x)) ACCURACIES(double, name, (double x), name(x))
#define ACCURACIES2(name) \
  ACCURACIES(float, name##f, (float x, float y), name(x, y)) \
  ACCURACIES(double, name, (double x, double y), name(x, y))

ACCURACIES1(acos)
ACCURACIES1(acosh)
ACCURACIES1(asin)
ACCURACIES1(asinh)
ACCURACIES1(atan)
ACCURACIES1(atanh)
ACCURACIES1(cos)
ACCURACIES1(cosh)
ACCURACIES1(erf)
ACCURACIES1(erfc)
ACCURACIES1(exp)
ACCURACIES1(exp10)
ACCURACIES1(exp2)
ACCURACIES1(expm1)
ACCURACIES1(log)
ACCURACIES1(log10)
ACCURACIES1(log1p)
ACCURACIES1(log2)
ACCURACIES1(sin)
ACCURACIES1(sinh)
ACCURACIES1(tan)
ACCURACIES1(tanh)
ACCURACIES2(atan2)
ACCURACIES2(hypot)
ACCURACIES2(pow)

/* Functions of half: those of float, rounded once more. */
#define HALF1(name) IMF(half, name##f16, (half x), convert_half_rte(name((float)x)))
#define HALF_ACCURACIES(name) HALF1(name) ACCURACIES(half, name##f16, (half x), convert_half_rte(name((float)x)))

HALF1(cos)
HALF1(exp10)
HALF1(exp2)
HALF1(log10)
HALF1(log2)
HALF1(sin)
HALF_ACCURACIES(exp)
HALF_ACCURACIES(log)

/* The sine and the cosine at once. */
#define BOTH(type, name, sin, cos) \
  IMF_VOID(name, (type x, type *sine, type *cosine), { \
    *sine = sin(x); \
    *cosine = cos(x); \
  })
#define SINCOS(type, name) BOTH(type, name, sin, cos)
#define SINCOS_ACCURACIES(type, name) SINCOS(type, name) SINCOS(type, name##_ha) SINCOS(type, name##_la) SINCOS(type, name##_ep)

SINCOS_ACCURACIES(float, sincosf)
SINCOS_ACCURACIES(double, sincos)
BOTH(float, sincospif, sinpi, cospi)
BOTH(double, sincospi, sinpi, cospi)
