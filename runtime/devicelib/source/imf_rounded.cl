/* imf_rounded.cl: sums, products, quotients, fused products and square roots with a
 * rounding mode, of sycl::ext::intel::math. The device rounds to nearest; the sign of
 * its error, which is computed exactly, says whether the next number is the result.
 */
#include "library.h"
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

enum mode { DOWN, NEAREST, UP, TO_ZERO };

static double below(double x) {
  if (x == 0)
    return as_double(0x8000000000000001ul);
  return as_double(as_long(x) + (x > 0 ? -1 : 1));
}

static double above(double x) { return -below(-x); }

/* The result in a mode: rounded is the nearest number to it, and the sign of rest that
 * of their difference. Operands were finite, so that an infinity is an overflow. */
static double correct(double rounded, double rest, enum mode mode) {
  bool down = mode == DOWN || (mode == TO_ZERO && rounded > 0);
  bool up = mode == UP || (mode == TO_ZERO && rounded < 0);
  if (isinf(rounded)) {
    if (rounded > 0)
      return down ? DBL_MAX : rounded;
    return up ? -DBL_MAX : rounded;
  }
  if (down && rest < 0)
    return below(rounded);
  return up && rest > 0 ? above(rounded) : rounded;
}

/* The error of sum, exactly (Dekker), where it did not overflow. */
static double rest_of_sum(double x, double y, double sum) {
  return fabs(x) >= fabs(y) ? y - (sum - x) : x - (sum - y);
}

/* A sum of 0 is -0 where the mode is down, but for that of two +0. */
static bool is_negative_zero(double x, double y, double sum, enum mode mode) {
  return sum == 0 && mode == DOWN && (as_ulong(x) | as_ulong(y)) != 0;
}

static double add_double(double x, double y, enum mode mode) {
  double sum = x + y;
  if (mode == NEAREST || !isfinite(x) || !isfinite(y))
    return sum;
  if (is_negative_zero(x, y, sum, mode))
    return -0.0;
  return correct(sum, rest_of_sum(x, y, sum), mode);
}

/* The operands are brought between 0.5 and 1, so that no product underflows. */
static double multiply_double(double x, double y, enum mode mode) {
  double product = x * y;
  if (mode == NEAREST || !isfinite(x) || !isfinite(y) || x == 0 || y == 0)
    return product;
  int n, m;
  double a = frexp(x, &n), b = frexp(y, &m);
  return correct(product, isinf(product) ? 0 : fma(a, b, -ldexp(product, -n - m)), mode);
}

static double divide_double(double x, double y, enum mode mode) {
  double quotient = x / y;
  if (mode == NEAREST || !isfinite(x) || !isfinite(y) || x == 0 || y == 0)
    return quotient;
  int n, m;
  double a = frexp(x, &n), b = frexp(y, &m);
  double rest = isinf(quotient) ? 0 : fma(-ldexp(quotient, m - n), b, a);
  return correct(quotient, b < 0 ? -rest : rest, mode);
}

static double root_double(double x, enum mode mode) {
  double root = sqrt(x);
  if (mode == NEAREST || !isfinite(x) || !(x > 0))
    return root;
  int n;
  double a = frexp(x, &n);
  if (n & 1)
    a *= 2, n--;
  double scaled = ldexp(root, -n / 2);
  return correct(root, fma(-scaled, scaled, a), mode);
}

/* A sum without a first error: s + *rest is x + y (Knuth). */
static double two_sum(double x, double y, double *rest) {
  double s = x + y, part = s - x;
  *rest = (x - (s - part)) + (y - part);
  return s;
}

/* The sign of a b + c - r, where a and b are between 0.5 and 1, c is neither very
 * large nor very small beside them, and r is near the sum (after Boldo and Muller). */
static double rest_of_fma(double a, double b, double c, double r) {
  double product = a * b, low = fma(a, b, -product), z, second, third, fourth;
  double first = two_sum(c, low, &z);
  double sum = two_sum(product, first, &second);
  double total = two_sum(sum - r, second, &third);
  third = two_sum(third, z, &fourth);
  total = two_sum(total, third, &second);
  return total != 0 ? total : second + fourth;
}

