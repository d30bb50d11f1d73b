// Conversions: all types, every rounding mode, saturating and not.

#define TO_INTEGER(FROM, TO) \
  { TO c = convert_##TO##_sat(x) ^ convert_##TO##_sat_rte(x) ^ convert_##TO##_sat_rtz(x) << 1 ^ convert_##TO##_sat_rtp(x) << 2 ^ convert_##TO##_sat_rtn(x) << 3; sum = sum * 31 + (long)c; }
#define TO_ALL(FROM) TO_INTEGER(FROM, char) TO_INTEGER(FROM, uchar) TO_INTEGER(FROM, short) TO_INTEGER(FROM, ushort) \
  TO_INTEGER(FROM, int) TO_INTEGER(FROM, uint) TO_INTEGER(FROM, long) TO_INTEGER(FROM, ulong)

kernel void integers_of_float(global long *out, global const float *a) {
  size_t i = get_global_id(0);
  float x = a[i];
  long sum = 0;
  TO_ALL(float)
  out[i] = sum;
}
kernel void integers_of_double(global long *out, global const double *a) {
  size_t i = get_global_id(0);
  double x = a[i];
  long sum = 0;
  TO_ALL(double)
  out[i] = sum;
}
kernel void integers_of_long(global long *out, global const long *a) {
  size_t i = get_global_id(0);
  long x = a[i], sum = 0;
  TO_ALL(long)
  out[i] = sum;
}
kernel void integers_of_ulong(global long *out, global const ulong *a) {
  size_t i = get_global_id(0);
  ulong x = a[i];
  long sum = 0;
  TO_ALL(ulong)
  out[i] = sum;
}
kernel void integers_of_int(global long *out, global const int *a) {
  size_t i = get_global_id(0);
  int x = a[i];
  long sum = 0;
  TO_ALL(int)
  out[i] = sum;
}
kernel void integers_of_ushort(global long *out, global const ushort *a) {
  size_t i = get_global_id(0);
  ushort x = a[i];
  long sum = 0;
  TO_ALL(ushort)
  out[i] = sum;
}
kernel void integers_of_char(global long *out, global const char *a) {
  size_t i = get_global_id(0);
  char x = a[i];
  long sum = 0;
  TO_ALL(char)
  out[i] = sum;
}
kernel void floats_of_integers(global float *out, global const int *a, global const uint *b, global const long *c, global const ulong *d) {
  size_t i = get_global_id(0);
  out += i * 12;
  out[0] = convert_float(a[i]); out[1] = convert_float_rtz(a[i]); out[2] = convert_float_rtp(a[i]); out[3] = convert_float_rtn(a[i]);
  out[4] = convert_float_rte(b[i]); out[5] = convert_float_rtp(b[i]); out[6] = convert_float_rtz(c[i]); out[7] = convert_float_rtn(c[i]);
  out[8] = convert_float_rtp(d[i]); out[9] = convert_float(d[i]); out[10] = (float)c[i]; out[11] = convert_float((uchar)a[i]);
}
kernel void doubles_of_integers(global double *out, global const long *c, global const ulong *d) {
  size_t i = get_global_id(0);
  out += i * 5;
  out[0] = convert_double_rtz(c[i]); out[1] = convert_double_rtp(d[i]); out[2] = convert_double(c[i]); out[3] = (double)d[i]; out[4] = convert_double((int)c[i]);
}
kernel void floats_of_doubles(global float *out, global double *wide, global const double *a, global const float *b) {
  size_t i = get_global_id(0);
  out += i * 5;
  out[0] = convert_float(a[i]); out[1] = convert_float_rtz(a[i] / 3); out[2] = convert_float_rtp(a[i] / 3); out[3] = convert_float_rtn(a[i] / 3); out[4] = convert_float_rte(a[i] / 3);
  wide[i] = convert_double(b[i]);
}
kernel void casts(global long *out, global const float *a, global const int *b) {
  size_t i = get_global_id(0);
  float x = clamp(a[i], 0.0f, 100.0f);
  out += i * 5;
  out[0] = (char)x; out[1] = (uint)x; out[2] = (long)-x; out[3] = (ushort)b[i]; out[4] = (bool)b[i];
}
kernel void vectors(global uchar8 *out, global int4 *ints, global const float8 *a, global const short4 *b) {
  size_t i = get_global_id(0);
  out[i] = convert_uchar8_sat_rte(a[i & 15]);
  ints[i * 3] = convert_int4_sat_rtn(a[i & 15].lo);
  ints[i * 3 + 1] = convert_int4(b[i]);
  ints[i * 3 + 2] = convert_int4(convert_ulong4_sat(b[i]) >> 3);
}
kernel void reinterpret(global uint *out, global const float *a, global const double *b, global const short2 *c) {
  size_t i = get_global_id(0);
  out += i * 5;
  out[0] = as_uint(a[i]); out[1] = as_uint2(b[i]).y; out[2] = as_uint(c[i]); out[3] = as_uchar4(a[i]).w; out[4] = as_uint((uchar4)(1, 2, 3, (uchar)i));
}
kernel void bools(global int *out, global const int *a) {
  size_t i = get_global_id(0);
  bool x = a[i] > 3, y = a[i + 1];
  out[i * 3] = x + y; out[i * 3 + 1] = -(int)x ^ (x & y); out[i * 3 + 2] = (int)(float)(x | y) + (x ^ y);
}
