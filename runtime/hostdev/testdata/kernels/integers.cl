// Operations on integers of every width. Each kernel writes the results of
// one pair of operands in a row of OUTPUTS.
#define OUTPUTS 29

#define KERNEL(T, U, W) \
kernel void ints_##T(global const T *a, global const T *b, global T *out) { \
  size_t i = get_global_id(0); \
  T x = a[i], y = b[i]; \
  global T *o = out + i * OUTPUTS; \
  o[0] = x + y; \
  o[1] = x - y; \
  o[2] = x * y; \
  o[3] = y ? x / y : 0; \
  o[4] = y ? x % y : 0; \
  o[5] = x << (y & (W - 1)); \
  o[6] = x >> (y & (W - 1)); \
  o[7] = x & y; \
  o[8] = x | y; \
  o[9] = x ^ y; \
  o[10] = ~x; \
  o[11] = -x; \
  o[12] = (x == y) | (x != y) << 1 | (x < y) << 2 | (x <= y) << 3 | (x > y) << 4 | (x >= y) << 5; \
  o[13] = min(x, y); \
  o[14] = max(x, y); \
  o[15] = clamp(x, (T)3, (T)100); \
  o[16] = abs(x); \
  o[17] = abs_diff(x, y); \
  o[18] = add_sat(x, y); \
  o[19] = sub_sat(x, y); \
  o[20] = hadd(x, y); \
  o[21] = rhadd(x, y); \
  o[22] = clz(x); \
  o[23] = popcount(x); \
  o[24] = rotate(x, y); \
  o[25] = mul_hi(x, y); \
  o[26] = mad_hi(x, y, (T)7); \
  o[27] = mad_sat(x, y, (T)-5); \
  o[28] = ctz(x); \
}

KERNEL(char, uchar, 8)
KERNEL(uchar, uchar, 8)
KERNEL(short, ushort, 16)
KERNEL(ushort, ushort, 16)
KERNEL(int, uint, 32)
KERNEL(uint, uint, 32)
KERNEL(long, ulong, 64)
KERNEL(ulong, ulong, 64)

kernel void more_ints(global const int *a, global const int *b, global int *out, global long *wide) {
  size_t i = get_global_id(0);
  out[4 * i] = mul24(a[i], b[i]);
  out[4 * i + 1] = mad24(a[i], b[i], 9);
  out[4 * i + 2] = (int)mul24((uint)a[i], (uint)b[i]);
  out[4 * i + 3] = (int)mad24((uint)a[i], (uint)b[i], 9u);
  wide[3 * i] = upsample(a[i], (uint)b[i]);
  wide[3 * i + 1] = upsample((short)a[i], (ushort)b[i]);
  wide[3 * i + 2] = (long)upsample((uchar)a[i], (uchar)b[i]);
}
