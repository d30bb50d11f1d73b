/* imf_bfloat16.cl: the functions of bfloat16 of sycl::ext::intel::math, a ushort that is
 * the upper half of a float. Each result is the exact one, rounded once. Conversions of
 * values beyond the type give its nearest value, and 0 for NaN.
 */
#include "library.h"
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

static float number(ushort x) { return as_float((uint)x << 16); }

/* The upper half where it is exact, else the one above it in size, as up says. */
static ushort half_above(uint bits, bool up) { return (ushort)((bits >> 16) + (up && (bits & 0xffff) != 0)); }

static ushort nearest(float x) {
  uint bits = as_uint(x);
  if (isnan(x))
    return (ushort)(bits >> 16 | 0x40);
  return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static ushort down(float x) { return isnan(x) ? nearest(x) : half_above(as_uint(x), signbit(x)); }
static ushort up(float x) { return isnan(x) ? nearest(x) : half_above(as_uint(x), !signbit(x)); }
static ushort to_zero(float x) { return isnan(x) ? nearest(x) : half_above(as_uint(x), false); }

/* A float that is odd where it is not exact: rounded again, to fewer bits, it gives the same as
 * the number itself would. truncated is the number, rounded to zero. */
static float odd(float truncated, bool exact) { return as_float(as_uint(truncated) | !exact); }

static float odd_of_double(double x) {
  float truncated = convert_float_rtz(x);
  return odd(truncated, !isfinite(x) || truncated == x);
}

static float odd_of_long(long x) {
  float truncated = convert_float_rtz(x);
  return odd(truncated, (long)truncated == x);
}

static float odd_of_ulong(ulong x) {
  float truncated = convert_float_rtz(x);
  return odd(truncated, (ulong)truncated == x);
}

IMF(float, bfloat162float, (ushort x), number(x))
IMF(ushort, float2bfloat16, (float x), nearest(x))
IMF(ushort, float2bfloat16_rd, (float x), down(x))
IMF(ushort, float2bfloat16_rn, (float x), nearest(x))
IMF(ushort, float2bfloat16_ru, (float x), up(x))
IMF(ushort, float2bfloat16_rz, (float x), to_zero(x))
IMF(ushort, double2bfloat16, (double x), nearest(odd_of_double(x)))

#define TO_INTEGER(to, name, convert) \
  IMF(to, bfloat162##name##_rd, (ushort x), convert##_sat_rtn(number(x))) \
  IMF(to, bfloat162##name##_rn, (ushort x), convert##_sat_rte(number(x))) \
  IMF(to, bfloat162##name##_ru, (ushort x), convert##_sat_rtp(number(x))) \
  IMF(to, bfloat162##name##_rz, (ushort x), convert##_sat_rtz(number(x)))
TO_INTEGER(short, short, convert_short)
TO_INTEGER(ushort, ushort, convert_ushort)
TO_INTEGER(int, int, convert_int)
TO_INTEGER(uint, uint, convert_uint)
TO_INTEGER(long, ll, convert_long)
TO_INTEGER(ulong, ull, convert_ulong)

#define FROM_INTEGER(from, name, odd_of) \
  IMF(ushort, name##2bfloat16_rd, (from x), down(odd_of(x))) \
  IMF(ushort, name##2bfloat16_rn, (from x), nearest(odd_of(x))) \
  IMF(ushort, name##2bfloat16_ru, (from x), up(odd_of(x))) \
  IMF(ushort, name##2bfloat16_rz, (from x), to_zero(odd_of(x)))
FROM_INTEGER(short, short, odd_of_long)
FROM_INTEGER(ushort, ushort, odd_of_ulong)
FROM_INTEGER(int, int, odd_of_long)
FROM_INTEGER(uint, uint, odd_of_ulong)
FROM_INTEGER(long, ll, odd_of_long)
FROM_INTEGER(ulong, ull, odd_of_ulong)

IMF(short, bfloat16_as_short, (ushort x), (short)x)
IMF(ushort, bfloat16_as_ushort, (ushort x), x)
IMF(ushort, short_as_bfloat16, (short x), (ushort)x)
IMF(ushort, ushort_as_bfloat16, (ushort x), x)

IMF(ushort, ceilbf16, (ushort x), nearest(ceil(number(x))))
IMF(ushort, floorbf16, (ushort x), nearest(floor(number(x))))
IMF(ushort, rintbf16, (ushort x), nearest(rint(number(x))))
IMF(ushort, truncbf16, (ushort x), nearest(trunc(number(x))))
IMF(ushort, fabsbf16, (ushort x), x & 0x7fff)
IMF(ushort, copysignbf16, (ushort x, ushort y), (x & 0x7fff) | (y & 0x8000))
IMF(ushort, fmaxbf16, (ushort x, ushort y), nearest(fmax(number(x), number(y))))
IMF(ushort, fminbf16, (ushort x, ushort y), nearest(fmin(number(x), number(y))))
IMF(ushort, sqrtbf16, (ushort x), nearest(odd_of_double(sqrt((double)number(x)))))
IMF(ushort, rsqrtbf16, (ushort x), nearest(odd_of_double(1 / sqrt((double)number(x)))))

/* The logistic function; the exponential of its size does not overflow. */
static float sigmoid(float x) {
  float e = exp(-fabs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}
IMF(ushort, fsigmbf16, (ushort x), nearest(sigmoid(number(x))))

/* The product is exact in double. The sum is made odd where it is not (its error is exact
 * too: Dekker), towards zero first where the error leads there. */
static ushort fused(double x, double y, double z) {
  double p = x * y, sum = p + z;
  if (!isfinite(sum) || sum == 0)
    return nearest((float)sum);
  double rest = fabs(p) >= fabs(z) ? z - (sum - p) : p - (sum - z);
  ulong bits = as_ulong(sum);
  if (rest != 0)
    bits = (bits - (signbit(rest) != signbit(sum))) | 1;
  return nearest(odd_of_double(as_double(bits)));
}
IMF(ushort, fmabf16, (ushort x, ushort y, ushort z), fused(number(x), number(y), number(z)))
