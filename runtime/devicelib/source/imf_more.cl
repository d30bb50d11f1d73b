/* imf_more.cl: further functions of sycl::ext::intel::math: norms, reciprocals, maxima that
 * tell which operand they took, and those whose short name promises speed alone.
 */
#include "library.h"
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* The values are those of the exact functions of the device. */
IMF(float, fast_expf, (float x), exp(x))
IMF(float, fast_exp10f, (float x), exp10(x))
IMF(float, fast_logf, (float x), log(x))
IMF(float, fast_log2f, (float x), log2(x))
IMF(float, fast_log10f, (float x), log10(x))
IMF(float, fast_powf, (float x, float y), pow(x, y))
IMF(float, fast_fdividef, (float x, float y), x / y)

IMF(int, ilogbf, (float x), ilogb(x))
IMF(int, ilogb, (double x), ilogb(x))
IMF(float, rcbrtf, (float x), 1 / cbrt(x))
IMF(double, rcbrt, (double x), 1 / cbrt(x))
IMF(float, rhypotf, (float x, float y), 1 / hypot(x, y))
IMF(double, rhypot, (double x, double y), 1 / hypot(x, y))

/* The logistic function; the exponential of its size does not overflow. */
static float sigmoid(float x) {
  float e = exp(-fabs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}
IMF(float, fsigmf, (float x), sigmoid(x))
IMF(half, fsigmf16, (half x), (half)sigmoid((float)x))

/* The square root of the sum of squares. The numbers are scaled by a power of two, so that
 * their squares neither overflow nor vanish; an infinite one is the result, whatever the
 * others are. */
#define NORM(type, suffix) \
  static type norm_of##suffix(int n, const type *x) { \
    type largest = 0, sum = 0, nan = 0; \
    for (int i = 0; i < n; i++) { \
      largest = fmax(largest, fabs(x[i])); \
      if (isnan(x[i])) \
        nan = x[i]; \
    } \
    if (isinf(largest)) \
      return largest; \
    if (isnan(nan) || largest == 0) \
      return isnan(nan) ? nan : 0; \
    int scale = ilogb(largest); \
    for (int i = 0; i < n; i++) { \
      type part = ldexp(x[i], -scale); \
      sum = fma(part, part, sum); \
    } \
    return ldexp(sqrt(sum), scale); \
  } \
  static type norm_of3##suffix(type x, type y, type z) { \
    type all[] = {x, y, z}; \
    return norm_of##suffix(3, all); \
  } \
  static type norm_of4##suffix(type x, type y, type z, type u) { \
    type all[] = {x, y, z, u}; \
    return norm_of##suffix(4, all); \
  } \
  IMF(type, norm##suffix, (int n, const type *x), norm_of##suffix(n, x)) \
  IMF(type, rnorm##suffix, (int n, const type *x), 1 / norm_of##suffix(n, x)) \
  IMF(type, norm3d##suffix, (type x, type y, type z), norm_of3##suffix(x, y, z)) \
  IMF(type, rnorm3d##suffix, (type x, type y, type z), 1 / norm_of3##suffix(x, y, z)) \
  IMF(type, norm4d##suffix, (type x, type y, type z, type u), norm_of4##suffix(x, y, z, u)) \
  IMF(type, rnorm4d##suffix, (type x, type y, type z, type u), 1 / norm_of4##suffix(x, y, z, u))
NORM(float, f)
NORM(double, )

/* x where the comparison holds, which *taken tells; for halves of a word, of each. */
#define CHOICE(type, name, compare) \
  static type chosen_##name(type x, type y, bool *taken) { \
    *taken = x compare y; \
    return *taken ? x : y; \
  } \
  IMF(type, name, (type x, type y, bool *taken), chosen_##name(x, y, taken))
CHOICE(int, vibmax_s32, >=)
CHOICE(int, vibmin_s32, <=)
CHOICE(uint, vibmax_u32, >=)
CHOICE(uint, vibmin_u32, <=)

#define CHOICES(type, name, choose) \
  static uint chosen_##name(uint x, uint y, bool *high, bool *low) { \
    uint upper = (ushort)choose((type)(x >> 16), (type)(y >> 16), high); \
    return upper << 16 | (ushort)choose((type)x, (type)y, low); \
  } \
  IMF(uint, name, (uint x, uint y, bool *high, bool *low), chosen_##name(x, y, high, low))
CHOICES(short, vibmax_s16x2, chosen_vibmax_s32)
CHOICES(short, vibmin_s16x2, chosen_vibmin_s32)
CHOICES(ushort, vibmax_u16x2, chosen_vibmax_u32)
CHOICES(ushort, vibmin_u16x2, chosen_vibmin_u32)
