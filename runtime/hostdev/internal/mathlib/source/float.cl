/* float.cl: functions of floats, computed in double, so that about every result is the nearest
 * float. The polynomials are shorter than those for doubles.
 */
#include "core.h"

/* exp(x) 2^shift for |x| < 300. */
PART double exp_short(double x) {
  double k = rint(x * INV_LN2), y = x - k * LN2;
  return (1 + (y + y * y * POLYNOMIAL_EXP_F(y))) * power_of_two(convert_int(k));
}

PART double expm1_short(double x) {
  double k = rint(x * INV_LN2), y = x - k * LN2, e = y + y * y * POLYNOMIAL_EXP_F(y), t = power_of_two(convert_int(k));
  return t * e + (t - 1);
}

PART double log1p_part(double f) {
  double s = f / (2 + f), z = s * s;
  return s * (2 + z * POLYNOMIAL_LOG_F(z));
}

/* log(x) of a positive double that is not denormal, as are all positive floats. */
PART log_parts split_log_short(double x) {
  long bits = as_long(x) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  log_parts r = {(int)(bits >> 52) - 1023, as_double((bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd) - 1};
  return r;
}

PART double log_short(double x) {
  log_parts p = split_log_short(x);
  return p.e * LN2 + log1p_part(p.f);
}

/* log(1 + x) for x over -1. */
PART double log1p_short(double x) {
  log_parts p = split_log_short(1 + x);
  return p.e == 0 ? log1p_part(x) : p.e * LN2 + log1p_part(p.f);
}

PART float log_result(float x, double r) { return (float)log_special(x, r); }

PART float nan_or(float x, double r) { return isnan(x) ? x : (float)r; }

FUNCTION(float, exp_f32, float x) { return nan_or(x, exp_short(clamped(x, -200, 200))); }
FUNCTION(float, exp2_f32, float x) {
  double c = clamped(x, -300, 300), k = rint(c), y = (c - k) * LN2;
  return nan_or(x, (1 + (y + y * y * POLYNOMIAL_EXP_F(y))) * power_of_two(convert_int(k)));
}
FUNCTION(float, exp10_f32, float x) { return nan_or(x, exp_short(clamped(x, -80, 80) * LN10)); }
FUNCTION(float, expm1_f32, float x) { return x == 0 ? x : nan_or(x, expm1_short(clamped(x, -200, 200))); }

FUNCTION(float, log_f32, float x) { return log_result(x, log_short(x)); }
FUNCTION(float, log1p_f32, float x) { return x == 0 ? x : log_result(1 + x == 1 ? 1.5f : 1 + x, log1p_short(x)); }
FUNCTION(float, log2_f32, float x) {
  log_parts p = split_log_short(x);
  return log_result(x, p.e + log1p_part(p.f) * INV_LN2);
}
FUNCTION(float, log10_f32, float x) {
  log_parts p = split_log_short(x);
  return log_result(x, p.e * LOG10_2 + log1p_part(p.f) * INV_LN10);
}

PART double sin_short(double r) {
  double z = r * r;
  return r + r * z * POLYNOMIAL_SIN_F(z);
}

PART double cos_short(double r) {
  double z = r * r;
  return (1 - 0.5 * z) + z * z * POLYNOMIAL_COS_F(z);
}

/* As reduce_large, with two words of 2/pi. */
RARE(double_pair, reduce_f32, double x) {
  ulong bits = as_ulong(x), m = (bits >> 29 & 0x7ffffful) | 0x800000ul;
  uint at = min((uint)(bits >> 52 & 0x7ff), 1151u) - 1046 + 62; /* floats are less than 2^128 */
  __constant ulong *words = two_over_pi + (at >> 6);
  ulong a = words[0], b = words[1], c = words[2];
  uint shift = at & 63;
  ulong w0 = joined(a, b, shift), w1 = joined(b, c, shift);
  ulong p1 = m * w1, p0 = m * w0 + high_product(m, w1);
  long f = (long)(p0 << 2 | p1 >> 62);
  int n = (int)((p0 + 0x2000000000000000ul) >> 62), back = as_long(x) < 0;
  double r = (double)f * (0x1p-64 * PI_HALF_1);
  double_pair out = {!isfinite(x) ? NAN_D : back ? -r : r, back ? -n : n};
  return out;
}

PART reduced reduce_short(double x) {
  int large = !(fabs(x) < 0x1p19);
  double c = large ? 0 : x, k = rint(c * TWO_BY_PI);
  reduced out = {{(c - k * PI_2_1) - k * (PI_2_2 + PI_2_3), 0}, convert_int(k)};
  if (large) {
    double_pair r = offlink_math_rare_reduce_f32(x);
    out.r.high = r.x;
    out.n = convert_int(r.y);
  }
  return out;
}

PART double sin_of_short(reduced a) {
  double s = sin_short(a.r.high), c = cos_short(a.r.high), r = a.n & 1 ? c : s;
  return a.n & 2 ? -r : r;
}

FUNCTION(float, sin_f32, float x) { return x == 0 ? x : (float)sin_of_short(reduce_short(x)); }
FUNCTION(float, cos_f32, float x) {
  reduced a = reduce_short(x);
  a.n += 1;
  return (float)sin_of_short(a);
}
FUNCTION(float, tan_f32, float x) {
  reduced a = reduce_short(x);
  double s = sin_short(a.r.high), c = cos_short(a.r.high), above = a.n & 1 ? -c : s, below = a.n & 1 ? s : c;
  return x == 0 ? x : (float)(above / below);
}
FUNCTION(float, sinpi_f32, float x) { return (float)sinpi_double(x); }
FUNCTION(float, cospi_f32, float x) { return (float)cospi_double(x); }
FUNCTION(float, tanpi_f32, float x) { return (float)tanpi_double(x); }

PART double angle_short(double y, double x) {
  int steep = y > 0x1.3504f333f9de6p+1 * x, middle = !steep && y > 0x1.a827999fcef32p-2 * x;
  double above = steep ? -x : middle ? y - x : y, below = steep ? y : middle ? y + x : x;
  double t = above / below, z = t * t;
  return (steep ? PI_HALF_1 : middle ? 0.5 * PI_HALF_1 : 0) + (t + t * z * POLYNOMIAL_ATAN_F(z));
}

PART double atan2_short(float y, float x) {
  double ay = fabs(y), ax = fabs(x);
  int both = isinf(y) && isinf(x);
  ay = both ? 1 : ay;
  ax = both || (ay == 0 && ax == 0) ? 1 : ax;
  double r = angle_short(ay, ax);
  return copysign(as_int(x) < 0 ? 2 * PI_HALF_1 - r : r, (double)y);
}

PART double atan_short(float x) { return copysign(angle_short(fabs(x), 1), (double)x); }
PART double nan2(float x, float y, double r) { return isnan(x) || isnan(y) ? NAN_D : r; }

FUNCTION(float, atan_f32, float x) { return (float)atan_short(x); }
FUNCTION(float, atanpi_f32, float x) { return (float)(atan_short(x) * INV_PI); }
FUNCTION(float, atan2_f32, float y, float x) { return (float)nan2(x, y, atan2_short(y, x)); }
FUNCTION(float, atan2pi_f32, float y, float x) { return (float)nan2(x, y, atan2_short(y, x) * INV_PI); }

/* By the legs of the triangle, which are exact up to the root. */
PART double asin_short(double x) { return copysign(angle_short(fabs(x), sqrt((1 - x) * (1 + x))), x); }
PART double acos_short(double x) {
  double r = angle_short(sqrt((1 - x) * (1 + x)), fabs(x));
  return x < 0 ? 2 * PI_HALF_1 - r : r;
}
FUNCTION(float, asin_f32, float x) { return (float)asin_short(x); }
FUNCTION(float, acos_f32, float x) { return (float)acos_short(x); }
FUNCTION(float, asinpi_f32, float x) { return (float)(asin_short(x) * INV_PI); }
FUNCTION(float, acospi_f32, float x) { return (float)(acos_short(x) * INV_PI); }

FUNCTION(float, sinh_f32, float x) {
  double e = expm1_short(clamped(fabs(x), -200, 200));
  return nan_or(x, copysign(0.5 * (e + e / (e + 1)), (double)x));
}
FUNCTION(float, cosh_f32, float x) {
  double e = exp_short(clamped(x, -200, 200));
  return nan_or(x, 0.5 * (e + 1 / e));
}
FUNCTION(float, tanh_f32, float x) {
  double e = expm1_short(clamped(x, -50, 50) * 2);
  return x == 0 ? x : nan_or(x, e / (e + 2));
}
FUNCTION(float, asinh_f32, float x) {
  double a = fabs(x), r = copysign(log1p_short(a + a * a / (1 + sqrt(a * a + 1))), (double)x);
  return isinf(x) ? x : nan_or(x, r);
}
FUNCTION(float, acosh_f32, float x) {
  double t = (double)x - 1, r = log1p_short(t + sqrt(2 * t + t * t));
  return x < 1 ? (float)NAN_D : isinf(x) ? x : nan_or(x, r);
}
FUNCTION(float, atanh_f32, float x) {
  double a = fabs(x), r = copysign(0.5 * log1p_short(2 * a / (1 - a)), (double)x);
  r = a == 1 ? copysign(INF_D, (double)x) : r;
  return a > 1 ? (float)NAN_D : nan_or(x, r);
}

FUNCTION(float, cbrt_f32, float x) {
  double v = fabs(x), t = as_double((ulong)((uint)(as_ulong(v) >> 32) / 3 + 715094163u) << 32), c = t * t * t;
  t = t * (c + 2 * v) / (2 * c + v);
  c = t * t * t;
  t = t * (c + 2 * v) / (2 * c + v);
  return x == 0 || !isfinite(x) ? x : (float)copysign(t, (double)x);
}

FUNCTION(float, hypot_f32, float x, float y) {
  double a = x, b = y, r = nan2(x, y, sqrt(a * a + b * b));
  return isinf(x) || isinf(y) ? (float)INF_D : (float)r;
}

/* x^y of a positive finite number. */
PART double power_short(double x, double y) { return exp_short(clamped(log_short(x) * y, -200, 200)); }

PART float pow_short(double x, double y) { return (float)POW(x, y, power_short(fabs(x), y)); }
FUNCTION(float, pow_f32, float x, float y) { return pow_short(x, y); }
FUNCTION(float, pown_f32, float x, int n) { return pow_short(x, n); }
PART float powr_short(double x, double y) { return (float)POWR(x, y, power_short(fabs(x), y)); }
FUNCTION(float, powr_f32, float x, float y) { return powr_short(x, y); }
PART float rootn_short(double x, int n) { return (float)ROOTN(x, n, power_short(fabs(x), 1.0 / (n == 0 ? 1 : n))); }
FUNCTION(float, rootn_f32, float x, int n) { return rootn_short(x, n); }

PART double erfc_tail_short(double x) {
  double t = (x - 4) / (x + 4);
  return exp_short(-x * x) * POLYNOMIAL_ERFCX_F(t) / (1 + 2 * x);
}
FUNCTION(float, erf_f32, float x) {
  double a = fabs(x), c = fmin(a, 12.0), r = a < 1 ? a * POLYNOMIAL_ERF_F(a * a) : 1 - erfc_tail_short(c);
  return nan_or(x, copysign(r, (double)x));
}
FUNCTION(float, erfc_f32, float x) {
  double a = fabs(x), tail = erfc_tail_short(fmin(a, 12.0)), d = x;
  return nan_or(x, a < 0.5 ? 1 - d * POLYNOMIAL_ERF_F(d * d) : d < 0 ? 2 - tail : tail);
}

FUNCTION(float, fmod_f32, float x, float y) { return (float)fmod_double(x, y); }
FUNCTION(float, floor_mod_f32, float x, float y) { return (float)floor_mod(x, y); }
FUNCTION(float, remainder_f32, float x, float y) { return (float)remainder_double(x, y); }

PART double log_gamma_large_short(double x) {
  return (x - 0.5) * log_short(x) - x + (HALF_LOG_TAU_1 + POLYNOMIAL_STIRLING_F(1 / (x * x)) / x);
}

/* As tgamma_double and lgamma_double; no number is too small or too large in double. */
FUNCTION(float, tgamma_f32, float x) {
  double a = fabs(x), c = fmin(a, 50.0), r = a < 3 ? GAMMA_SMALL(c, POLYNOMIAL_GAMMA_F) : exp_short(log_gamma_large_short(c));
  if (x < 0)
    r = -2 * PI_HALF_1 / (a * sinpi_double(a) * r);
  r = x < 0 && rint(x) == x ? NAN_D : x == 0 ? copysign(INF_D, (double)x) : r;
  return nan_or(x, r);
}

FUNCTION(float, lgamma_f32, float x) {
  double a = fabs(x), r = a < 3 ? LOG_GAMMA_SMALL(a, POLYNOMIAL_LOG_GAMMA_F, log_short) : log_gamma_large_short(a);
  if (x < 0)
    r = log_short(2 * PI_HALF_1 / (a * fabs(sinpi_double(a)))) - r;
  r = isinf(x) || (x <= 0 && rint(x) == x) ? INF_D : r;
  return nan_or(x, r);
}

FUNCTION(int, lgamma_sign_f32, float x) { return gamma_sign(x); }
