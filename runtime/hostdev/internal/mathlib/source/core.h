/* core.h: the parts of the functions of this folder. Nothing here is contracted to a
 * fused multiply-add, and all operations are those of IEEE 754, so that every executor
 * gives the same bits.
 */
#include <offlink/device.h>

#include "coefficients.h"

#pragma OPENCL FP_CONTRACT OFF

#define PART static __attribute__((always_inline))
/* Parts that few arguments need: kernels do them for one work-item at a time, so that they
 * are short code. They read no memory but constants, and take and return numbers. */
#define RARE(type, name, ...) static __attribute__((noinline)) type offlink_math_rare_##name(__VA_ARGS__)

typedef double double_pair __attribute__((ext_vector_type(2)));
typedef double double_three __attribute__((ext_vector_type(4))); /* the last one is not used */
/* The functions that the device calls; README.md has the rule of their names. */
#define FUNCTION(type, name, ...) OFFLINK_EXTERNAL type offlink_math_##name(__VA_ARGS__)

#define INV_LN2 0x1.71547652b82fep+0
#define INV_LN10 0x1.bcb7b1526e50ep-2
#define LN10 0x1.26bb1bbb55516p+1
#define LN2 0x1.62e42fefa39efp-1
#define LOG10_2 0x1.34413509f79ffp-2
#define LOG2_10 0x1.a934f0979a371p+1
#define INV_PI 0x1.45f306dc9c883p-2
#define TWO_BY_PI 0x1.45f306dc9c883p-1
#define NAN_D as_double(0x7ff8000000000000ul)
#define INF_D as_double(0x7ff0000000000000ul)

/* A number as a sum of two doubles that do not overlap: about 106 bits. */
typedef struct {
  double high, low;
} twofold;

/* The exact sum of two doubles, in any order of size. */
PART twofold two_sum(double a, double b) {
  double s = a + b, v = s - a;
  twofold r = {s, (a - (s - v)) + (b - v)};
  return r;
}

