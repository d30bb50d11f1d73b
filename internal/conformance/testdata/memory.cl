// Memory: local memory with barriers, private arrays, structs, constant tables, copies.

typedef struct { int a; float b; uint4 v; short s[3]; char c; } Mixed;
typedef struct __attribute__((packed)) { char a; int b; short c; } Packed;
typedef struct { int x, y; } Pair;
typedef struct { Pair p[2]; Pair *link; } Nested;
typedef union { uint u; float f; uchar4 b; ushort h[2]; } Bits;

constant int table[16] = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987};
constant Mixed mixed = {1, 2.5f, (uint4)(3, 4, 5, 6), {7, 8, 9}, 'x'};
constant char text[] = "a constant string";
constant float2 grid[2][3] = {{(float2)(1, 2), (float2)(3, 4), (float2)(5, 6)}, {(float2)(7, 8)}};
constant uint4 zeros = (uint4)(0);
constant int *constant pointers[2] = {&table[3], table + 5};

kernel void local_reverse(global int *out, global const int *a, local int *tile) {
  size_t l = get_local_id(0), n = get_local_size(0);
  tile[l] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[n - 1 - l];
}
kernel void local_static(global int *out, global const int *a) {
  local int tile[16];
  local uint4 wide[4];
  size_t l = get_local_id(0);
  tile[l] = a[get_global_id(0)] * 3;
  if (l < 4) wide[l] = (uint4)(l, a[l], 2, 3);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[l ^ 5] + wide[l & 3].y;
}
kernel void local_sum(global int *out, global const int *a, local int *sums) {
  size_t l = get_local_id(0);
  sums[l] = a[get_global_id(0)];
  for (size_t n = get_local_size(0) / 2; n > 0; n /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < n) sums[l] += sums[l + n];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = sums[0];
}
kernel void local_scan(global uint *out, global const uint *a) {
  local uint buffer[2][16];
  size_t l = get_local_id(0);
  int side = 0;
  buffer[0][l] = a[get_global_id(0)];
  for (uint n = 1; n < 16; n *= 2) {
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    buffer[1 - side][l] = l >= n ? buffer[side][l] + buffer[side][l - n] : buffer[side][l];
    side = 1 - side;
  }
  out[get_global_id(0)] = buffer[side][l];
}
kernel void transpose(global float *out, global const float *a, local float *tile) {
  size_t l = get_local_id(0), x = l & 3, y = l >> 2, base = get_group_id(0) * 16;
  tile[y * 5 + x] = a[base + l];
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  out[base + l] = tile[x * 5 + y];
}
kernel void tables(global int *out, constant int *extra, int n) {
  size_t i = get_global_id(0);
  out += i * 6;
  out[0] = table[i & 15]; out[1] = text[i % sizeof(text)]; out[2] = mixed.s[i % 3] + mixed.v.z + mixed.c;
  out[3] = (int)grid[i & 1][n % 3].y; out[4] = extra[i] + zeros.x; out[5] = pointers[i & 1][n & 3];
}
kernel void structs(global Mixed *out, global const Mixed *in) {
  size_t i = get_global_id(0);
  Mixed m = in[i & 7];
  m.a ^= 5; m.b = 2; m.s[i % 3] = 77; m.v.yw = m.v.xz; m.c++;
  out[i] = m;
}
kernel void packed(global Packed *out, global const uchar *in) {
  size_t i = get_global_id(0);
  Packed p = {in[i], in[i + 1] * 77777, in[i + 2]};
  out[i] = p;
  out[i].b += sizeof(Packed);
}
int by_value(Mixed m, Pair p) { return m.a + p.x * 3 + p.y + m.s[1] + m.v.w; }
Pair swapped(Pair p) { Pair q = {p.y, p.x + 1}; return q; }
kernel void struct_values(global int *out, Pair p, global const Mixed *in) {
  size_t i = get_global_id(0);
  Pair q = swapped(p);
  out[i * 2] = by_value(in[i & 7], q);
  out[i * 2 + 1] = swapped(swapped(q)).x;
}
kernel void nested(global int *out, int n) {
  size_t i = get_global_id(0);
  Pair other = {n, 9};
  Nested s = {{{1, 2}, {3, 4}}, &other};
  s.p[i & 1].y += n; s.link->x++;
  Nested t = s;
  t.link->y--;
  out[i] = t.p[0].y * 1000 + t.p[1].y * 100 + other.x * 10 + other.y;
}
kernel void unions(global uint *out, global const float *a) {
  size_t i = get_global_id(0);
  Bits b;
  b.f = a[i];
  b.b.x ^= 1; b.h[1] += 3;
  out[i] = b.u;
}
kernel void copies(global int *out, global const int *a) {
  size_t i = get_global_id(0);
  int from[24], to[24] = {0};
  for (int k = 0; k < 24; k++) from[k] = a[i + k];
  __builtin_memcpy(to, from, 40);
  __builtin_memmove(to + 3, to, 32);
  __builtin_memset(to + 20, (int)i, 8);
  int sum = 0;
  for (int k = 0; k < 24; k++) sum = sum * 5 + to[k];
  out[i] = sum;
}
kernel void unknown_length(global uchar *out, global const uchar *a, int n) {
  size_t i = get_global_id(0);
  uchar t[64];
  for (int k = 0; k < 64; k++) t[k] = a[i + k];
  __builtin_memset(t + n, n, n + (i & 7));
  __builtin_memmove(t + 1, t + 3, (i & 15) + n);
  __builtin_memmove(t + 20, t + 17, (i & 15) + n);
  __builtin_memcpy(out + i * 64, t, 60 + n);
}
kernel void async_copies(global int *out, global const int *a, local int *tile) {
  event_t e = async_work_group_copy(tile, a + get_group_id(0) * 16, 16, 0);
  e = async_work_group_strided_copy(tile + 16, a + 3, 16, 2, e);
  wait_group_events(1, &e);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[15 - get_local_id(0)] + tile[16 + get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[get_local_id(0)] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t f = async_work_group_copy(out + 64 + get_group_id(0) * 16, tile, 16, 0);
  wait_group_events(1, &f);
}
kernel void volatiles(global int *out, global const int *a, local int *flag) {
  volatile local int *f = flag;
  volatile int x = a[get_global_id(0)];
  volatile global int *o = out;
  if (get_local_id(0) == 0) *f = 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  x += *f;
  o[get_global_id(0)] = x;
}
kernel void matrices(global float *out, global const float *a) {
  size_t i = get_global_id(0);
  float m[3][3], n[3][3];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) m[r][c] = a[i + r * 3 + c], n[c][r] = m[r][c] + 1;
  float sum = 0;
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      float p = 0;
      for (int k = 0; k < 3; k++) p += m[r][k] * n[k][c];
      sum = sum / 2 + p;
    }
  out[i] = sum;
}