static double fma_double(double x, double y, double c, enum mode mode) {
  double result = fma(x, y, c);
  if (mode == NEAREST || !isfinite(x) || !isfinite(y) || !isfinite(c))
    return result;
  if (x == 0 || y == 0)
    return add_double(x * y, c, mode);
  if (c == 0)
    return multiply_double(x, y, mode);
  if (isinf(result))
    return correct(result, 0, mode);
  int n, m, k;
  double a = frexp(x, &n), b = frexp(y, &m), product = a * b;
  (void)frexp(c, &k);
  int apart = k - n - m;
  if (apart > 200) /* result is c */
    return correct(result, product, mode);
  double scaled = ldexp(result, -n - m), rest;
  if (apart < -200) {
    rest = fma(a, b, -scaled);
    rest = rest != 0 ? rest : c;
  } else {
    rest = rest_of_fma(a, b, ldexp(c, -n - m), scaled);
    if (rest == 0 && result == 0 && mode == DOWN)
      return -0.0;
  }
  return correct(result, rest, mode);
}

/* A float of a double and of the sign of the double's error. */
static float narrow(double x, double rest, enum mode mode) {
  float f = mode == DOWN ? convert_float_rtn(x) : mode == UP ? convert_float_rtp(x) : convert_float_rtz(x);
  if (f != x || rest == 0 || isinf(f))
    return f;
  bool down = mode == DOWN || (mode == TO_ZERO && x > 0), up = mode == UP || (mode == TO_ZERO && x < 0);
  if ((down && rest < 0) || (up && rest > 0)) {
    if (f == 0)
      return as_float(down ? 0x80000001u : 1u);
    return as_float(as_int(f) + ((f > 0) == up ? 1 : -1));
  }
  return f;
}

static float add_float(float x, float y, enum mode mode) {
  if (mode == NEAREST || !isfinite(x) || !isfinite(y))
    return x + y;
  double sum = (double)x + (double)y;
  if (is_negative_zero(x, y, sum, mode))
    return -0.0f;
  return narrow(sum, rest_of_sum(x, y, sum), mode);
}

static float multiply_float(float x, float y, enum mode mode) {
  return mode == NEAREST ? x * y : narrow((double)x * (double)y, 0, mode);
}

static float divide_float(float x, float y, enum mode mode) {
  double quotient = (double)x / (double)y;
  if (mode == NEAREST || !isfinite(x) || !isfinite(y) || y == 0)
    return mode == NEAREST ? x / y : (float)quotient;
  double rest = fma(-quotient, (double)y, (double)x);
  return narrow(quotient, y < 0 ? -rest : rest, mode);
}

static float root_float(float x, enum mode mode) {
  double root = sqrt((double)x);
  if (mode == NEAREST || !isfinite(x) || !(x > 0))
    return mode == NEAREST ? sqrt(x) : (float)root;
  return narrow(root, fma(-root, root, (double)x), mode);
}

static float fma_float(float x, float y, float c, enum mode mode) {
  if (mode == NEAREST || !isfinite(x) || !isfinite(y) || !isfinite(c))
    return fma(x, y, c);
  double product = (double)x * (double)y, sum = product + (double)c;
  if (is_negative_zero(product, c, sum, mode))
    return -0.0f;
  return narrow(sum, rest_of_sum(product, c, sum), mode);
}

#define IN_MODES(type, name, parameters, function, ...) \
  IMF(type, name##_rd, parameters, function(__VA_ARGS__, DOWN)) \
  IMF(type, name##_rn, parameters, function(__VA_ARGS__, NEAREST)) \
  IMF(type, name##_ru, parameters, function(__VA_ARGS__, UP)) \
  IMF(type, name##_rz, parameters, function(__VA_ARGS__, TO_ZERO))

IN_MODES(float, fadd, (float x, float y), add_float, x, y)
IN_MODES(float, fsub, (float x, float y), add_float, x, -y)
IN_MODES(float, fmul, (float x, float y), multiply_float, x, y)
IN_MODES(float, fdiv, (float x, float y), divide_float, x, y)
IN_MODES(float, frcp, (float x), divide_float, 1.0f, x)
IN_MODES(float, fmaf, (float x, float y, float z), fma_float, x, y, z)
IN_MODES(float, sqrtf, (float x), root_float, x)
IN_MODES(double, dadd, (double x, double y), add_double, x, y)
IN_MODES(double, dsub, (double x, double y), add_double, x, -y)
IN_MODES(double, dmul, (double x, double y), multiply_double, x, y)
IN_MODES(double, ddiv, (double x, double y), divide_double, x, y)
IN_MODES(double, drcp, (double x), divide_double, 1.0, x)
IN_MODES(double, fma, (double x, double y, double z), fma_double, x, y, z)
IN_MODES(double, sqrt, (double x), root_double, x)