/* The exact product: halves of 26 bits multiply exactly. Not for |a| or |b| over 2^970. */
PART twofold two_product(double a, double b) {
  double ta = a * 0x1.000002p+27, tb = b * 0x1.000002p+27;
  double ah = ta - (ta - a), bh = tb - (tb - b), al = a - ah, bl = b - bh, p = a * b;
  twofold r = {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
  return r;
}

/* 2^k for -1022 <= k <= 1023. */
PART double power_of_two(int k) { return as_double((long)(k + 1023) << 52); }

/* v 2^k for |k| < 2000, rounded once. */
PART double scale(double v, int k) {
  int half_k = k >> 1;
  return v * power_of_two(half_k) * power_of_two(k - half_k);
}

/* The exponent of a positive number and its mantissa from sqrt(1/2) to sqrt(2), less 1. */
typedef struct {
  double e, f;
} log_parts;

PART log_parts split_log(double x) {
  int small = x < 0x1p-1022;
  long bits = as_long(small ? x * 0x1p54 : x) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  int e = (int)(bits >> 52) - 1023 - (small ? 54 : 0);
  log_parts r = {e, as_double((bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd) - 1};
  return r;
}

/* exp(high + low) 2^k, |high| < 900. */
PART double exp_sum(double high, double low, int shift) {
  double k = rint(high * INV_LN2), h = high - k * LN2_1, l = low - k * LN2_2;
  double y = h + l, c = (h - y) + l;
  return scale(1 + (y + (c + y * y * POLYNOMIAL_EXP(y))), convert_int(k) + shift);
}

/* x where a function of the clamped x is right. NaN becomes low. */
PART double clamped(double x, double low, double high) { return fmin(fmax(x, low), high); }

/* exp(x) 2^shift. */
PART double exp_shifted(double x, int shift) {
  double r = exp_sum(clamped(x, -800, 800), 0, shift);
  return isnan(x) ? x : r;
}

PART double expm1_double(double x) {
  double c = clamped(x, -100, 800), k = rint(c * INV_LN2);
  double h = c - k * LN2_1, l = k * LN2_2, y = h - l, e = y + (((h - y) - l) + y * y * POLYNOMIAL_EXP(y));
  int n = convert_int(k);
  double t = power_of_two(min(n, 100)), r = n == 0 ? e : t * e + (t - 1);
  r = n > 60 ? scale(1 + e, n) : r;
  r = x == 0 ? x : r;
  return isnan(x) ? x : r;
}

/* log(1 + f) - f for f from sqrt(1/2) - 1 to sqrt(2) - 1; low is added. */
PART double log_rest(double f, double low) {
  double s = f / (2 + f), z = s * s, square = 0.5 * f * f;
  return (s * (square + z * POLYNOMIAL_LOG(z)) + low) - square;
}

PART double log_special(double x, double r) {
  r = x == INF_D ? x : r;
  r = x == 0 ? -INF_D : r;
  return x < 0 || isnan(x) ? NAN_D : r;
}

PART double log_double(double x) {
  log_parts p = split_log(x);
  return log_special(x, p.e * LN2_1 + (p.f + log_rest(p.f, p.e * LN2_2)));
}

PART double log1p_double(double x) {
  double u = 1 + x;
  log_parts p = split_log(u);
  /* u is rounded: c is the rest of the logarithm. Near 1 nothing need be split. */
  double c = (u > 2 ? 1 - (u - x) : x - (u - 1)) / u;
  int near = p.e == 0;
  double f = near ? x : p.f, r = p.e * LN2_1 + (f + log_rest(f, p.e * LN2_2 + (near ? 0 : c)));
  r = fabs(x) < 0x1p-60 ? x : r;
  return log_special(u, r);
}

/* sin and cos of r.high + r.low, at most pi/4. */
PART double sin_kernel(twofold r) {
  double z = r.high * r.high;
  return r.high + (r.low * (1 - 0.5 * z) + r.high * z * POLYNOMIAL_SIN(z));
}

PART double cos_kernel(twofold r) {
  double z = r.high * r.high, h = 0.5 * z, w = 1 - h;
  return w + (((1 - w) - h) + (z * z * POLYNOMIAL_COS(z) - r.high * r.low));
}

static __constant ulong two_over_pi[] = {TWO_OVER_PI};

/* The upper half of a product, by four of the halves of the factors. */
PART ulong high_product(ulong x, ulong y) {
  ulong x0 = x & 0xffffffff, x1 = x >> 32, y0 = y & 0xffffffff, y1 = y >> 32;
  ulong middle = x1 * y0 + (x0 * y0 >> 32), other = x0 * y1 + (middle & 0xffffffff);
  return x1 * y1 + (middle >> 32) + (other >> 32);
}

/* 64 bits from the bit shift of two words on. */
PART ulong joined(ulong high, ulong low, uint shift) { return high << shift | (low >> 1) >> (63 - shift); }

/* x less the nearest multiple n of pi/2, which is needed modulo 4. */
typedef struct {
  twofold r;
  int n;
} reduced;

/* By the bits of 2/pi that matter (Payne and Hanek): those above give multiples of 4, those
 * below nothing that counts. The magnitude of x is 2^19 at least. */
RARE(double_three, reduce, double x) {
  ulong bits = as_ulong(x), m = (bits & 0xffffffffffffful) | 0x10000000000000ul;
  uint at = min((uint)(bits >> 52 & 0x7ff), 2046u) - 1075 + 62;
  __constant ulong *words = two_over_pi + (at >> 6);
  ulong a = words[0], b = words[1], c = words[2], d = words[3];
  uint shift = at & 63;
  ulong w0 = joined(a, b, shift), w1 = joined(b, c, shift), w2 = joined(c, d, shift);
  ulong p2 = m * w2, p1 = m * w1, p0 = m * w0 + high_product(m, w1), carry = high_product(m, w2);
  p1 += carry;
  p0 += p1 < carry;
  double_three out;
  int n = (int)((p0 + 0x2000000000000000ul) >> 62);
  ulong f0 = p0 << 2 | p1 >> 62, f1 = p1 << 2 | p2 >> 62;
  int negative = (long)f0 < 0;
  f0 = negative ? ~f0 : f0;
  f1 = negative ? ~f1 : f1; /* less by 2^-128 */
  int zeros = (int)clz(f0 | 1);
  ulong v = f0 << zeros | (f1 >> 1) >> (63 - zeros), rest = f1 << zeros;
  double high = (double)(long)(v >> 11) * power_of_two(-53 - zeros);
  double low = (double)(long)((v & 0x7ff) << 42 | rest >> 22) * power_of_two(-106 - zeros);
  twofold p = two_product(high, PI_HALF_1);
  double tail = p.low + (high * PI_HALF_2 + low * PI_HALF_1), sign = negative ? -1 : 1;
  sign = as_long(x) < 0 ? -sign : sign;
  out.x = isfinite(x) ? sign * (p.high + tail) : NAN_D;
  out.y = sign * ((p.high - (p.high + tail)) + tail);
  out.z = as_long(x) < 0 ? -n : n;
  out.w = 0;
  return out;
}

/* In three parts of pi/2 (Cody and Waite), the first two products of which are exact. */
PART reduced reduce(double x) {
  int large = !(fabs(x) < 0x1p19);
  double c = large ? 0 : x, k = rint(c * TWO_BY_PI), a = c - k * PI_2_1;
  twofold s = two_sum(a, -(k * PI_2_2));
  double low = s.low - k * PI_2_3;
  reduced out;
  out.r.high = s.high + low;
  out.r.low = (s.high - out.r.high) + low;
  out.n = convert_int(k);
  if (large) {
    double_three r = offlink_math_rare_reduce(x);
    out.r.high = r.x;
    out.r.low = r.y;
    out.n = convert_int(r.z);
  }
  return out;
}

/* sin(r + n pi/2). */
PART double sin_of(reduced a) {
  double s = sin_kernel(a.r), c = cos_kernel(a.r), r = a.n & 1 ? c : s;
  return a.n & 2 ? -r : r;
}

PART double cos_of(reduced a) {
  a.n += 1;
  return sin_of(a);
}

PART double tan_of(reduced a) {
  double s = sin_kernel(a.r), c = cos_kernel(a.r);
  return a.n & 1 ? -c / s : s / c;
}

/* pi x less the nearest multiple of pi/2, exact before it is multiplied by pi. */
PART reduced reduce_pi(double x) {
  double n = rint(2 * x), y = x - 0.5 * n;
  n = fabs(x) >= 0x1p52 ? 2 * (x - 2 * trunc(0.5 * x)) : n - 4 * trunc(0.25 * n);
  y = fabs(x) >= 0x1p52 ? 0 : y;
  twofold p = two_product(y, 0x1.921fb54442d18p+1);
  reduced out;
  out.r.high = p.high;
  out.r.low = p.low + y * 0x1.1a62633145c07p-53;
  out.n = isfinite(x) ? convert_int(n) : 0;
  return out;
}

PART double sinpi_double(double x) {
  reduced a = reduce_pi(x);
  double r = sin_of(a);
  r = a.r.high == 0 && (a.n & 1) == 0 ? copysign(0.0, x) : r;
  return isfinite(x) ? r : NAN_D;
}

PART double cospi_double(double x) {
  reduced a = reduce_pi(x);
  double r = cos_of(a);
  r = a.r.high == 0 && (a.n & 1) == 1 ? 0 : r;
  return isfinite(x) ? r : NAN_D;
}

PART double tanpi_double(double x) {
  double s = sinpi_double(x), c = cospi_double(x);
  return c == 0 ? copysign(INF_D, s) : s / c;
}

/* The angle of a point with coordinates that are not negative. */
PART double angle(double y, double x) {
  int steep = y > 0x1.3504f333f9de6p+1 * x, middle = !steep && y > 0x1.a827999fcef32p-2 * x;
  double above = steep ? -x : middle ? y - x : y, below = steep ? y : middle ? y + x : x;
  double t = above / below, z = t * t;
  double base = steep ? PI_HALF_1 : middle ? 0.5 * PI_HALF_1 : 0;
  double low = steep ? PI_HALF_2 : middle ? 0.5 * PI_HALF_2 : 0;
  return base + (t + (t * z * POLYNOMIAL_ATAN(z) + low));
}

PART double atan_double(double x) {
  double r = copysign(angle(fabs(x), 1), x);
  return fabs(x) < 0x1p-30 ? x : r; /* the square of a small one is denormal */
}

PART double atan2_double(double y, double x) {
  double ay = fabs(y), ax = fabs(x);
  int both = isinf(y) && isinf(x), large = !both && fmax(ay, ax) > 0x1p1000;
  ay = both ? 1 : large ? ay * 0.25 : ay;
  ax = both ? 1 : large ? ax * 0.25 : ax;
  ax = ay == 0 && ax == 0 ? 1 : ax;
  double r = angle(ay, ax);
  r = as_long(x) < 0 ? 2 * PI_HALF_1 - (r - 2 * PI_HALF_2) : r;
  return isnan(x) || isnan(y) ? NAN_D : copysign(r, y);
}

/* asin of x up to 0.5, or of sqrt(z) with z = x^2, less x. */
PART double asin_rest(double x, double z) { return x * z * POLYNOMIAL_ASIN(z); }

PART double asin_double(double x) {
  double a = fabs(x);
  int large = a > 0.5;
  double z = large ? (1 - a) * 0.5 : a * a, s = large ? sqrt(z) : a, rest = asin_rest(s, z);
  double r = large ? PI_HALF_1 - (2 * (s + rest) - PI_HALF_2) : s + rest;
  return copysign(r, x);
}

PART double acos_double(double x) {
  double a = fabs(x);
  int large = a > 0.5;
  double z = large ? (1 - a) * 0.5 : a * a, s = large ? sqrt(z) : x, rest = asin_rest(s, z);
  double outer = x < 0 ? 2 * PI_HALF_1 - (2 * (s + rest) - 2 * PI_HALF_2) : 2 * (s + rest);
  return large ? outer : PI_HALF_1 - (s - (PI_HALF_2 - rest));
}

PART double sinh_double(double x) {
  double a = fabs(x), e = expm1_double(fmin(a, 30.0)), small = 0.5 * (e + e / (e + 1));
  double r = a > 25 ? exp_shifted(a, -1) : small;
  r = a < 0x1p-30 ? a : r;
  return isnan(x) ? x : copysign(r, x);
}

PART double cosh_double(double x) {
  double h = exp_shifted(fabs(x), -1);
  return isnan(x) ? x : h + 0.25 / h;
}

PART double tanh_double(double x) {
  double a = fabs(x), e = expm1_double(2 * fmin(a, 30.0)), r = e / (e + 2);
  r = a < 0x1p-30 ? a : r;
  return isnan(x) ? x : copysign(r, x);
}

PART double asinh_double(double x) {
  double a = fabs(x), large = log_double(a) + LN2, small = log1p_double(a + a * a / (1 + sqrt(a * a + 1)));
  return copysign(a > 0x1p28 ? large : small, x);
}

PART double acosh_double(double x) {
  double t = x - 1, r = log1p_double(t + sqrt(2 * t + t * t));
  return x > 0x1p28 ? log_double(x) + LN2 : x < 1 ? NAN_D : r;
}

PART double atanh_double(double x) {
  double a = fabs(x);
  double r = a > 1 ? NAN_D : 0.5 * log1p_double(2 * a / (1 - a));
  return copysign(r, x);
}

/* log(x) of a positive finite number, with about 65 bits. */
PART twofold log_twofold(double x) {
  log_parts p = split_log(x);
  double d = 2 + p.f, d_low = p.f - (d - 2), s = p.f / d;
  twofold sd = two_product(s, d);
  double s_low = (((p.f - sd.high) - sd.low) - s * d_low) / d;
  /* 2 s + 2/3 s^3 + s^5 Q(s^2): the first two in two parts. */
  twofold z = two_product(s, s);
  z.low += 2 * s * s_low;
  twofold c = two_product(z.high, s);
  c.low += z.low * s + z.high * s_low;
  twofold t = two_product(c.high, TWO_THIRDS_1);
  t.low += c.high * TWO_THIRDS_2 + c.low * TWO_THIRDS_1;
  double tail = c.high * z.high * POLYNOMIAL_LOG_POW(z.high);
  twofold sum = two_sum(2 * s, t.high), all = two_sum(p.e * LN2_1, sum.high);
  double low = all.low + (sum.low + (tail + t.low + 2 * s_low) + p.e * LN2_2);
  twofold r = {all.high + low, (all.high - (all.high + low)) + low};
  return r;
}

/* x^(y + low) of a positive finite number. No larger y gives another result. */
PART double power(double x, double y, double low) {
  y = clamped(y, -0x1p65, 0x1p65);
  twofold l = log_twofold(x), p = two_product(y, l.high);
  p.low += y * l.low + low * l.high;
  double high = clamped(p.high, -800, 800);
  return exp_sum(high, high == p.high ? p.low : 0, 0);
}

/* The cases of a power that are not of a positive finite number. whole and odd tell whether the
 * exponent is; large that the number is 1 at least and positive that the exponent is. */
PART double power_special(double x, double r, int negative_exponent, int whole, int odd) {
  double a = fabs(x);
  r = a == 0 || a == INF_D ? ((a == 0) == negative_exponent ? INF_D : 0) : r;
  r = as_long(x) < 0 && odd ? -r : r;
  return x < 0 && a != INF_D && !whole ? NAN_D : r;
}

/* pow by a function for positive finite numbers. */
#define POW(x, y, positive) \
  ({ \
    double pow_r = positive; \
    int pow_whole = rint(y) == y, pow_odd = pow_whole && fabs(y) < 0x1p53 && rint(0.5 * y) != 0.5 * y; \
    pow_r = power_special(x, pow_r, y < 0, pow_whole, pow_odd); \
    pow_r = isnan(x) || isnan(y) ? NAN_D : pow_r; \
    pow_r = fabs(x) == 1 && isinf(y) ? 1 : pow_r; \
    y == 0 || x == 1 ? 1 : pow_r; \
  })

/* powr(x, y) is NaN where the limit of x^y depends on the way. */
#define POWR(x, y, positive) \
  ({ \
    double powr_r = power_special(x, positive, y < 0, 1, 0); \
    int powr_bad = x < 0 || isnan(x) || isnan(y) || (y == 0 && (x == 0 || isinf(x))) || (x == 1 && isinf(y)); \
    powr_bad ? NAN_D : powr_r; \
  })

#define ROOTN(x, n, positive) \
  ({ \
    double root_r = power_special(x, positive, n < 0, n & 1, n & 1); \
    root_r = x < 0 && !(n & 1) ? NAN_D : root_r; \
    n == 0 || isnan(x) ? NAN_D : root_r; \
  })

PART double rootn_positive(double x, int n) {
  double d = n == 0 ? 1 : n, y = 1 / d;
  twofold p = two_product(y, d);
  return power(x, y, ((1 - p.high) - p.low) / d);
}

/* From a third of the exponent, three steps of Halley; the last one is a correction. */
PART double cbrt_double(double x) {
  double a = fabs(x), v = a > 0x1p300 ? a * 0x1p-600 : a < 0x1p-300 ? a * 0x1p600 : a;
  double t = as_double((ulong)((uint)(as_ulong(v) >> 32) / 3 + 715094163u) << 32), c = t * t * t;
  t = t * (c + 2 * v) / (2 * c + v);
  c = t * t * t;
  t = t * (c + 2 * v) / (2 * c + v);
  c = t * t * t;
  t = t + t * (v - c) / (2 * c + v);
  t = a > 0x1p300 ? t * 0x1p200 : a < 0x1p-300 ? t * 0x1p-200 : t;
  return x == 0 || !isfinite(x) ? x : copysign(t, x);
}

PART double hypot_double(double x, double y) {
  double a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y));
  double s = a > 0x1p510 ? 0x1p-600 : a < 0x1p-400 ? 0x1p600 : 1, back = a > 0x1p510 ? 0x1p600 : a < 0x1p-400 ? 0x1p-600 : 1;
  double u = a * s, v = b * s, r = sqrt(u * u + v * v) * back;
  r = isnan(x) || isnan(y) ? NAN_D : r;
  return isinf(x) || isinf(y) ? INF_D : r;
}

