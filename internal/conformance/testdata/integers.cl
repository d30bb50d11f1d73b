// Integer arithmetic of every width, and the integer functions of OpenCL C.

kernel void arithmetic_int(global int *out, global const int *a, global const int *b) {
  size_t i = get_global_id(0);
  int x = a[i], y = b[i + 7] | 1;
  out += i * 8;
  out[0] = x + y; out[1] = x - y; out[2] = x * y; out[3] = x == (int)0x80000000 ? 0 : x / y;
  out[4] = x == (int)0x80000000 ? 0 : x % y; out[5] = x << (y & 31); out[6] = x >> (y & 31); out[7] = -x ^ ~y;
}
kernel void arithmetic_uint(global uint *out, global const uint *a, global const uint *b) {
  size_t i = get_global_id(0);
  uint x = a[i], y = b[i + 5] | 1;
  out += i * 8;
  out[0] = x + y; out[1] = x - y; out[2] = x * y; out[3] = x / y;
  out[4] = x % y; out[5] = x << (y & 31); out[6] = x >> (y & 31); out[7] = x & y | 3;
}
kernel void arithmetic_long(global long *out, global const long *a, global const long *b) {
  size_t i = get_global_id(0);
  long x = a[i], y = b[i + 3] | 1;
  out += i * 6;
  out[0] = x + y; out[1] = x * y; out[2] = (ulong)x / (ulong)y; out[3] = x >> (y & 63);
  out[4] = (ulong)x >> (y & 63); out[5] = (ulong)x % (ulong)y;
}
kernel void arithmetic_short(global short *out, global const short *a, global const ushort *b) {
  size_t i = get_global_id(0);
  short x = a[i];
  ushort y = b[i + 2];
  out += i * 6;
  out[0] = x + y; out[1] = x * y; out[2] = y / (ushort)(y | 3); out[3] = x >> 3; out[4] = y >> 5; out[5] = x - (short)y;
}
kernel void arithmetic_char(global char *out, global const char *a, global const uchar *b) {
  size_t i = get_global_id(0);
  char x = a[i];
  uchar y = b[i + 2];
  out += i * 5;
  out[0] = x + y; out[1] = x * 5; out[2] = y / (uchar)(y | 3); out[3] = x >> 2; out[4] = y << 1;
}
#define FUNCTIONS(T, NAME) \
kernel void NAME(global T *out, global const T *a, global const T *b) { \
  size_t i = get_global_id(0); \
  T x = a[i], y = b[i + 11], z = a[i + 5]; \
  out += i * 16; \
  out[0] = add_sat(x, y); out[1] = sub_sat(x, y); out[2] = hadd(x, y); out[3] = rhadd(x, y); out[4] = mul_hi(x, y); \
  out[5] = mad_hi(x, y, z); out[6] = mad_sat(x, y, z); out[7] = rotate(x, y); out[8] = clz(x); out[9] = popcount(x); \
  out[10] = abs(x); out[11] = abs_diff(x, y); out[12] = min(x, y); out[13] = max(x, y); out[14] = clamp(x, (T)3, (T)100); \
  out[15] = ctz((T)(x | 4)); \
}
FUNCTIONS(char, functions_char)
FUNCTIONS(uchar, functions_uchar)
FUNCTIONS(short, functions_short)
FUNCTIONS(ushort, functions_ushort)
FUNCTIONS(int, functions_int)
FUNCTIONS(uint, functions_uint)
FUNCTIONS(long, functions_long)
FUNCTIONS(ulong, functions_ulong)

kernel void functions_wide(global int *out, global const int *a, global const uint *b) {
  size_t i = get_global_id(0);
  out[i * 4] = mul24(a[i] >> 8, 77);
  out[i * 4 + 1] = mad24(a[i] >> 9, 5, 3);
  out[i * 4 + 2] = (int)mul24(b[i] >> 8, 77u);
  out[i * 4 + 3] = (int)(upsample((short)a[i], (ushort)b[i]) ^ upsample((uchar)a[i], (uchar)b[i]));
}
kernel void bits(global uint *out, global const uint *a) {
  size_t i = get_global_id(0);
  uint x = a[i], n = 0, r = 0;
  for (uint y = x; y; y &= y - 1) n++;
  for (int k = 0; k < 32; k++) r |= (x >> k & 1) << (31 - k);
  out[i * 5] = n;
  out[i * 5 + 1] = r;
  out[i * 5 + 2] = (x >> 16) | (x << 16);
  out[i * 5 + 3] = ((x & 0xff) << 24) | ((x & 0xff00) << 8) | ((x >> 8) & 0xff00) | (x >> 24);
  out[i * 5 + 4] = x & -x;
}
kernel void builtin_bits(global uint *out, global const uint *a, global const ulong *b) {
  size_t i = get_global_id(0);
  out += i * 6;
  out[0] = __builtin_bswap32(a[i]); out[1] = __builtin_popcount(a[i]); out[2] = (uint)__builtin_bswap64(b[i]);
  out[3] = __builtin_bitreverse32(a[i]); out[4] = __builtin_rotateleft32(a[i], 9); out[5] = __builtin_rotateright32(a[i], b[i]);
}
kernel void overflow(global int *out, global const int *a, global const int *b) {
  size_t i = get_global_id(0);
  int s, d, p;
  uint us;
  out += i * 8;
  out[0] = __builtin_sadd_overflow(a[i], b[i + 1], &s); out[1] = s;
  out[2] = __builtin_ssub_overflow(a[i], b[i + 1], &d); out[3] = d;
  out[4] = __builtin_smul_overflow(a[i], b[i + 1], &p); out[5] = p;
  out[6] = __builtin_uadd_overflow(a[i], b[i + 1], &us); out[7] = us;
}
kernel void comparisons(global int *out, global const int *a, global const uint *b, global const long *c) {
  size_t i = get_global_id(0);
  int x = a[i], y = a[i + 1];
  uint u = b[i], v = b[i + 1];
  long p = c[i], q = c[i + 2];
  out[i] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (u < v) << 3 | (u >= v) << 4 | (p > q) << 5 | ((ulong)p > (ulong)q) << 6 |
           (x && u) << 7 | (!x || !v) << 8 | ((char)x < (char)y) << 9 | ((ushort)x > (ushort)y) << 10;
}
