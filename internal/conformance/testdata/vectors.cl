// Vectors of every length: swizzles, arithmetic, comparisons, shuffles, memory.

kernel void swizzles(global uint4 *out, global const uint4 *a) {
  size_t i = get_global_id(0);
  uint4 x = a[i], y = x;
  y.xz = x.wy; y.s1 = 7; y.hi = y.lo.yx;
  out[i * 3] = y; out[i * 3 + 1] = (uint4)(x.odd, x.even); out[i * 3 + 2] = x.wzyx + x.xxyy;
}
kernel void wide(global int *out, global const int16 *a, global const int8 *b) {
  size_t i = get_global_id(0);
  int16 x = a[i & 7];
  int8 y = b[i & 15];
  x.lo += y; x.sf = 3; x.s0123 = x.s3210;
  vstore16(x, i, out);
  out[32 * 16 + i] = x.sa ^ y.s7;
}
kernel void threes(global int *out, global const int *a, global const float3 *b) {
  size_t i = get_global_id(0);
  int3 x = vload3(i, a);
  x = x.zxy * (int3)(1, 2, 3);
  vstore3(x, i, out);
  float3 f = b[i] + b[i + 1].zzx;
  vstore3(convert_int3_sat(f), i + 32, out);
}
kernel void arithmetic(global short8 *out, global const short8 *a, global const ushort8 *b) {
  size_t i = get_global_id(0);
  short8 x = a[i], y = a[i + 1];
  out[i * 5] = x + y; out[i * 5 + 1] = x * (short8)(3) - y; out[i * 5 + 2] = x >> (short8)(1, 2, 3, 4, 5, 6, 7, 8);
  out[i * 5 + 3] = as_short8(b[i] / (b[i + 1] | (ushort8)(1))); out[i * 5 + 4] = x & ~y;
}
kernel void compares(global int4 *out, global const int4 *a, global const float4 *b) {
  size_t i = get_global_id(0);
  int4 x = a[i], y = a[i + 1];
  out[i * 5] = x < y; out[i * 5 + 1] = x == y; out[i * 5 + 2] = b[i] >= b[i + 1]; out[i * 5 + 3] = (x > 0) && (y > 0); out[i * 5 + 4] = !x;
}
kernel void selects(global int4 *out, global float4 *floats, global const int4 *a, global const float4 *b) {
  size_t i = get_global_id(0);
  out[i * 3] = select(a[i], a[i + 1], a[i + 2]);
  out[i * 3 + 1] = bitselect(a[i], a[i + 1], a[i + 2]);
  out[i * 3 + 2] = a[i].x > 0 ? a[i] : a[i + 1];
  floats[i * 2] = select(b[i], b[i + 1], a[i]);
  floats[i * 2 + 1] = a[i] > a[i + 1] ? b[i] : b[i + 1];
}
kernel void shuffles(global uint *out, global const uint4 *a, global const uint8 *b) {
  size_t i = get_global_id(0);
  vstore4(shuffle(a[i], (uint4)(3, 1, 2, 0)), i * 4, out);
  vstore4(shuffle2(a[i], a[i + 1], (uint4)(7, 0, 5, 2)), i * 4 + 1, out);
  vstore8(shuffle(b[i], b[i + 1] & 7), i * 2 + 1, out);
}
kernel void elements(global int *out, global const int8 *a, int n) {
  size_t i = get_global_id(0);
  int8 x = a[i & 15];
  int sum = 0;
  union { int8 v; int s[8]; } u;
  u.v = x;
  for (int k = 0; k < 8; k++) sum = sum * 3 + u.s[(k + n + i) & 7];
  u.s[n & 7] = 5;
  out[i * 2] = sum; out[i * 2 + 1] = u.v.s3;
}
kernel void loads(global char *out, global const char *a, global const ushort *b) {
  size_t i = get_global_id(0);
  char16 c = vload16(i & 15, a);
  char2 d = vload2(i, a + 1);
  ushort4 e = vload4(i, b + 3);
  vstore16(c + (char16)(d.x), i, out);
  vstore2(d, i + 300, out);
  vstore8(convert_char8((ushort8)(e, e.wzyx)), i + 100, out);
}
kernel void longs(global long2 *out, global const long2 *a, global const ulong4 *b) {
  size_t i = get_global_id(0);
  out[i * 3] = a[i] * a[i + 1]; out[i * 3 + 1] = as_long2(b[i].xw >> b[i + 1].yz); out[i * 3 + 2] = max(a[i], a[i + 1].yx);
}
kernel void doubles(global double4 *out, global const double4 *a, global const float4 *b) {
  size_t i = get_global_id(0);
  out[i * 2] = a[i] + convert_double4(b[i]); out[i * 2 + 1] = (double4)(a[i].lo, (double2)(dot(a[i], a[i]), 1));
}
kernel void reductions(global int *out, global const int8 *a, global const int4 *b) {
  size_t i = get_global_id(0);
  int8 x = a[i & 15];
  int4 s = x.lo + x.hi;
  int2 t = s.lo + s.hi;
  int4 m = max(x.lo, x.hi);
  out[i * 3] = t.x + t.y;
  out[i * 3 + 1] = max(max(m.x, m.y), max(m.z, m.w));
  out[i * 3 + 2] = any(b[i] < 0) + 2 * all(b[i] != 3);
}
kernel void private_vectors(global uint4 *out, global const uint *a, int n) {
  size_t i = get_global_id(0);
  uint4 t[4];
  for (int k = 0; k < 4; k++) t[k] = (uint4)(a[i], k, n, a[i + k]);
  t[n & 3].y ^= 99;
  out[i] = t[(i + n) & 3] + t[i & 3].yxwz;
}