/* Gamma of a number from 0 to 3, by that from 2 to 3. */
#define GAMMA_SMALL(a, polynomial) \
  ({ \
    double gamma_t = a - (a < 1 ? 0.5 : a < 2 ? 1.5 : 2.5); \
    polynomial(gamma_t) / (a < 1 ? a * (1 + a) : a < 2 ? a : 1); \
  })

/* The logarithm of gamma of a number from 0 to 3, with its zeros at 1 and 2 as factors. */
#define LOG_GAMMA_SMALL(a, polynomial, log) \
  ({ \
    double log_gamma_t = a < 1 ? a - 1 : a - 2; \
    double log_gamma_r = 0 + log_gamma_t * (log_gamma_t + 1) * polynomial(log_gamma_t); /* no -0 */ \
    a < 1 ? log_gamma_r - log(a) : log_gamma_r; \
  })

/* The logarithm of gamma of 3 and more, up to 2^60, by Stirling's formula and its error. */
PART twofold log_gamma_large(double x) {
  twofold l = log_twofold(x);
  double factor = x - 0.5;
  twofold p = two_product(factor, l.high), s = two_sum(p.high, -x), t = two_sum(s.high, HALF_LOG_TAU_1);
  double rest = POLYNOMIAL_STIRLING(1 / (x * x)) / x + (p.low + factor * l.low + HALF_LOG_TAU_2);
  double low = s.low + t.low + rest;
  twofold r = {t.high + low, (t.high - (t.high + low)) + low};
  return r;
}

