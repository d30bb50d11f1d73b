/* C with the macros of device.h. */
#include <offlink/device.h>

struct point { int x, y; float w; };
struct shape { struct point corners[3]; int count; };
enum kind { SMALL, MEDIUM, LARGE = 40 };

static OFFLINK_CONSTANT const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
static OFFLINK_CONSTANT const struct point unit = {1, -1, 0.5f};

static int area(struct shape s) {
  int sum = 0;
  for (int i = 0; i < s.count; i++) sum += s.corners[i].x * s.corners[(i + 1) % 3].y;
  return sum;
}
static struct point scaled(struct point p, int n) {
  p.x *= n;
  p.y *= n;
  return p;
}
static enum kind kind_of(int n) { return n < 3 ? SMALL : n < 9 ? MEDIUM : LARGE; }

OFFLINK_KERNEL void c_structs(OFFLINK_GLOBAL int *out, OFFLINK_GLOBAL const int *in) {
  size_t i = get_global_id(0);
  struct shape s = {{{in[i], 2, 1.0f}, {3, in[i + 1], 2.0f}, unit}, 3};
  s.corners[1] = scaled(s.corners[1], 3);
  out[i] = area(s) + kind_of((int)i);
}
OFFLINK_KERNEL void c_tables(OFFLINK_GLOBAL unsigned *out, OFFLINK_GLOBAL const unsigned *in) {
  size_t i = get_global_id(0);
  unsigned x = in[i], n = 0;
  for (int k = 0; k < 8; k++)
    if (x % (unsigned)primes[k] == 0) n |= 1u << k;
  out[i] = n;
}
OFFLINK_KERNEL void c_loops(OFFLINK_GLOBAL long *out, OFFLINK_GLOBAL const int *in) {
  size_t i = get_global_id(0);
  long a = 0, b = 1;
  for (int k = 0; k < (in[i] & 31); k++) {
    a = a * 3 + k;
    b ^= a >> 2;
  }
  out[i] = a + b;
}
OFFLINK_KERNEL void c_bytes(OFFLINK_GLOBAL unsigned char *out, OFFLINK_GLOBAL const unsigned char *in) {
  size_t i = get_global_id(0);
  unsigned crc = 0xffffffffu;
  for (int k = 0; k < 9; k++) {
    crc ^= in[i + k];
    for (int b = 0; b < 8; b++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  for (int k = 0; k < 4; k++) out[i * 4 + k] = (unsigned char)(crc >> 8 * k);
}
OFFLINK_KERNEL void c_floats(OFFLINK_GLOBAL float *out, OFFLINK_GLOBAL const float *in) {
  size_t i = get_global_id(0);
  double sum = 0;
  for (int k = 1; k < 9; k++) sum += in[i] / k;
  out[i] = (float)sum + (in[i] > 1 ? -0.0f : 2.0f);
}
OFFLINK_KERNEL void c_switch(OFFLINK_GLOBAL int *out, OFFLINK_GLOBAL const int *in) {
  size_t i = get_global_id(0);
  switch (in[i]) {
  case 0: out[i] = 9; break;
  case 1: case 2: case 3: out[i] = 8; break;
  case -1: out[i] = 7;
  case 100: out[i] += 1; break;
  default: out[i] = in[i] < 0 ? -1 : 1;
  }
}
OFFLINK_KERNEL void c_bitfields(OFFLINK_GLOBAL unsigned *out, OFFLINK_GLOBAL const unsigned *in) {
  struct { unsigned a : 3, b : 13; int c : 7; unsigned d : 9; } f = {0};
  size_t i = get_global_id(0);
  f.a = in[i];
  f.b = in[i + 1];
  f.c = (int)in[i];
  f.d = f.a + f.b;
  out[i] = f.a + f.b * 8u + (unsigned)f.c * 70000u + f.d;
}
OFFLINK_KERNEL void c_wide(OFFLINK_GLOBAL unsigned long *out, OFFLINK_GLOBAL const unsigned long *in) {
  size_t i = get_global_id(0);
  unsigned long x = in[i], y = in[i + 1], z;
  out[i * 3] = x * y + (x > y);
  out[i * 3 + 1] = (unsigned long)__builtin_add_overflow(x, y, &z);
  out[i * 3 + 2] = z ^ (unsigned long)__builtin_popcountl(x);
}
