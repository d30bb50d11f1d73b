// Indexes that may be 4 GiB away: x is a number that the host chooses. Each kernel computes
// an index of it that is the same for all work-items, grows from one to the next, or varies.
#define GID ((int)get_global_id(0))
typedef struct { int a, b, c; } triple;

kernel void int_same(global int *a, ulong x, global int *out) { out[GID] = a[(int)x]; }
kernel void int_grows(global int *a, ulong x, global int *out) { out[GID] = a[(int)x + GID]; }
kernel void int_varies(global int *a, ulong x, global int *out) { out[GID] = a[(int)x ^ (GID * 5 & 15)]; }
kernel void int_store(global int *a, ulong x, global int *out) { a[(int)x + GID] = 7; }
kernel void int_behind(global int *a, ulong x, global int *out) { out[GID] = a[(long)((int)x + GID) - 3]; }
kernel void int_some(global int *a, ulong x, global int *out) { if (GID & 1) out[GID] = a[(int)x + GID]; else a[(int)x + GID] = 9; }
kernel void uint_grows(global int *a, ulong x, global int *out) { out[GID] = a[(uint)x + (uint)GID]; }
kernel void uint_next(global int *a, ulong x, global int *out) { out[GID] = a[(ulong)(uint)(x + GID) + 1]; }
kernel void uint_varies(global int *a, ulong x, global int *out) { out[GID] = a[(ulong)((uint)x ^ (uint)(GID * 5 & 15)) - 2]; }
kernel void long_same(global int *a, ulong x, global int *out) { out[GID] = a[x]; }
kernel void long_grows(global int *a, ulong x, global int *out) { out[GID] = a[x + get_global_id(0)]; }
kernel void long_varies(global int *a, ulong x, global int *out) { out[GID] = a[x * (GID & 3) + (GID & 7)]; }
kernel void wide_stride(global int *a, ulong x, global int *out) { out[GID] = a[(int)x * GID]; }
kernel void char_int(global char *a, ulong x, global int *out) { out[GID] = a[(long)((int)x + GID) + 2]; }
kernel void char_uint(global char *a, ulong x, global int *out) { out[GID] = a[(ulong)(uint)(x + GID) + 1]; }
kernel void char_long(global char *a, ulong x, global int *out) { out[GID] = a[x + GID]; }
kernel void vectors(global int4 *a, ulong x, global int *out) { out[GID] = a[(int)x + (GID & 1)].z; }
kernel void pairs(global int2 *a, ulong x, global int *out) { int2 v = a[(int)x ^ (GID & 3)]; out[GID] = v.x * 100 + v.y; }
kernel void triples(global triple *a, ulong x, global int *out) { out[GID] = a[(int)x + (GID & 3)].b; }
kernel void uint_triples(global triple *a, ulong x, global int *out) { out[GID] = a[(uint)x + (GID & 3)].c; }
kernel void inside(global int *a, ulong x, global int *out) { global int *p = a + 8; p += (int)x; out[GID] = p[GID - 4]; }
kernel void rows(global int *a, ulong x, global int *out) { global int (*m)[16] = (global int (*)[16])a; out[GID] = m[(int)x][(int)(x >> 32) + (GID & 3)]; }
kernel void walks(global int *a, ulong x, global int *out) {
  int sum = 0;
  global int *p = a + GID;
  for (int i = 0; i < 3; i++, p += x) sum += *p;
  out[GID] = sum;
}
kernel void chooses(global int *a, ulong x, global int *out) {
  global int *p = GID & 1 ? a + (int)x : a + 1;
  out[GID] = *p;
}
kernel void adds(global int *a, ulong x, global int *out) { atomic_add(&a[(int)x + GID], 1); }
kernel void locals(global int *a, ulong x, global int *out) {
  local int l[64];
  l[get_local_id(0)] = GID;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[GID] = l[(int)x + (GID & 7)];
}
kernel void privates(global int *a, ulong x, global int *out) {
  volatile int q[16];
  for (int i = 0; i < 16; i++) q[i] = i * GID;
  out[GID] = q[(int)x] + q[x] + q[(uint)x + (GID & 1)];
}
kernel void private_vectors(global int *a, ulong x, global int *out) {
  volatile int4 q[4];
  for (int i = 0; i < 4; i++) q[i] = i * GID;
  out[GID] = q[(int)x].y;
}
kernel void private_bytes(global int *a, ulong x, global int *out) {
  volatile long q[4];
  for (int i = 0; i < 4; i++) q[i] = i * GID;
  out[GID] = ((volatile int *)q)[(int)x] + ((volatile int *)q)[(long)(uint)x + (GID & 1)];
}
constant int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
kernel void constants(global int *a, ulong x, global int *out) { out[GID] = table[(int)x + (GID & 1)] + table[x]; }
kernel void loaded(global int *a, ulong x, global int *out) {
  global ulong *slot = (global ulong *)(out + 16);
  slot[GID] = (ulong)a;
  global int *volatile *p = (global int *volatile *)slot;
  out[GID] = p[GID][(int)x + GID] + p[GID][x];
}

kernel void long_locals(global int *a, ulong x, global int *out) {
  local int l[64], next[64];
  l[get_local_id(0)] = next[get_local_id(0)] = GID;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[GID] = l[x + (GID & 7)] + next[GID];
}
kernel void long_privates(global int *a, ulong x, global int *out) {
  volatile int q[16], next[16];
  for (int i = 0; i < 16; i++) { q[i] = i * GID; next[i] = i; }
  q[x] = 3;
  out[GID] = q[0] + next[0];
}
kernel void long_rows(global int *a, ulong x, global int *out) {
  global int (*m)[16] = (global int (*)[16])a;
  out[GID] = m[x & ~15UL][(x & 15) + (GID & 3)];
}
kernel void long_twice(global int *a, ulong x, global int *out) {
  global int *p = GID & 1 ? a + x : a + 2 * x;
  out[GID] = p[x];
}
kernel void long_vectors(global int *a, ulong x, global int *out) { out[GID] = vload4(x, a + (GID & 3)).y; }
kernel void long_chosen(global int *a, ulong x, global int *out) {
  int v[4] = {1, 2, 3, 4}, w[4] = {5, 6, 7, 8};
  int *p = GID & 1 ? v + x : w;
  p += GID & 1 ? 0 : x;
  out[GID] = *p;
}
#define LOOP __attribute__((opencl_unroll_hint(1))) for
kernel void long_counted(global int *a, ulong x, global int *out) {
  ulong at = 0;
  int sum = 0;
  LOOP (int i = 0; i < 3; i++) {
    sum += a[at];
    at += x;
  }
  out[GID] = sum;
}
kernel void long_started(global int *a, ulong x, global int *out) {
  LOOP (ulong at = x; at < x + 3; at++) out[GID] += a[at];
}
kernel void long_product(global int *a, ulong x, global int *out) {
  LOOP (ulong i = 0; i < 3; i++) out[GID] += a[i * x + GID];
}
kernel void long_doubled(global int *a, ulong x, global int *out) {
  LOOP (ulong at = 1; at != 0; at *= 2) out[GID] += a[at & x];
}
kernel void long_small(global int *a, ulong x, global int *out) {
  LOOP (ulong at = GID; at < 48; at += 16) out[GID] += a[at];
  out[GID] += a[x];
}
