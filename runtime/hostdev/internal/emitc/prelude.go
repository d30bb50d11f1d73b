package emitc

// attach is the rest of the prelude of code that calls the host.
const attach = `
static uintptr_t (*host)(uintptr_t record, uintptr_t number, uintptr_t words);
void ` + AttachSymbol + `(uintptr_t (*serves)(uintptr_t, uintptr_t, uintptr_t)) { host = serves; }
`

// prelude is the types and functions that every file starts with; WIDTH is the
// number of lanes. Each function gives the bits that WebAssembly's instruction of
// the same purpose gives, also where C leaves a case undefined: division by zero,
// shifts past the width, conversions out of range, minima of NaN and of zeros.
// Memory is read by memcpy, as its bytes have no types and no alignment.
const prelude = `#include <stdint.h>

/* No headers of a C library are needed. */
#define memcpy __builtin_memcpy
#define memset __builtin_memset

typedef uint8_t i8;
typedef uint16_t i16;
typedef uint32_t i32;
typedef uint64_t i64;
typedef float f32;
typedef double f64;
typedef uint32_t flag;
typedef uint32_t i32v __attribute__((vector_size(4 * WIDTH)));
typedef int32_t s32v __attribute__((vector_size(4 * WIDTH)));
typedef s32v flagv; /* 0 or -1 */
typedef uint64_t i64v __attribute__((vector_size(8 * WIDTH)));
typedef int64_t s64v __attribute__((vector_size(8 * WIDTH)));
typedef uint32_t i32w __attribute__((vector_size(8 * WIDTH))); /* the halves of an i64v */
typedef float f32v __attribute__((vector_size(4 * WIDTH)));
typedef double f64v __attribute__((vector_size(8 * WIDTH)));
typedef uint8_t u8v __attribute__((vector_size(WIDTH)));
typedef uint16_t u16v __attribute__((vector_size(2 * WIDTH)));

#define INLINE static inline __attribute__((always_inline))
#define EACH for (int l = 0; l < WIDTH; l++)
#define CONVERT(v, T) __builtin_convertvector(v, T)

/* Memory: addresses have 32 bits, offsets are added without wrapping. */
#define LOAD(T, a, off) ({ T v_; memcpy(&v_, memory + ((uint64_t)(a) + (off)), sizeof v_); v_; })
#define STORE(T, a, off, x) ({ T v_ = (x); memcpy(memory + ((uint64_t)(a) + (off)), &v_, sizeof v_); })

/* Division: by 0 it gives 0 and the dividend, and the least number stays. */
#define DIVISION(T, S, N) \
  INLINE T udiv##N(T a, T b) { return b ? a / b : 0; } \
  INLINE T urem##N(T a, T b) { return b ? a % b : a; } \
  INLINE T sdiv##N(T a, T b) { return b == 0 ? 0 : b == (T)-1 ? -a : (T)((S)a / (S)b); } \
  INLINE T srem##N(T a, T b) { return b == 0 ? a : b == (T)-1 ? 0 : (T)((S)a % (S)b); }
DIVISION(i32, int32_t, 32)
DIVISION(i64, int64_t, 64)
INLINE i32 clz32(i32 a) { return a ? (i32)__builtin_clz(a) : 32; }
INLINE i32 ctz32(i32 a) { return a ? (i32)__builtin_ctz(a) : 32; }
INLINE i64 clz64(i64 a) { return a ? (i64)__builtin_clzll(a) : 64; }
INLINE i64 ctz64(i64 a) { return a ? (i64)__builtin_ctzll(a) : 64; }

/* The same bits. */
INLINE f32 f32_of(i32 a) { f32 r; memcpy(&r, &a, 4); return r; }
INLINE i32 bits_of_f32(f32 a) { i32 r; memcpy(&r, &a, 4); return r; }
INLINE f64 f64_of(i64 a) { f64 r; memcpy(&r, &a, 8); return r; }
INLINE i64 bits_of_f64(f64 a) { i64 r; memcpy(&r, &a, 8); return r; }

/* A NaN if one is, and -0 below 0. */
INLINE f32 fmin32(f32 a, f32 b) { return a != a || b != b ? a + b : a == b ? f32_of(bits_of_f32(a) | bits_of_f32(b)) : a < b ? a : b; }
INLINE f32 fmax32(f32 a, f32 b) { return a != a || b != b ? a + b : a == b ? f32_of(bits_of_f32(a) & bits_of_f32(b)) : a > b ? a : b; }
INLINE f64 fmin64(f64 a, f64 b) { return a != a || b != b ? a + b : a == b ? f64_of(bits_of_f64(a) | bits_of_f64(b)) : a < b ? a : b; }
INLINE f64 fmax64(f64 a, f64 b) { return a != a || b != b ? a + b : a == b ? f64_of(bits_of_f64(a) & bits_of_f64(b)) : a > b ? a : b; }

/* Conversions that saturate; a NaN gives 0. */
#define SATURATING(F, N) \
  INLINE i32 s32_of_##N(F a) { return a != a ? 0 : a >= (F)2147483648.0 ? 0x7fffffffu : a <= (F)-2147483648.0 ? 0x80000000u : (i32)(int32_t)a; } \
  INLINE i32 u32_of_##N(F a) { return a != a || a <= 0 ? 0 : a >= (F)4294967296.0 ? 0xffffffffu : (i32)(int64_t)a; } \
  INLINE i64 s64_of_##N(F a) { return a != a ? 0 : a >= (F)9223372036854775808.0 ? 0x7fffffffffffffffu : a <= (F)-9223372036854775808.0 ? 0x8000000000000000u : (i64)(int64_t)a; } \
  INLINE i64 u64_of_##N(F a) { return a != a || a <= 0 ? 0 : a >= (F)18446744073709551616.0 ? 0xffffffffffffffffu : (i64)(uint64_t)a; }
SATURATING(f32, f32)
SATURATING(f64, f64)

/* Lanes. */
INLINE i32 bits(flagv m) {
#if defined(__AVX2__) && WIDTH % 8 == 0
  i32 r = 0;
  for (int p = 0; p < WIDTH / 8; p++) {
    float v __attribute__((vector_size(32)));
    memcpy(&v, (const char *)&m + 32 * p, 32);
    r |= (i32)__builtin_ia32_movmskps256(v) << (8 * p);
  }
  return r;
#else
  i32 r = 0;
  EACH r |= (i32)(m[l] & 1) << l;
  return r;
#endif
}
#define ALL ((i32)(((i64)1 << WIDTH) - 1))
INLINE i32v select32(flagv m, i32v a, i32v b) { return ((i32v)m & a) | (~(i32v)m & b); }
INLINE i64v select64(flagv m, i64v a, i64v b) { i64v w = (i64v)CONVERT(m, s64v); return (w & a) | (~w & b); }
INLINE flagv narrow(s64v m) { return CONVERT(m, s32v); }

/* Atomic operations. */
#define ATOMICS(T, S, N) \
  INLINE T *at##N(uint8_t *memory, i64 a) { return (T *)(memory + a); } \
  INLINE T atomic_apply##N(T *p, T (*f)(T, T), T x) { \
    T old = __atomic_load_n(p, __ATOMIC_SEQ_CST); \
    while (!__atomic_compare_exchange_n(p, &old, f(old, x), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {} \
    return old; \
  } \
  INLINE T smin##N(T a, T b) { return (S)a < (S)b ? a : b; } \
  INLINE T smax##N(T a, T b) { return (S)a > (S)b ? a : b; } \
  INLINE T umin##N(T a, T b) { return a < b ? a : b; } \
  INLINE T umax##N(T a, T b) { return a > b ? a : b; }
#define FLOAT_ATOMICS(T, F, N, OF, TO) \
  INLINE T fadd##N(T a, T b) { return TO(OF(a) + OF(b)); } \
  INLINE T fleast##N(T a, T b) { F x = OF(a), y = OF(b); return x != x ? b : y != y ? a : TO(fmin##N(x, y)); } \
  INLINE T fmost##N(T a, T b) { F x = OF(a), y = OF(b); return x != x ? b : y != y ? a : TO(fmax##N(x, y)); }
ATOMICS(i8, int8_t, 8)
ATOMICS(i16, int16_t, 16)
ATOMICS(i32, int32_t, 32)
ATOMICS(i64, int64_t, 64)
FLOAT_ATOMICS(i32, f32, 32, f32_of, bits_of_f32)
FLOAT_ATOMICS(i64, f64, 64, f64_of, bits_of_f64)
`
