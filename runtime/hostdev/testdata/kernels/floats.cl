// Arithmetic and comparisons of floats, exact.
#pragma OPENCL FP_CONTRACT OFF

#define OUTPUTS 24
#define KERNEL(T, I) \
kernel void arithmetic_##T(global const T *a, global const T *b, global T *out) { \
  size_t i = get_global_id(0); \
  T x = a[i], y = b[i]; \
  global T *o = out + i * OUTPUTS; \
  o[0] = x + y; \
  o[1] = x - y; \
  o[2] = x * y; \
  o[3] = x / y; \
  o[4] = -x; \
  o[5] = fma(x, y, (T)1.5); \
  o[6] = mad(x, y, (T)1.5); \
  o[7] = fmin(x, y); \
  o[8] = fmax(x, y); \
  o[9] = fabs(x); \
  o[10] = sqrt(x); \
  o[11] = floor(x); \
  o[12] = ceil(x); \
  o[13] = trunc(x); \
  o[14] = rint(x); \
  o[15] = round(x); \
  o[16] = copysign(x, y); \
  o[17] = fmod(x, y); \
  o[18] = remainder(x, y); \
  o[19] = fdim(x, y); \
  o[20] = clamp(x, (T)-1, (T)2); \
  o[21] = nextafter(x, y); \
  o[22] = maxmag(x, y); \
  o[23] = ldexp(x, (int)3); \
} \
kernel void comparisons_##T(global const T *a, global const T *b, global int *out) { \
  size_t i = get_global_id(0); \
  T x = a[i], y = b[i]; \
  out[2 * i] = (x == y) | (x != y) << 1 | (x < y) << 2 | (x <= y) << 3 | (x > y) << 4 | (x >= y) << 5 \
    | !(x < y) << 6 | !(x <= y) << 7 | !(x > y) << 8 | !(x >= y) << 9 | !(x == y) << 10; \
  out[2 * i + 1] = isnan(x) | isinf(x) << 1 | isfinite(x) << 2 | isnormal(x) << 3 | (signbit(x) != 0) << 4 \
    | isordered(x, y) << 5 | isunordered(x, y) << 6 | islessgreater(x, y) << 7 \
    | isequal(x, y) << 8 | isnotequal(x, y) << 9 | isgreater(x, y) << 10 | isgreaterequal(x, y) << 11 \
    | isless(x, y) << 12 | islessequal(x, y) << 13; \
} \
kernel void splits_##T(global const T *a, global T *out, global int *iout) { \
  size_t i = get_global_id(0); \
  T t; int n; \
  out[5 * i] = fract(a[i], &t); \
  out[5 * i + 1] = t; \
  out[5 * i + 2] = modf(a[i], &t); \
  out[5 * i + 3] = t; \
  out[5 * i + 4] = frexp(a[i], &n); \
  iout[4 * i] = n; \
  iout[4 * i + 1] = ilogb(a[i]); \
  (void)remquo(a[i], (T)0.75, &n); \
  iout[4 * i + 2] = n; \
  iout[4 * i + 3] = (int)logb(a[i]); \
}

KERNEL(float, int)
KERNEL(double, long)

// comparisons of vectors give -1
kernel void vector_compare(global const float4 *a, global const float4 *b, global int4 *out) {
  size_t i = get_global_id(0);
  out[i] = (a[i] < b[i]) + 2 * isnan(a[i]) + 4 * isnotequal(a[i], b[i]);
}