/* gamma(-a) = -pi / (a sin(pi a) gamma(a)); gamma of 200 and more is infinite. */
PART double tgamma_double(double x) {
  double a = fabs(x), r;
  if (a < 3) {
    r = GAMMA_SMALL(a, POLYNOMIAL_GAMMA);
    double s = a * sinpi_double(a);
    r = x > 0 ? r : a < 0x1p-60 ? -1 / a : -2 * PI_HALF_1 / (s * r);
  } else {
    twofold l = log_gamma_large(fmin(a, 200.0));
    double sign = x < 0 ? -1 : 1;
    r = exp_sum(sign * l.high, sign * l.low, x < 0 ? 200 : 0);
    r = x < 0 ? -2 * PI_HALF_1 / (a * sinpi_double(a)) * r * 0x1p-200 : r;
  }
  r = x < 0 && rint(x) == x ? NAN_D : r;
  r = x == 0 ? copysign(INF_D, x) : r;
  return isnan(x) ? x : r;
}

PART double lgamma_double(double x) {
  double a = fabs(x), r;
  if (a < 3)
    r = LOG_GAMMA_SMALL(a, POLYNOMIAL_LOG_GAMMA, log_double);
  else if (a < 0x1p60)
    r = log_gamma_large(a).high;
  else
    r = a * (log_double(a) - 1);
  if (x < 0)
    r = a < 0x1p-60 ? -log_double(a) : log_double(2 * PI_HALF_1 / (a * fabs(sinpi_double(a)))) - r;
  r = x <= 0 && rint(x) == x ? INF_D : r;
  return isnan(x) ? x : isinf(x) ? INF_D : r;
}

