// half in memory: loads and stores of floats and doubles.

kernel void load_halves(global const half *in, global float *out) {
  size_t i = get_global_id(0);
  out[i] = vload_half(i, in);
}

kernel void store_halves(global const float *in, global half *out, global const double *din, global half *dout) {
  size_t i = get_global_id(0);
  vstore_half(in[i], 5 * i, out);
  vstore_half_rte(in[i], 5 * i + 1, out);
  vstore_half_rtz(in[i], 5 * i + 2, out);
  vstore_half_rtp(in[i], 5 * i + 3, out);
  vstore_half_rtn(in[i], 5 * i + 4, out);
  vstore_half_rte(din[i], 4 * i, dout);
  vstore_half_rtz(din[i], 4 * i + 1, dout);
  vstore_half_rtp(din[i], 4 * i + 2, dout);
  vstore_half_rtn(din[i], 4 * i + 3, dout);
}

kernel void half_vectors(global const half *in, global half *out, global float4 *wide) {
  size_t i = get_global_id(0);
  wide[2 * i] = vload_half4(i, in);
  wide[2 * i + 1] = (float4)(vloada_half3(i, in), 1);
  vstore_half3(vload_half3(i, in) * 2, i, out);
  vstorea_half4(vloada_half4(i, in) * 3, i + 8, out);
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void half_arithmetic(global const half *a, global const half *b, global half *out, global int *iout) {
  size_t i = get_global_id(0);
  half x = a[i], y = b[i];
  out[6 * i] = x + y;
  out[6 * i + 1] = x * y;
  out[6 * i + 2] = x / y;
  out[6 * i + 3] = fma(x, y, (half)1);
  out[6 * i + 4] = -x;
  out[6 * i + 5] = (half)((float)x + 0.5f);
  iout[2 * i] = (x < y) | (x == y) << 1 | isnan(x) << 2;
  iout[2 * i + 1] = convert_int_sat(x);
}

// Halves in every kind of memory, and results in local memory.
constant float table[4] = {0.5f, -1.25f, 3, 8};
kernel void half_places(global const ushort *in, global ushort *out, global float *quotients) {
  size_t i = get_global_id(0), own = get_local_id(0);
  local ushort shared[16];
  local float whole[16];
  ushort private_bits[4];
  shared[own] = in[i];
  for (int k = 0; k < 4; k++) private_bits[k] = in[(i + k) % 16];
  float2 pair = vload_half2(i & 1, (half *)private_bits);
  vstore_half_rte(pair.x * table[i & 3] + pair.y, i, (global half *)out);
  vstore_half(vload_half(0, (local half *)&shared[own]) + 1, 0, (local half *)&shared[own]);
  out[16 + i] = shared[own];
  float x = vload_half(i, (global const half *)in);
  quotients[2 * i] = fract(x, &whole[own]);
  quotients[2 * i + 1] = whole[own];
}
kernel void half_sums(global const half *in, global half *out) {
  size_t i = get_global_id(0);
  half x = in[i];
  out[i] = work_group_reduce_add(x);
  out[16 + i] = work_group_scan_inclusive_max(x);
}
