// Functions, compared within the error that OpenCL allows.

#define UNARY(T, F) kernel void F##_##T(global const T *a, global const T *b, global T *out) { \
  size_t i = get_global_id(0); out[i] = F(a[i]); }
#define BINARY(T, F) kernel void F##_##T(global const T *a, global const T *b, global T *out) { \
  size_t i = get_global_id(0); out[i] = F(a[i], b[i]); }
#define ALL(T) \
UNARY(T, acos) UNARY(T, acosh) UNARY(T, acospi) UNARY(T, asin) UNARY(T, asinh) UNARY(T, asinpi) \
UNARY(T, atan) UNARY(T, atanh) UNARY(T, atanpi) UNARY(T, cbrt) UNARY(T, cos) UNARY(T, cosh) UNARY(T, cospi) \
UNARY(T, erf) UNARY(T, erfc) UNARY(T, exp) UNARY(T, exp2) UNARY(T, exp10) UNARY(T, expm1) \
UNARY(T, log) UNARY(T, log2) UNARY(T, log10) UNARY(T, log1p) UNARY(T, rsqrt) UNARY(T, sin) UNARY(T, sinh) \
UNARY(T, sinpi) UNARY(T, tan) UNARY(T, tanh) UNARY(T, tanpi) UNARY(T, tgamma) UNARY(T, lgamma) \
UNARY(T, degrees) UNARY(T, radians) UNARY(T, sign) \
BINARY(T, atan2) BINARY(T, atan2pi) BINARY(T, hypot) BINARY(T, pow) BINARY(T, powr) BINARY(T, step) BINARY(T, minmag) \
kernel void pown_##T(global const T *a, global const T *b, global T *out) { \
  size_t i = get_global_id(0); out[i] = pown(a[i], (int)b[i]); } \
kernel void rootn_##T(global const T *a, global const T *b, global T *out) { \
  size_t i = get_global_id(0); out[i] = rootn(a[i], (int)b[i]); } \
kernel void mix_##T(global const T *a, global const T *b, global T *out) { \
  size_t i = get_global_id(0); out[i] = mix(a[i], b[i], (T)0.25); } \
kernel void smoothstep_##T(global const T *a, global const T *b, global T *out) { \
  size_t i = get_global_id(0); out[i] = smoothstep((T)-1, (T)3, a[i]); } \
kernel void sincos_##T(global const T *a, global const T *b, global T *out) { \
  size_t i = get_global_id(0); T c; T s = sincos(a[i], &c); out[i] = s * 3 + c; } \
kernel void lgamma_r_##T(global const T *a, global const T *b, global T *out) { \
  size_t i = get_global_id(0); int sign; T v = lgamma_r(a[i], &sign); out[i] = sign * v; }
ALL(float)
ALL(double)

#define FAST(F) kernel void F##_fast(global const float *a, global const float *b, global float *out) { \
  size_t i = get_global_id(0); out[i] = F(a[i]); }
FAST(native_cos) FAST(native_exp) FAST(native_log2) FAST(native_sqrt) FAST(native_recip) FAST(native_rsqrt)
FAST(half_sin) FAST(half_exp10) FAST(half_sqrt) FAST(half_recip)
kernel void native_divide_fast(global const float *a, global const float *b, global float *out) {
  size_t i = get_global_id(0); out[i] = native_divide(a[i], b[i]); }
kernel void half_powr_fast(global const float *a, global const float *b, global float *out) {
  size_t i = get_global_id(0); out[i] = half_powr(a[i], b[i]); }

kernel void geometry(global const float4 *a, global const float4 *b, global float4 *out, global float *sizes) {
  size_t i = get_global_id(0);
  out[3 * i] = cross(a[i], b[i]);
  out[3 * i + 1] = normalize(a[i]);
  out[3 * i + 2] = fast_normalize(b[i]);
  sizes[5 * i] = dot(a[i], b[i]);
  sizes[5 * i + 1] = length(a[i]);
  sizes[5 * i + 2] = distance(a[i], b[i]);
  sizes[5 * i + 3] = fast_length(a[i].xy);
  sizes[5 * i + 4] = fast_distance(a[i].xyz, b[i].xyz);
}

kernel void fused_double(global const double *a, global const double *b, global const double *c, global double *out) {
  size_t i = get_global_id(0);
  out[i] = fma(a[i], b[i], c[i]);
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void fused_half(global const half *a, global const half *b, global const half *c, global half *out) {
  size_t i = get_global_id(0);
  out[i] = fma(a[i], b[i], c[i]);
}
