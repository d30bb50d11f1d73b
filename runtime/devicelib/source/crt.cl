/* crt.cl: the functions of C's <string.h> and <stdlib.h> that device code may
 * call, and the end of assert(). Pointers are generic.
 */
#include "library.h"

/* A loop of bytes: the compiler must not make a call of the same function of
 * it (-fno-builtin). */
EXPORT_TWICE(void *, memcpy, (void *to, const void *from, size_t n), {
  for (size_t i = 0; i < n; i++)
    ((char *)to)[i] = ((const char *)from)[i];
  return to;
})

EXPORT_TWICE(void *, memmove, (void *to, const void *from, size_t n), {
  char *t = to;
  const char *f = from;
  if (t < f)
    for (size_t i = 0; i < n; i++)
      t[i] = f[i];
  else
    for (size_t i = n; i > 0; i--)
      t[i - 1] = f[i - 1];
  return to;
})

EXPORT_TWICE(void *, memset, (void *to, int c, size_t n), {
  for (size_t i = 0; i < n; i++)
    ((char *)to)[i] = (char)c;
  return to;
})

EXPORT_TWICE(int, memcmp, (const void *a, const void *b, size_t n), {
  for (size_t i = 0; i < n; i++) {
    int d = ((const uchar *)a)[i] - ((const uchar *)b)[i];
    if (d)
      return d;
  }
  return 0;
})

EXPORT(void *, memchr, const void *s, int c, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (((const uchar *)s)[i] == (uchar)c)
      return (char *)s + i;
  return 0;
}

EXPORT(size_t, strlen, const char *s) {
  size_t n = 0;
  while (s[n])
    n++;
  return n;
}

EXPORT(int, strcmp, const char *a, const char *b) {
  while (*a && *a == *b) {
    a++;
    b++;
  }
  return *(const uchar *)a - *(const uchar *)b;
}

EXPORT(int, strncmp, const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (a[i] != b[i] || !a[i])
      return ((const uchar *)a)[i] - ((const uchar *)b)[i];
  return 0;
}

EXPORT(char *, strcpy, char *to, const char *from) {
  for (size_t i = 0;; i++)
    if (!(to[i] = from[i]))
      return to;
}

EXPORT(char *, strncpy, char *to, const char *from, size_t n) {
  size_t i = 0;
  for (; i < n && from[i]; i++)
    to[i] = from[i];
  for (; i < n; i++)
    to[i] = 0;
  return to;
}

EXPORT_TWICE(int, abs, (int x), { return x < 0 ? -x : x; })
EXPORT_TWICE(long, labs, (long x), { return x < 0 ? -x : x; })
EXPORT_TWICE(long, llabs, (long x), { return x < 0 ? -x : x; })

typedef struct {
  int quotient, remainder;
} int_division;
typedef struct {
  long quotient, remainder;
} long_division;

/* Results that are structures are written through a generic pointer, as SYCL
 * front ends declare it. */
#define DIVISION(name, type, number) \
  EXPORT_TWICE(void, name, (type *result, number x, number y), { \
    result->quotient = x / y; \
    result->remainder = x % y; \
  })
DIVISION(div, int_division, int)
DIVISION(ldiv, long_division, long)
DIVISION(lldiv, long_division, long)

#pragma OPENCL EXTENSION __cl_clang_variadic_functions : enable

/* The message is that of DPC++'s runtime. No device can end a kernel in an
 * orderly way: the write to no memory makes it fail. */
OFFLINK_EXTERNAL __attribute__((noinline)) void devicelib_assert_fail(const char *expression, const char *file, int line, const char *function, ulong gid0, ulong gid1,
                                            ulong gid2, ulong lid0, ulong lid1, ulong lid2) __asm("__devicelib_assert_fail");
OFFLINK_EXTERNAL __attribute__((noinline)) void devicelib_assert_fail(const char *expression, const char *file, int line, const char *function, ulong gid0, ulong gid1,
                                            ulong gid2, ulong lid0, ulong lid1, ulong lid2) {
  printf("%s:%d: %s: global id: [%lu,%lu,%lu], local id: [%lu,%lu,%lu] Assertion `%s` failed.\n", file, line, function, gid0, gid1, gid2,
         lid0, lid1, lid2, expression);
  *(volatile __global int *)0 = 0;
}

EXPORT(void, __assert_fail, const char *expression, const char *file, uint line, const char *function) {
  devicelib_assert_fail(expression, file, (int)line, function, get_global_id(0), get_global_id(1), get_global_id(2), get_local_id(0),
                        get_local_id(1), get_local_id(2));
}

/* <fenv.h>: a device records no exception and can enable none. */
EXPORT_TWICE(int, feclearexcept, (int exceptions), { return 0; })
EXPORT_TWICE(int, fetestexcept, (int exceptions), { return 0; })
EXPORT_TWICE(int, feenableexcept, (int exceptions), { return exceptions ? -1 : 0; })
EXPORT_TWICE(int, fedisableexcept, (int exceptions), { return 0; })

/* rand() and srand() are a hash of the counters of random.cl, which is a file of its own:
 * images have copies of the functions of their own file. */
OFFLINK_EXTERNAL uint next_random(int set, uint seed) __asm("offlink_next_random");

EXPORT(int, rand, void) {
  uint x = next_random(0, 0);
  x = (x ^ x >> 16) * 0x21f0aaadu;
  x = (x ^ x >> 15) * 0x735a2d97u;
  return (int)((x ^ x >> 15) >> 1); /* RAND_MAX is 2^31 - 1 */
}

EXPORT(void, srand, uint seed) { next_random(1, seed); }
