// Kernels with the constructs that device compilers print: vectors, images,
// local memory, atomics, tables in constant memory, switches, calls.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef struct { float x, y; int tag; char name[5]; } Item;
typedef union { int i; float f; uchar b[4]; } Bits;

__constant int table[8] = {1, 1, 2, 3, 5, 8, 13, 21};
__constant Item items[2] = {{1.5f, -2.0f, 7, "ab"}, {0.0f, INFINITY, -1, "cdef"}};
__constant char message[] = "value } of %d \"quoted\"\n";
__constant float4 basis = (float4)(1.0f, 0.0f, 0.5f, -0.25f);
const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

extern int LibDeviceFunc(int);

__attribute__((noinline)) static int fold(int a, int b) { return (a << 3) ^ (b >> 1); }
__attribute__((noinline)) int pick(int i) {
  switch (i & 7) {
  case 0: return table[0];
  case 1: return fold(i, 1);
  case 2: return fold(1, i) + table[i & 7];
  case 5: return LibDeviceFunc(i);
  default: return -1;
  }
}

float norm(float4 v) { return sqrt(dot(v, v * basis)); }

__kernel void scale(__global float *out, __global const float *in, float by, int n) {
  int i = get_global_id(0);
  if (i < n)
    out[i] = in[i] * by + items[i & 1].x;
}

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void reduce(__global int *out, __global const int *in, __local int *scratch) {
  int l = get_local_id(0);
  scratch[l] = in[get_global_id(0)];
  for (int step = 8; step > 0; step >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < step)
      scratch[l] += scratch[l + step];
  }
  if (l == 0)
    atomic_add(out, scratch[0]);
}

__kernel void select_table(__global int *out) {
  __local int tile[32];
  int i = get_global_id(0);
  tile[i & 31] = pick(i);
  barrier(CLK_LOCAL_MEM_FENCE);
  Bits b;
  b.i = tile[(i + 1) & 31];
  out[i] = b.b[2] + (int)b.f;
}

__kernel void blur(__read_only image2d_t in, __write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = (float4)(0.0f);
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      sum += read_imagef(in, nearest, at + (int2)(dx, dy));
  write_imagef(out, at, sum / 9.0f);
}

__kernel void doubles(__global double *d, __global long *l, __global half *h, double eps) {
  int i = get_global_id(0);
  double x = d[i];
  for (int k = 0; k < 20 && fabs(x * x - 2.0) > eps; k++)
    x = 0.5 * (x + 2.0 / x);
  d[i] = x;
  l[i] = convert_long_sat(x * 1e10);
#ifndef NO_BUILTINS
  vstore_half((float)x, i, h);
#endif
}

__kernel void vectors(__global int4 *v, __global uchar16 *c) {
  int i = get_global_id(0);
  int4 a = v[i].wzyx;
  a.xy += a.zw;
  v[i] = a > (int4)(0) ? a : -a;
  c[i].s0123 = convert_uchar4(a);
}

__kernel void exchange(__global volatile int *flags, __global long *big) {
  int old = atomic_cmpxchg(&flags[0], 0, get_local_id(0));
  int most = atomic_max(&flags[1], old);
  big[get_global_id(0)] = (long)most << 32 | (uint)old;
#ifndef NO_BUILTINS
  if (old == 42)
    printf(message, most);
#endif
}
