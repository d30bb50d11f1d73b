/* bfloat16.cl: conversions of bfloat16, the upper half of a float, rounded to
 * nearest even. NaN stays NaN.
 */
#include "library.h"

ushort bfloat16_of(float x) {
  uint bits = as_uint(x);
  if (isnan(x))
    return (ushort)(bits >> 16 | 0x40);
  return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float float_of(ushort x) { return as_float((uint)x << 16); }

EXPORT(ushort, __devicelib_ConvertFToBF16INTEL, const float *x) { return bfloat16_of(*x); }
EXPORT(float, __devicelib_ConvertBF16ToFINTEL, const ushort *x) { return float_of(*x); }

#define VECTOR(n) \
  EXPORT(void, __devicelib_ConvertFToBF16INTELVec##n, const float *from, ushort *to) { \
    for (int i = 0; i < n; i++) \
      to[i] = bfloat16_of(from[i]); \
  } \
  EXPORT(void, __devicelib_ConvertBF16ToFINTELVec##n, const ushort *from, float *to) { \
    for (int i = 0; i < n; i++) \
      to[i] = float_of(from[i]); \
  }
VECTOR(1)
VECTOR(2)
VECTOR(3)
VECTOR(4)
VECTOR(8)
VECTOR(16)
