/* complex.cl: arithmetic and functions of complex numbers. */
#include "library.h"
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define REAL float
#define COMPLEX complex_float
#define F(name) name##_float
#define LIB(name) lib_##name##f
#define DEVICELIB(name) devicelib_##name##f
#define NAME(name) #name "f"
#define MAX_EXPONENT 88.f
#define LARGEST FLT_MAX
#define LEAST FLT_MIN
#define EPSILON FLT_EPSILON
#define LN2 M_LN2_F
#define LN10 M_LN10_F
#define LN10_REST -3.197543674e-08f /* of log 10 */
#define LOG10_E M_LOG10E_F
#define HALF_PI M_PI_2_F
#include "complex.inc"

#define RUN_TIME(name, body) \
  EXPORT_TWICE(void, name, (COMPLEX * result, REAL a, REAL b, REAL c, REAL d), { *result = body(a, b, c, d); })
RUN_TIME(__mulsc3, multiply_float)
RUN_TIME(__divsc3, divide_float)

#undef REAL
#undef COMPLEX
#undef F
#undef LIB
#undef DEVICELIB
#undef NAME
#undef MAX_EXPONENT
#undef LARGEST
#undef LEAST
#undef EPSILON
#undef LN2
#undef LN10
#undef LN10_REST
#undef LOG10_E
#undef HALF_PI
#undef MAKE
#define REAL double
#define COMPLEX complex_double
#define F(name) name##_double
#define LIB(name) lib_##name
#define DEVICELIB(name) devicelib_##name
#define NAME(name) #name
#define MAX_EXPONENT 709.
#define LARGEST DBL_MAX
#define LEAST DBL_MIN
#define EPSILON DBL_EPSILON
#define LN2 M_LN2
#define LN10 M_LN10
#define LN10_REST -2.17075622338224935e-16
#define LOG10_E M_LOG10E
#define HALF_PI M_PI_2
#include "complex.inc"

RUN_TIME(__muldc3, multiply_double)
RUN_TIME(__divdc3, divide_double)
