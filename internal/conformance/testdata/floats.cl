// Floating-point arithmetic and the functions whose results OpenCL prescribes.

#pragma OPENCL FP_CONTRACT OFF

kernel void arithmetic_float(global float *out, global const float *a, global const float *b) {
  size_t i = get_global_id(0);
  float x = a[i], y = b[i + 3];
  out += i * 6;
  out[0] = x + y; out[1] = x - y; out[2] = x * y; out[3] = x / (y * y + 1); out[4] = -x; out[5] = fmod(x, 3.5f);
}
kernel void arithmetic_double(global double *out, global const double *a, global const double *b) {
  size_t i = get_global_id(0);
  double x = a[i], y = b[i + 3];
  out += i * 6;
  out[0] = x + y; out[1] = x - y; out[2] = x * y; out[3] = x / (y * y + 1); out[4] = -x; out[5] = sqrt(x * x);
}
kernel void rounding(global float *out, global const float *a) {
  size_t i = get_global_id(0);
  float x = a[i];
  out += i * 6;
  out[0] = floor(x); out[1] = ceil(x); out[2] = trunc(x); out[3] = rint(x); out[4] = round(x); out[5] = fract(x, out + 6 * 32 + i);
}
kernel void parts(global float *out, global int *exponents, global const float *a) {
  size_t i = get_global_id(0);
  int e;
  float whole;
  out[i * 4] = frexp(a[i], &e);
  exponents[i * 2] = e;
  out[i * 4 + 1] = modf(a[i], &whole);
  out[i * 4 + 2] = whole;
  out[i * 4 + 3] = ldexp(a[i], (int)i - 16);
  exponents[i * 2 + 1] = ilogb(a[i] * a[i] + 1);
}
kernel void choices(global float *out, global const float *a, global const float *b) {
  size_t i = get_global_id(0);
  float x = a[i], y = b[i + 1];
  out += i * 9;
  out[0] = fmin(x, y); out[1] = fmax(x, y); out[2] = fabs(x); out[3] = copysign(x, y); out[4] = fdim(x, y);
  out[5] = clamp(x, -2.0f, 2.0f); out[6] = step(x, y); out[7] = sign(x); out[8] = maxmag(x, y) + minmag(x, y);
}
kernel void fused(global float *out, global double *wide, global const float *a, global const double *b) {
  size_t i = get_global_id(0);
  out[i * 2] = fma(a[i], a[i + 1], a[i + 2]);
  out[i * 2 + 1] = mad(a[i], 2.0f, 1.0f);
  wide[i] = fma(b[i], b[i + 1], b[i + 2]);
}
kernel void neighbours(global float *out, global const float *a) {
  size_t i = get_global_id(0);
  out[i * 4] = nextafter(a[i], 1000.0f);
  out[i * 4 + 1] = nextafter(a[i], -1000.0f);
  out[i * 4 + 2] = remainder(a[i], 3.25f);
  int quotient;
  out[i * 4 + 3] = remquo(a[i], 3.25f, &quotient) + quotient;
}
kernel void roots(global float *out, global const float *a) {
  size_t i = get_global_id(0);
  float x = fabs(a[i]);
  out[i * 3] = sqrt(x); out[i * 3 + 1] = rsqrt(x + 1); out[i * 3 + 2] = hypot(x, 3.0f);
}
kernel void transcendental(global float *out, global const float *a) {
  size_t i = get_global_id(0);
  float x = a[i] / 1000, y = fabs(x) + 0.5f, c;
  out += i * 24;
  out[0] = sin(x); out[1] = cos(x); out[2] = tan(x); out[3] = asin(x / 100); out[4] = acos(x / 100); out[5] = atan(x);
  out[6] = exp(x / 50); out[7] = exp2(x / 50); out[8] = exp10(x / 50); out[9] = log(y); out[10] = log2(y); out[11] = log10(y);
  out[12] = pow(y, 1.25f); out[13] = pown(y, 3); out[14] = rootn(y, 3); out[15] = atan2(x, y); out[16] = sinh(x / 50); out[17] = tanh(x);
  out[18] = sincos(x, &c); out[19] = c; out[20] = erf(x); out[21] = cbrt(x); out[22] = tgamma(y); out[23] = log1p(y);
}
kernel void native(global float *out, global const float *a) {
  size_t i = get_global_id(0);
  float x = fabs(a[i]) + 1;
  out += i * 6;
  out[0] = native_sin(x / 100000); out[1] = native_exp(x / 100000); out[2] = native_sqrt(x); out[3] = native_recip(x); out[4] = half_rsqrt(x); out[5] = native_divide(x, 3.0f);
}
kernel void geometry(global float *out, global const float4 *a, global const float3 *b) {
  size_t i = get_global_id(0);
  float4 x = a[i], y = a[i + 1];
  out += i * 8;
  out[0] = dot(x, y); out[1] = length(x); out[2] = distance(x, y); vstore4(cross(x, y), 1, out);
  out[3] = fast_length(x.xyz);
  vstore3(normalize(b[i] + 1.0f), 0, out);
}
kernel void relations(global int *out, global const float *a, global const double *b) {
  size_t i = get_global_id(0);
  float x = a[i], y = a[i + 1], n = as_float(0x7fc00000), f = as_float(0x7f800000);
  double d = b[i], e = b[i + 1];
  out += i * 4;
  out[0] = isequal(x, y) | isnotequal(x, y) << 1 | isgreater(x, y) << 2 | isgreaterequal(x, y) << 3 | isless(x, y) << 4 | islessequal(x, y) << 5 |
           islessgreater(x, y) << 6 | isfinite(x) << 7 | isinf(f) << 8 | isnan(n) << 9 | isnormal(x) << 10 | isordered(x, n) << 11 |
           isunordered(x, n) << 12 | signbit(x) << 13;
  out[1] = isequal(d, e) | isless(d, e) << 1 | signbit(d) << 2 | isnan(d - d) << 3;
  out[2] = (x < y) | (x <= y) << 1 | (x == n) << 2 | (x != n) << 3 | !(x < n) << 4 | !(x > y) << 5;
  int2 v = isgreater((float2)(x, y), (float2)(y, x));
  out[3] = v.x ^ v.y << 1 ^ any(v) << 2 ^ all(v) << 3;
}
kernel void double_functions(global double *out, global const double *a) {
  size_t i = get_global_id(0);
  double x = a[i];
  out += i * 8;
  out[0] = floor(x); out[1] = rint(x); out[2] = fmax(x, 2.0); out[3] = fabs(x); out[4] = trunc(x); out[5] = ldexp(x, 3); out[6] = copysign(1.0, x); out[7] = fmod(x, 2.5);
}
kernel void constants(global float *out, global double *wide) {
  size_t i = get_global_id(0);
  out[i * 4] = M_PI_F; out[i * 4 + 1] = FLT_MAX; out[i * 4 + 2] = FLT_EPSILON * i; out[i * 4 + 3] = 0x1.8p-3f;
  wide[i * 2] = M_PI * i; wide[i * 2 + 1] = DBL_MIN;
}
kernel void classes(global int *out, global const uint *a) {
  size_t i = get_global_id(0);
  uint bits[8] = {0, 0x80000000, 1, 0x7f800000, 0xff800000, 0x7fc00001, 0x3f800000, 0x807fffff};
  float x = as_float(bits[i & 7]);
  out[i] = isnan(x) | isinf(x) << 1 | isfinite(x) << 2 | isnormal(x) << 3 | signbit(x) << 4 | (x == 0) << 5;
}
// Numbers beside vectors, which OpenCL.std does not have.
kernel void numbers_beside_vectors(global float4 *out, global int4 *whole, global const float4 *a, global const int4 *b) {
  size_t i = get_global_id(0);
  float4 x = a[i];
  float y = a[i + 1].y;
  out += i * 9;
  out[0] = fmax(x, y); out[1] = fmin(x, y); out[2] = max(x, y); out[3] = min(x, 1.0f); out[4] = clamp(x, -y * y, 2.0f);
  out[5] = mix(x, a[i + 2], 0.25f); out[6] = step(y, x); out[7] = smoothstep(0.25f, 2.0f, x); out[8] = ldexp(x, (int)i - 16);
  whole += i * 3;
  whole[0] = max(b[i], 4); whole[1] = min(b[i], b[i + 1].x); whole[2] = clamp(b[i], 2, 7);
}
