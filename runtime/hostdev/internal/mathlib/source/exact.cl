/* exact.cl: functions that take numbers apart or choose among them, and are exact or rounded
 * as OpenCL C defines them, for both types. FLOAT is the type, with its bits as UINT and INT.
 */
#include "core.h"

#define JOIN(a, b, c) a##b##c
#define NAMED(prefix, name, suffix) JOIN(prefix, name, suffix)

#define FLOAT float
#define INT int
#define BITS(x) as_int(x)
#define VALUE(x) as_float(x)
#define SUFFIX _f32
#define MANTISSA 23
#define BIAS 127
#define LARGEST_BELOW_ONE 0x1.fffffep-1f
#define SCALED 0x1p25f
#define SCALED_BITS 25
#include "exact.inc"

/* A half is called as a float, and the largest half below 1 is another number. */
FUNCTION(float, fract_f16, float x) {
  float r = fmin(x - floor(x), 0x1.ffcp-1f);
  return isinf(x) ? copysign(0.0f, x) : isnan(x) ? x : r;
}

FUNCTION(float, nextafter_f16, float x, float y) {
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
  short bits = as_short((half)x), up = (x < y) == (x > 0) ? 1 : -1, least = as_int(y) < 0 ? (short)0x8001 : 1;
  float r = as_half((short)(x == 0 ? least : bits + up));
  return isnan(x) ? x : isnan(y) || x == y ? y : r;
}

/* The product is exact in double, and the sum is rounded to odd, so that rounding it once
 * more is as if there were one rounding (Boldo and Melquiond). */
FUNCTION(float, fma_f32, float x, float y, float z) {
  double p = (double)x * (double)y;
  twofold s = two_sum(p, z);
  long bits = as_long(s.high), toward = (s.low > 0) == (bits >= 0) ? 1 : -1;
  int inexact = s.low != 0 && (bits & 1) == 0 && isfinite(s.high);
  return (float)as_double(inexact ? bits + toward : bits);
}

/* A product of halves is exact in float, and the sum is rounded to odd there. */
FUNCTION(float, fma_f16, float x, float y, float z) {
  float p = x * y, s = p + z, v = s - p, low = (p - (s - v)) + (z - v);
  int bits = as_int(s), toward = (low > 0) == (bits >= 0) ? 1 : -1;
  int inexact = low != 0 && (bits & 1) == 0 && isfinite(s);
  return as_float(inexact ? bits + toward : bits);
}

#undef FLOAT
#undef INT
#undef BITS
#undef VALUE
#undef SUFFIX
#undef MANTISSA
#undef BIAS
#undef LARGEST_BELOW_ONE
#undef SCALED
#undef SCALED_BITS
#define FLOAT double
#define INT long
#define BITS(x) as_long(x)
#define VALUE(x) as_double(x)
#define SUFFIX _f64
#define MANTISSA 52
#define BIAS 1023
#define LARGEST_BELOW_ONE 0x1.fffffffffffffp-1
#define SCALED 0x1p54
#define SCALED_BITS 54
#include "exact.inc"
