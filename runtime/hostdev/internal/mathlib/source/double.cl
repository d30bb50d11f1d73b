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