/* The sign of gamma: it changes at each negative integer, where it is 1 here. */
PART int gamma_sign(double x) {
  double n = floor(x);
  int odd = n != 2 * floor(0.5 * n);
  return x < 0 && n != x && odd ? -1 : as_long(x) < 0 && x == 0 ? -1 : 1;
}

/* erfc of 0.5 and more. */
PART double erfc_tail(double x) {
  double c = fmin(x, 30.0), h = as_double(as_ulong(c) & 0xfffffffff8000000ul), t = (c - 4) / (c + 4);
  double r = exp_sum(-h * h, -(c - h) * (c + h), 0);
  return r * POLYNOMIAL_ERFCX(t) / (1 + 2 * c);
}

PART double erf_double(double x) {
  double a = fabs(x), r = a < 1 ? a * POLYNOMIAL_ERF(a * a) : 1 - erfc_tail(a);
  return isnan(x) ? x : copysign(r, x);
}

PART double erfc_double(double x) {
  double a = fabs(x), tail = erfc_tail(a), r = a < 0.5 ? 1 - x * POLYNOMIAL_ERF(x * x) : x < 0 ? 2 - tail : tail;
  return isnan(x) ? x : r;
}

/* The remainder of |x| / |y| with the sign of x, by division of the mantissas, 11 bits a step. */
PART double fmod_double(double x, double y) {
  ulong a = as_ulong(x) & 0x7ffffffffffffffful, b = as_ulong(y) & 0x7ffffffffffffffful;
  ulong r = a;
  if (b == 0 || a >= 0x7ff0000000000000ul || b > 0x7ff0000000000000ul)
    return NAN_D;
  if (a >= b) {
    int ea = max((int)(a >> 52), 1), eb = max((int)(b >> 52), 1), n = ea - eb;
    ulong m = (a & 0xffffffffffffful) | (a >> 52 ? 0x10000000000000ul : 0);
    ulong d = (b & 0xffffffffffffful) | (b >> 52 ? 0x10000000000000ul : 0);
    for (m %= d; n > 0; n -= 11)
      m = (m << min(n, 11)) % d;
    int shift = m ? (int)clz(m) - 11 : 0;
    shift = min(shift, eb - 1);
    m <<= shift;
    eb -= shift;
    r = m >> 52 ? (m & 0xffffffffffffful) | (ulong)eb << 52 : m;
  }
  return as_double(r | (as_ulong(x) & 0x8000000000000000ul));
}

/* The remainder of the nearest quotient; the even one if two are as near. */
PART double remainder_double(double x, double y) {
  double b = fabs(y), r = fabs(b <= 0x1p1022 ? fmod_double(x, b + b) : x);
  if (isnan(x) || isnan(y) || isinf(x) || y == 0)
    return NAN_D;
  if (b < 0x1p-1000 ? r + r > b : r > 0.5 * b) {
    r -= b;
    if (b < 0x1p-1000 ? r + r >= b : r >= 0.5 * b)
      r -= b;
  }
  return as_long(x) < 0 ? -r : r;
}

/* The remainder with the sign of y. */
PART double floor_mod(double x, double y) {
  double r = fmod_double(x, y);
  return r != 0 && (as_long(r) < 0) != (as_long(y) < 0) ? r + y : r;
}
