/* integer.cl: functions of integers that take more than one operation, for each width.
 */
#include "core.h"

#define JOIN(a, b, c) a##b##c
#define NAMED(name, bits) JOIN(offlink_math_, name, _i##bits)
#define THIS(type, name, bits, ...) OFFLINK_EXTERNAL type offlink_math_##name##_i##bits(__VA_ARGS__)

/* Those for which no wider type is needed. U and S are the type without and with a sign. */
#define ANY_WIDTH(U, S, bits) \
  THIS(U, u_abs_diff, bits, U x, U y) { return x > y ? x - y : y - x; } \
  THIS(U, s_abs_diff, bits, S x, S y) { return x > y ? (U)x - (U)y : (U)y - (U)x; } \
  THIS(U, u_hadd, bits, U x, U y) { return (x & y) + ((x ^ y) >> 1); } \
  THIS(S, s_hadd, bits, S x, S y) { return (x & y) + ((x ^ y) >> 1); } \
  THIS(U, u_rhadd, bits, U x, U y) { return (x | y) - ((x ^ y) >> 1); } \
  THIS(S, s_rhadd, bits, S x, S y) { return (x | y) - ((x ^ y) >> 1); } \
  THIS(S, s_add_sat, bits, S x, S y) { \
    U r = (U)x + (U)y, most = ((U)-1 >> 1) + (x < 0); \
    return (S)((U)~((U)x ^ (U)y) & ((U)x ^ r)) < 0 ? (S)most : (S)r; \
  } \
  THIS(S, s_sub_sat, bits, S x, S y) { \
    U r = (U)x - (U)y, most = ((U)-1 >> 1) + (x < 0); \
    return (S)(((U)x ^ (U)y) & ((U)x ^ r)) < 0 ? (S)most : (S)r; \
  } \
  THIS(U, u_mad_hi, bits, U x, U y, U z) { return NAMED(u_product, bits)(x, y) + z; } \
  THIS(S, s_mad_hi, bits, S x, S y, S z) { return (S)((U)NAMED(s_product, bits)(x, y) + (U)z); } \
  THIS(U, u_mul_hi, bits, U x, U y) { return NAMED(u_product, bits)(x, y); } \
  THIS(S, s_mul_hi, bits, S x, S y) { return NAMED(s_product, bits)(x, y); }

/* Those that a type of twice the width makes easy, in long. */
#define NARROW(U, S, bits) \
  PART U NAMED(u_product, bits)(U x, U y) { return (U)((ulong)x * (ulong)y >> bits); } \
  PART S NAMED(s_product, bits)(S x, S y) { return (S)((long)x * (long)y >> bits); } \
  ANY_WIDTH(U, S, bits) \
  THIS(U, u_mad_sat, bits, U x, U y, U z) { \
    ulong r = (ulong)x * (ulong)y + (ulong)z, most = (1ul << bits) - 1; \
    return (U)(r > most ? most : r); \
  } \
  THIS(S, s_mad_sat, bits, S x, S y, S z) { \
    long r = (long)x * (long)y + (long)z, most = (1l << (bits - 1)) - 1; \
    return (S)(r > most ? most : r < -most - 1 ? -most - 1 : r); \
  }

NARROW(uchar, char, 8)
NARROW(ushort, short, 16)
NARROW(uint, int, 32)

PART ulong offlink_math_u_product_i64(ulong x, ulong y) { return high_product(x, y); }
PART long offlink_math_s_product_i64(long x, long y) {
  return (long)(high_product((ulong)x, (ulong)y) - (x < 0 ? (ulong)y : 0) - (y < 0 ? (ulong)x : 0));
}
ANY_WIDTH(ulong, long, 64)

THIS(ulong, u_mad_sat, 64, ulong x, ulong y, ulong z) {
  ulong low = x * y, r = low + z;
  return high_product(x, y) != 0 || r < low ? ~0ul : r;
}

THIS(long, s_mad_sat, 64, long x, long y, long z) {
  ulong low = (ulong)x * (ulong)y, r = low + (ulong)z;
  long high = offlink_math_s_product_i64(x, y) + (z >> 63) + (r < low);
  return high == (long)r >> 63 ? (long)r : high < 0 ? LONG_MIN : LONG_MAX;
}

/* The result has twice the width. */
#define UPSAMPLE(U, S, WU, WS, bits) \
  THIS(WU, u_upsample, bits, U high, U low) { return (WU)high << bits | low; } \
  THIS(WS, s_upsample, bits, S high, U low) { return (WS)((WU)(U)high << bits | low); }
UPSAMPLE(uchar, char, ushort, short, 8)
UPSAMPLE(ushort, short, uint, int, 16)
UPSAMPLE(uint, int, ulong, long, 32)

/* Those that the device has for 32 and 64 bits alone. */
#define SMALL(U, bits) \
  THIS(U, clz, bits, U x) { return (U)(clz((uint)x) - (32 - bits)); } \
  THIS(U, ctz, bits, U x) { return (U)ctz((uint)x | 1u << bits); } \
  THIS(U, rotate, bits, U x, U n) { \
    uint shift = n & (bits - 1), wide = x; \
    return (U)(wide << shift | wide >> ((bits - shift) & (bits - 1))); \
  }
SMALL(uchar, 8)
SMALL(ushort, 16)
