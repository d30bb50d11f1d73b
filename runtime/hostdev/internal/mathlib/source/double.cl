/* double.cl: functions of doubles, within the limits of OpenCL C ("Relative error as ULPs").
 */
#include "core.h"

#define UNARY(name) \
  FUNCTION(double, name##_f64, double x) { return name##_double(x); }
UNARY(expm1)
UNARY(log1p)
UNARY(sinpi)
UNARY(cospi)
UNARY(tanpi)
UNARY(atan)
UNARY(asin)
UNARY(acos)
UNARY(sinh)
UNARY(cosh)
UNARY(tanh)
UNARY(asinh)
UNARY(acosh)
UNARY(atanh)
UNARY(cbrt)
UNARY(erf)
UNARY(erfc)
UNARY(tgamma)
UNARY(lgamma)

FUNCTION(double, log_f64, double x) { return log_double(x); }
FUNCTION(double, exp_f64, double x) { return exp_shifted(x, 0); }

FUNCTION(double, exp2_f64, double x) {
  double c = clamped(x, -1200, 1200), k = rint(c), y = (c - k) * LN2;
  double r = scale(1 + (y + y * y * POLYNOMIAL_EXP(y)), convert_int(k));
  return isnan(x) ? x : r;
}

FUNCTION(double, exp10_f64, double x) {
  double c = clamped(x, -400, 400), k = rint(c * LOG2_10);
  double y = ((c - k * LOG10_2_1) - k * LOG10_2_2) * LN10;
  double r = scale(1 + (y + y * y * POLYNOMIAL_EXP(y)), convert_int(k));
  return isnan(x) ? x : r;
}

FUNCTION(double, log2_f64, double x) {
  log_parts p = split_log(x);
  return log_special(x, p.e + (p.f + log_rest(p.f, 0)) * INV_LN2);
}

FUNCTION(double, log10_f64, double x) {
  log_parts p = split_log(x);
  return log_special(x, p.e * LOG10_2_1 + (p.e * LOG10_2_2 + (p.f + log_rest(p.f, 0)) * INV_LN10));
}

FUNCTION(double, sin_f64, double x) { return fabs(x) < 0x1p-30 ? x : sin_of(reduce(x)); }
FUNCTION(double, cos_f64, double x) { return cos_of(reduce(x)); }
FUNCTION(double, tan_f64, double x) { return fabs(x) < 0x1p-30 ? x : tan_of(reduce(x)); }

FUNCTION(double, asinpi_f64, double x) { return asin_double(x) * INV_PI; }
FUNCTION(double, acospi_f64, double x) { return acos_double(x) * INV_PI; }
FUNCTION(double, atanpi_f64, double x) { return atan_double(x) * INV_PI; }
FUNCTION(double, atan2_f64, double y, double x) { return atan2_double(y, x); }
FUNCTION(double, atan2pi_f64, double y, double x) { return atan2_double(y, x) * INV_PI; }
FUNCTION(double, hypot_f64, double x, double y) { return hypot_double(x, y); }
FUNCTION(double, fmod_f64, double x, double y) { return fmod_double(x, y); }
FUNCTION(double, floor_mod_f64, double x, double y) { return floor_mod(x, y); }
FUNCTION(double, remainder_f64, double x, double y) { return remainder_double(x, y); }

FUNCTION(double, pow_f64, double x, double y) { return POW(x, y, power(fabs(x), y, 0)); }
FUNCTION(double, powr_f64, double x, double y) { return POWR(x, y, power(fabs(x), y, 0)); }

FUNCTION(double, pown_f64, double x, int n) {
  double y = n;
  return POW(x, y, power(fabs(x), y, 0));
}

FUNCTION(double, rootn_f64, double x, int n) { return ROOTN(x, n, rootn_positive(fabs(x), n)); }
FUNCTION(int, lgamma_sign_f64, double x) { return gamma_sign(x); }

/* x y + z with one rounding, in integers: x and y are finite and not zero, z is finite. A
 * number is sign, mantissa of 53 bits and exponent of its last bit. */
typedef struct {
  ulong m;
  int e;
} unpacked;

PART unpacked unpack(double x) {
  ulong bits = as_ulong(x) & 0x7ffffffffffffffful, m = bits & 0xffffffffffffful;
  int e = (int)(bits >> 52), shift = e == 0 && m != 0 ? (int)clz(m) - 11 : 0;
  unpacked r = {e == 0 ? m << shift : m | 0x10000000000000ul, max(e, 1) - 1075 - shift};
  return r;
}

/* 128 bits. Those that are shifted out leave a 1 in the last bit. */
typedef struct {
  ulong high, low;
} wide;

PART wide shifted_right(wide v, int n) {
  ulong lost = n == 0 ? 0 : n < 64 ? v.low << (64 - n) : n < 128 ? v.low | (n == 64 ? 0 : v.high << (128 - n)) : v.high | v.low;
  wide r = v;
  r.low = n == 0 ? v.low : n < 64 ? v.low >> n | v.high << (64 - n) : n < 128 ? v.high >> (n - 64) : 0;
  r.high = n < 64 ? v.high >> n : 0;
  r.low |= lost != 0;
  return r;
}

PART double fma_wide(double x, double y, double z) {
  unpacked a = unpack(x), b = unpack(y), c = unpack(z);
  ulong product_high = high_product(a.m, b.m), product_low = a.m * b.m;
  /* The leading bits are 125 or 126, and 126: a sum does not overflow. */
  wide p = {product_high << 21 | product_low >> 43, product_low << 21}, q = {c.m << 10, 0};
  int pe = a.e + b.e - 21, qe = c.m == 0 ? pe : c.e - 74, e = max(pe, qe);
  p = shifted_right(p, min(e - pe, 200));
  q = shifted_right(q, min(e - qe, 200));
  ulong sign = (as_ulong(x) ^ as_ulong(y)) >> 63, other = as_ulong(z) >> 63;
  int less = p.high < q.high || (p.high == q.high && p.low < q.low), subtract = sign != other;
  wide large = less && subtract ? q : p, small = less && subtract ? p : q, r;
  r.low = subtract ? large.low - small.low : large.low + small.low;
  r.high = subtract ? large.high - small.high - (large.low < small.low) : large.high + small.high + (r.low < large.low);
  sign = less && subtract ? other : sign;
  if (r.high == 0 && r.low == 0)
    return 0;
  int zeros = r.high != 0 ? (int)clz(r.high) : 64 + (int)clz(r.low);
  ulong m = zeros >= 64 ? r.low << (zeros - 64) : zeros == 0 ? r.high : r.high << zeros | r.low >> (64 - zeros);
  m |= zeros < 64 && r.low << zeros != 0;
  /* m has its leading bit at 63; a denormal result has fewer bits. */
  int exponent = e + 127 - zeros + 1023, below = clamp(1 - exponent, 0, 63);
  m = m >> below | (ulong)(m << (63 - below) << 1 != 0);
  ulong rest = m & 0x7ff, bits = (m >> 11) + ((ulong)max(exponent - 1, 0) << 52);
  bits += rest > 0x400 || (rest == 0x400 && (m & 0x800) != 0);
  bits = exponent >= 2047 ? 0x7ff0000000000000ul : bits;
  return as_double(bits | sign << 63);
}

PART int exponent_within(double x, int distance) {
  return (uint)((int)(as_ulong(x) >> 52 & 0x7ff) - 1023 + distance) <= (uint)(2 * distance);
}

/* The exact product and the sum of its upper part, the sum of the rests rounded to odd, so
 * that the last sum rounds once (Boldo and Melquiond). Where a part may be denormal or too
 * large, by integers. */
FUNCTION(double, fma_f64, double x, double y, double z) {
  if (exponent_within(x, 400) && exponent_within(y, 400) && (z == 0 || exponent_within(z, 800))) {
    twofold p = two_product(x, y), low = two_sum(z, p.low), high = two_sum(p.high, low.high), rest = two_sum(low.low, high.low);
    long bits = as_long(rest.high), toward = (rest.low > 0) == (bits >= 0) ? 1 : -1;
    int inexact = rest.low != 0 && (bits & 1) == 0;
    return high.high + as_double(inexact ? bits + toward : bits);
  }
  if (x == 0 || y == 0 || !isfinite(x) || !isfinite(y))
    return x * y + z;
  return isfinite(z) ? fma_wide(x, y, z) : z;
}
