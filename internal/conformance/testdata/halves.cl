// Half: as a type, and as the form of memory that vload_half and vstore_half read.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void arithmetic(global half *out, global const half *a, global const half *b) {
  size_t i = get_global_id(0);
  half x = a[i], y = b[i + 1];
  out += i * 4;
  out[0] = x + y; out[1] = x - y; out[2] = x * y; out[3] = -x;
}
kernel void vectors(global half4 *out, global const half4 *a) {
  size_t i = get_global_id(0);
  out[i] = a[i] * (half4)(2) + a[i + 1].wzyx;
}
kernel void from_half(global float *out, global const half *a) {
  size_t i = get_global_id(0);
  out[i * 3] = a[i]; out[i * 3 + 1] = convert_float(a[i]); out[i * 3 + 2] = (float)convert_int_sat(a[i]);
}
kernel void to_half(global half *out, global const float *a, global const int *b) {
  size_t i = get_global_id(0);
  out += i * 6;
  out[0] = a[i]; out[1] = convert_half_rte(a[i]); out[2] = convert_half_rtz(a[i]); out[3] = convert_half_rtp(a[i]); out[4] = convert_half_rtn(a[i]);
  out[5] = convert_half((short)b[i]);
}
kernel void memory(global half *out, global const half *a, global const float *b) {
  size_t i = get_global_id(0);
  float x = vload_half(i, a);
  float4 v = vload_half4(i, a);
  vstore_half(x + b[i], i, out);
  vstore_half_rtz(b[i], i + 32, out);
  vstore_half4_rtp(v + 0.3f, i + 16, out);
  vstore_half_rtn(b[i + 1], i + 200, out);
}
kernel void aligned(global half *out, global const half *a) {
  size_t i = get_global_id(0);
  vstorea_half4(vloada_half4(i, a) * 2.0f, i, out);
  vstorea_half3_rte(vloada_half3(i, a), i + 32, out);
}
kernel void functions(global half *out, global const half *a) {
  size_t i = get_global_id(0);
  half x = a[i];
  out += i * 5;
  out[0] = fabs(x); out[1] = floor(x); out[2] = fmax(x, (half)1); out[3] = sqrt(fabs(x)); out[4] = fma(x, (half)2, (half)1);
}
kernel void compare(global int *out, global const half *a) {
  size_t i = get_global_id(0);
  half x = a[i], y = a[i + 1];
  out[i] = (x < y) | (x == y) << 1 | isequal(x, x) << 2 | signbit(x) << 3 | as_ushort(x) << 16;
}
