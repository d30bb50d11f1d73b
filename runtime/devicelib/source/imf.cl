/* imf.cl: the functions of sycl::ext::intel::math: conversions with a rounding
 * mode, reinterpretations, arithmetic of integers, and functions of float,
 * double and half. Conversions of values beyond the type give its nearest
 * value, and 0 for NaN.
 */
#include "library.h"
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* The rounding modes: down, to nearest even, up, to zero. */
#define ROUNDED(to, name, from, convert) \
  IMF(to, name##_rd, (from x), convert##_rtn(x)) \
  IMF(to, name##_rn, (from x), convert##_rte(x)) \
  IMF(to, name##_ru, (from x), convert##_rtp(x)) \
  IMF(to, name##_rz, (from x), convert##_rtz(x))

ROUNDED(int, float2int, float, convert_int_sat)
ROUNDED(uint, float2uint, float, convert_uint_sat)
ROUNDED(long, float2ll, float, convert_long_sat)
ROUNDED(ulong, float2ull, float, convert_ulong_sat)
ROUNDED(float, int2float, int, convert_float)
ROUNDED(float, uint2float, uint, convert_float)
ROUNDED(float, ll2float, long, convert_float)
ROUNDED(float, ull2float, ulong, convert_float)
ROUNDED(int, double2int, double, convert_int_sat)
ROUNDED(uint, double2uint, double, convert_uint_sat)
ROUNDED(long, double2ll, double, convert_long_sat)
ROUNDED(ulong, double2ull, double, convert_ulong_sat)
ROUNDED(float, double2float, double, convert_float)
ROUNDED(double, ll2double, long, convert_double)
ROUNDED(double, ull2double, ulong, convert_double)
IMF(double, int2double_rn, (int x), (double)x)
IMF(double, uint2double_rn, (uint x), (double)x)

ROUNDED(half, float2half, float, convert_half)
ROUNDED(half, int2half, int, convert_half)
ROUNDED(half, uint2half, uint, convert_half)
ROUNDED(half, ll2half, long, convert_half)
ROUNDED(half, ull2half, ulong, convert_half)
ROUNDED(half, short2half, short, convert_half)
ROUNDED(half, ushort2half, ushort, convert_half)
ROUNDED(int, half2int, half, convert_int_sat)
ROUNDED(uint, half2uint, half, convert_uint_sat)
ROUNDED(long, half2ll, half, convert_long_sat)
ROUNDED(ulong, half2ull, half, convert_ulong_sat)
ROUNDED(short, half2short, half, convert_short_sat)
ROUNDED(ushort, half2ushort, half, convert_ushort_sat)
IMF(half, double2half, (double x), convert_half_rte(x))
IMF(float, half2float, (half x), (float)x)

IMF(int, float_as_int, (float x), as_int(x))
IMF(uint, float_as_uint, (float x), as_uint(x))
IMF(float, int_as_float, (int x), as_float(x))
IMF(float, uint_as_float, (uint x), as_float(x))
IMF(long, double_as_longlong, (double x), as_long(x))
IMF(double, longlong_as_double, (long x), as_double(x))
IMF(int, double2hiint, (double x), (int)(as_ulong(x) >> 32))
IMF(int, double2loint, (double x), (int)as_ulong(x))
IMF(double, hiloint2double, (int high, int low), as_double((ulong)(uint)high << 32 | (uint)low))
IMF(short, half_as_short, (half x), as_short(x))
IMF(ushort, half_as_ushort, (half x), as_ushort(x))
IMF(half, short_as_half, (short x), as_half(x))
IMF(half, ushort_as_half, (ushort x), as_half(x))

uint reversed(uint x) {
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
  x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
  return x >> 16 | x << 16;
}

/* Each nibble of the selector takes one of the eight bytes of x and y. */
uint permuted(uint x, uint y, uint selector) {
  ulong bytes = (ulong)y << 32 | x;
  uint result = 0;
  for (int i = 0; i < 4; i++)
    result |= (uint)(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return result;
}

IMF(uint, brev, (uint x), reversed(x))
IMF(ulong, brevll, (ulong x), (ulong)reversed((uint)x) << 32 | reversed((uint)(x >> 32)))
IMF(uint, byte_perm, (uint x, uint y, uint selector), permuted(x, y, selector))
IMF(int, ffs, (int x), x ? 32 - clz(x & -x) : 0)
IMF(int, ffsll, (long x), x ? (int)(64 - clz(x & -x)) : 0)
IMF(int, clz, (int x), clz(x))
IMF(int, clzll, (long x), (int)clz(x))
IMF(int, popc, (uint x), (int)popcount(x))
IMF(int, popcll, (ulong x), (int)popcount(x))
IMF(uint, sad, (int x, int y, uint z), abs_diff(x, y) + z)
IMF(uint, usad, (uint x, uint y, uint z), abs_diff(x, y) + z)
IMF(int, hadd, (int x, int y), hadd(x, y))
IMF(uint, uhadd, (uint x, uint y), hadd(x, y))
IMF(int, rhadd, (int x, int y), rhadd(x, y))
IMF(uint, urhadd, (uint x, uint y), rhadd(x, y))
IMF(int, mul24, (int x, int y), (x << 8 >> 8) * (y << 8 >> 8))
IMF(uint, umul24, (uint x, uint y), (x & 0xffffff) * (y & 0xffffff))
IMF(int, mulhi, (int x, int y), mul_hi(x, y))
IMF(uint, umulhi, (uint x, uint y), mul_hi(x, y))
IMF(long, mul64hi, (long x, long y), mul_hi(x, y))
IMF(ulong, umul64hi, (ulong x, ulong y), mul_hi(x, y))
IMF(int, abs, (int x), x < 0 ? -x : x)
IMF(long, llabs, (long x), x < 0 ? -x : x)
IMF(int, max, (int x, int y), max(x, y))
IMF(int, min, (int x, int y), min(x, y))
IMF(uint, umax, (uint x, uint y), max(x, y))
IMF(uint, umin, (uint x, uint y), min(x, y))
IMF(long, llmax, (long x, long y), max(x, y))
IMF(long, llmin, (long x, long y), min(x, y))
IMF(ulong, ullmax, (ulong x, ulong y), max(x, y))
IMF(ulong, ullmin, (ulong x, ulong y), min(x, y))

/* The same function of float, double and half. */
#define REAL1(name, value) REAL1_OF(name, value) IMF(half, name##f16, (half x), value)
#define REAL1_OF(name, value) IMF(float, name##f, (float x), value) IMF(double, name, (double x), value)
#define REAL2(name) \
  IMF(float, name##f, (float x, float y), name(x, y)) \
  IMF(double, name, (double x, double y), name(x, y)) \
  IMF(half, name##f16, (half x, half y), name(x, y))
#define REAL2_OF(name) IMF(float, name##f, (float x, float y), name(x, y)) IMF(double, name, (double x, double y), name(x, y))

REAL1(ceil, ceil(x))
REAL1(fabs, fabs(x))
REAL1(floor, floor(x))
REAL1(inv, 1 / x)
REAL1(rint, rint(x))
REAL1(rsqrt, rsqrt(x))
REAL1(sqrt, sqrt(x))
REAL1(trunc, trunc(x))
REAL2(copysign)
REAL2(fmax)
REAL2(fmin)
IMF(float, fmaf, (float x, float y, float z), fma(x, y, z))
IMF(double, fma, (double x, double y, double z), fma(x, y, z))
IMF(half, fmaf16, (half x, half y, half z), fma(x, y, z))
IMF(float, nearbyintf, (float x), rint(x))
IMF(double, nearbyint, (double x), rint(x))
IMF(float, saturatef, (float x), isnan(x) ? 0.f : clamp(x, 0.f, 1.f))

REAL1_OF(acos, acos(x))
REAL1_OF(acosh, acosh(x))
REAL1_OF(asin, asin(x))
REAL1_OF(asinh, asinh(x))
REAL1_OF(atan, atan(x))
REAL1_OF(atanh, atanh(x))
REAL1_OF(cbrt, cbrt(x))
REAL1_OF(cos, cos(x))
REAL1_OF(cosh, cosh(x))
REAL1_OF(cospi, cospi(x))
REAL1_OF(erf, erf(x))
REAL1_OF(erfc, erfc(x))
REAL1_OF(exp, exp(x))
REAL1_OF(exp10, exp10(x))
REAL1_OF(exp2, exp2(x))
REAL1_OF(expm1, expm1(x))
REAL1_OF(lgamma, lgamma(x))
REAL1_OF(log, log(x))
REAL1_OF(log10, log10(x))
REAL1_OF(log1p, log1p(x))
REAL1_OF(log2, log2(x))
REAL1_OF(logb, logb(x))
REAL1_OF(round, round(x))
REAL1_OF(sin, sin(x))
REAL1_OF(sinh, sinh(x))
REAL1_OF(sinpi, sinpi(x))
REAL1_OF(tan, tan(x))
REAL1_OF(tanh, tanh(x))
REAL1_OF(tgamma, tgamma(x))
REAL2_OF(atan2)
REAL2_OF(fdim)
REAL2_OF(fmod)
REAL2_OF(hypot)
REAL2_OF(nextafter)
REAL2_OF(pow)
REAL2_OF(remainder)

/* Functions of C, by the names of this library. */
IMF(float, frexpf, (float x, int *exponent), frexp(x, exponent))
IMF(double, frexp, (double x, int *exponent), frexp(x, exponent))
IMF(float, modff, (float x, float *whole), modf(x, whole))
IMF(double, modf, (double x, double *whole), modf(x, whole))
IMF(float, remquof, (float x, float y, int *quotient), remquo(x, y, quotient))
IMF(double, remquo, (double x, double y, int *quotient), remquo(x, y, quotient))
IMF(float, ldexpf, (float x, int n), ldexp(x, n))
IMF(double, ldexp, (double x, int n), ldexp(x, n))
IMF(float, scalbnf, (float x, int n), ldexp(x, n))
IMF(double, scalbn, (double x, int n), ldexp(x, n))
IMF(float, pownf, (float x, int n), pown(x, n))
IMF(double, pown, (double x, int n), pown(x, n))
IMF(int, isfinitef, (float x), isfinite(x))
IMF(int, isfinite, (double x), isfinite(x))
IMF(int, isinff, (float x), isinf(x))
IMF(int, isinf, (double x), isinf(x))
IMF(int, isnanf, (float x), isnan(x))
IMF(int, isnan, (double x), isnan(x))
IMF(int, signbitf, (float x), as_uint(x) >> 31)
IMF(int, signbit, (double x), as_ulong(x) >> 63)
IMF(long, lrintf, (float x), convert_long_rte(x))
IMF(long, lrint, (double x), convert_long_rte(x))
IMF(long, llrintf, (float x), convert_long_rte(x))
IMF(long, llrint, (double x), convert_long_rte(x))
IMF(long, lroundf, (float x), convert_long_rtz(round(x)))
IMF(long, lround, (double x), convert_long_rtz(round(x)))
IMF(long, llroundf, (float x), convert_long_rtz(round(x)))
IMF(long, llround, (double x), convert_long_rtz(round(x)))
IMF(half, nearbyintf16, (half x), rint(x))
