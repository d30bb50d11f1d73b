/* cmath.cl: the functions of C's <math.h> for float and double, by those of
 * OpenCL C. They are as accurate as the device's own, for which OpenCL
 * (OpenCL C Specification, "Relative Error as ULPs") sets the limits.
 */
#include "library.h"
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* name(x) of both types; the C function has the same name as OpenCL's. */
#define UNARY(name) UNARY_AS(name, name)
#define UNARY_AS(name, builtin) \
  EXPORT_TWICE(float, name##f, (float x), { return builtin(x); }) \
  EXPORT_TWICE(double, name, (double x), { return builtin(x); })

#define BINARY(name) \
  EXPORT_TWICE(float, name##f, (float x, float y), { return name(x, y); }) \
  EXPORT_TWICE(double, name, (double x, double y), { return name(x, y); })

UNARY(acos)
UNARY(acosh)
UNARY(asin)
UNARY(asinh)
UNARY(atan)
UNARY(atanh)
UNARY(cbrt)
UNARY(ceil)
UNARY(cos)
UNARY(cosh)
UNARY(cospi)
UNARY(erf)
UNARY(erfc)
UNARY(exp)
UNARY(exp10)
UNARY(exp2)
UNARY(expm1)
UNARY(fabs)
UNARY(floor)
UNARY(lgamma)
UNARY(log)
UNARY(log10)
UNARY(log1p)
UNARY(log2)
UNARY(logb)
UNARY(rint)
UNARY_AS(nearbyint, rint) /* the rounding mode is fixed, and nothing is raised */
UNARY(round)
UNARY(rsqrt)
UNARY(sin)
UNARY(sinh)
UNARY(sinpi)
UNARY(sqrt)
UNARY(tan)
UNARY(tanh)
UNARY(tgamma)
UNARY(trunc)

BINARY(atan2)
BINARY(copysign)
BINARY(fdim)
BINARY(fmax)
BINARY(fmin)
BINARY(fmod)
BINARY(hypot)
BINARY(nextafter)
BINARY(pow)
BINARY(remainder)

EXPORT_TWICE(float, fmaf, (float x, float y, float z), { return fma(x, y, z); })
EXPORT_TWICE(double, fma, (double x, double y, double z), { return fma(x, y, z); })

EXPORT_TWICE(float, ldexpf, (float x, int n), { return ldexp(x, n); })
EXPORT_TWICE(double, ldexp, (double x, int n), { return ldexp(x, n); })
EXPORT_TWICE(float, scalbnf, (float x, int n), { return ldexp(x, n); })
EXPORT_TWICE(double, scalbn, (double x, int n), { return ldexp(x, n); })
/* 5000 is beyond the exponents of both types. */
EXPORT_TWICE(float, scalblnf, (float x, long n), { return ldexp(x, (int)clamp(n, -5000l, 5000l)); })
EXPORT_TWICE(double, scalbln, (double x, long n), { return ldexp(x, (int)clamp(n, -5000l, 5000l)); })

/* C's results for 0 and NaN differ between machines; these are glibc's. */
#define ILOGB(x) (x == 0 || isnan(x) ? INT_MIN : isinf(x) ? INT_MAX : ilogb(x))
EXPORT_TWICE(int, ilogbf, (float x), { return ILOGB(x); })
EXPORT_TWICE(int, ilogb, (double x), { return ILOGB(x); })

EXPORT_TWICE(float, frexpf, (float x, int *exponent), { return frexp(x, exponent); })
EXPORT_TWICE(double, frexp, (double x, int *exponent), { return frexp(x, exponent); })
EXPORT_TWICE(float, modff, (float x, float *whole), { return modf(x, whole); })
EXPORT_TWICE(double, modf, (double x, double *whole), { return modf(x, whole); })
EXPORT_TWICE(float, remquof, (float x, float y, int *quotient), { return remquo(x, y, quotient); })
EXPORT_TWICE(double, remquo, (double x, double y, int *quotient), { return remquo(x, y, quotient); })
EXPORT_TWICE(void, sincosf, (float x, float *s, float *c), { *s = sincos(x, c); })
EXPORT_TWICE(void, sincos, (double x, double *s, double *c), { *s = sincos(x, c); })

EXPORT_TWICE(float, nanf, (const char *payload), { return nan(0u); })
EXPORT_TWICE(double, nan, (const char *payload), { return nan(0ul); })

EXPORT_TWICE(long, lrintf, (float x), { return convert_long_rte(x); })
EXPORT_TWICE(long, lrint, (double x), { return convert_long_rte(x); })
EXPORT_TWICE(long, llrintf, (float x), { return convert_long_rte(x); })
EXPORT_TWICE(long, llrint, (double x), { return convert_long_rte(x); })
EXPORT_TWICE(long, lroundf, (float x), { return convert_long_rtz(round(x)); })
EXPORT_TWICE(long, lround, (double x), { return convert_long_rtz(round(x)); })
EXPORT_TWICE(long, llroundf, (float x), { return convert_long_rtz(round(x)); })
EXPORT_TWICE(long, llround, (double x), { return convert_long_rtz(round(x)); })

/* The helpers of the macros of glibc's <math.h>. The classes are its
 * FP_NAN 0, FP_INFINITE 1, FP_ZERO 2, FP_SUBNORMAL 3, FP_NORMAL 4. */
#define CLASSIFY(x, least) (isnan(x) ? 0 : isinf(x) ? 1 : x == 0 ? 2 : fabs(x) < least ? 3 : 4)
EXPORT(int, __fpclassifyf, float x) { return CLASSIFY(x, FLT_MIN); }
EXPORT(int, __fpclassify, double x) { return CLASSIFY(x, DBL_MIN); }
EXPORT(int, __finitef, float x) { return isfinite(x); }
EXPORT(int, __finite, double x) { return isfinite(x); }
EXPORT(int, __isinff, float x) { return isinf(x) ? (x < 0 ? -1 : 1) : 0; }
EXPORT(int, __isinf, double x) { return isinf(x) ? (x < 0 ? -1 : 1) : 0; }
EXPORT(int, __isnanf, float x) { return isnan(x); }
EXPORT(int, __isnan, double x) { return isnan(x); }
EXPORT(int, __signbitf, float x) { return signbit(x); }
EXPORT(int, __signbit, double x) { return signbit(x); }
EXPORT(float, __exp10f, float x) { return exp10(x); }
EXPORT(double, __exp10, double x) { return exp10(x); }
EXPORT(float, __lgammaf_r, float x, int *sign) { return lgamma_r(x, sign); }
EXPORT(float, lgammaf_r, float x, int *sign) { return lgamma_r(x, sign); }
EXPORT(double, lgamma_r, double x, int *sign) { return lgamma_r(x, sign); }
EXPORT(float, __powisf2, float x, int n) { return pown(x, n); }
EXPORT(double, __powidf2, double x, int n) { return pown(x, n); }
EXPORT(float, __powif, float x, int n) { return pown(x, n); }
EXPORT(double, __powi, double x, int n) { return pown(x, n); }
