// Generic pointers, casts between address spaces, pointers in memory.

int through(int *p) { return *p * 3; }
void add_to(int *p, int n) { *p += n; }
__attribute__((noinline)) float *pick(float *a, float *b, int first) { return first ? a : b; }

kernel void generic_reads(global int *out, global int *a, local int *tile) {
  size_t i = get_global_id(0), l = get_local_id(0);
  int mine = i;
  tile[l] = i * 2;
  a[i] = i + 5;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  out[i] = through(&mine) + through(tile + l) + through(a + i);
}
kernel void generic_writes(global int *out, local int *tile) {
  size_t i = get_global_id(0), l = get_local_id(0);
  int mine = 3;
  tile[l] = 4;
  out[i] = 5;
  add_to(&mine, 1); add_to(tile + l, 2); add_to(out + i, 3);
  out[i] += mine * 100 + tile[l] * 1000;
}
kernel void generic_choice(global float *out, local float *tile, global const int *a) {
  size_t i = get_global_id(0), l = get_local_id(0);
  float mine = 2;
  tile[l] = 3;
  *pick(&mine, tile + l, a[i] & 1) += 10;
  *pick(out + i, &mine, a[i] & 2) += 7;
  out[i] += mine * 100 + tile[l] * 10000;
}
kernel void explicit_casts(global int *out, local int *tile) {
  size_t i = get_global_id(0), l = get_local_id(0);
  int mine = 1;
  int *p[3] = {out + i, tile + l, &mine};
  int r = 0;
  tile[l] = 2;
  for (int k = 0; k < 3; k++) {
    global int *g = to_global(p[k]);
    local int *t = to_local(p[k]);
    private int *q = to_private(p[k]);
    r = r * 10 + (g != 0) + (t != 0) * 2 + (q != 0) * 3;
    if (t) r += *t;
  }
  out[i] = r;
}
kernel void as_integers(global ulong *out, global const int *a) {
  size_t i = get_global_id(0);
  global const int *p = a + i;
  uintptr_t n = (uintptr_t)p;
  global const int *q = (global const int *)(n + 8);
  out[i * 3] = (ulong)*q;
  out[i * 3 + 1] = q - p;
  out[i * 3 + 2] = (p < q) | (p == a) << 1 | (p != 0) << 2 | ((n & 3) == 0) << 3;
}
kernel void walks(global int *out, global const uchar *a) {
  size_t i = get_global_id(0);
  global const uchar *p = a + i, *end = p + 12;
  int sum = 0;
  while (p < end) sum += *p++ * (int)(end - p);
  global const int *q = (global const int *)(a + 4 * i);
  out[i] = sum + *q + ((global const short *)q)[1];
}
kernel void in_memory(global int *out, global int *a) {
  size_t i = get_global_id(0);
  struct { global int *p; int n; } s[2] = {{a + i, 1}, {a + i + 32, 2}};
  global int *t[2] = {out + i, out + i + 32};
  for (int k = 0; k < 2; k++) *s[k].p = s[k].n + i, *t[k] = *s[k].p * 2;
}
kernel void pointers_to_pointers(global int *out, int n) {
  int x = 1, y = 2, *p = &x, *q = &y, **pp = n & 1 ? &p : &q;
  **pp = 5;
  *pp = &y;
  **pp += 3;
  out[get_global_id(0)] = x * 10 + y;
}
kernel void arrays_of_arrays(global int *out, global const int (*a)[4]) {
  size_t i = get_global_id(0);
  const global int *row = a[i];
  out[i] = row[1] + a[i + 1][2] + *(*(a + 2) + 3);
}
kernel void void_pointers(global int *out, global const void *a, global void *b) {
  size_t i = get_global_id(0);
  global const char *p = a;
  ((global short *)b)[i] = p[i];
  out[i] = ((global const int *)a)[i] + ((global const float *)a == 0);
}
kernel void offsets(global int *out, global const int *a, int n, uint u, long w, char c) {
  size_t i = get_global_id(0);
  out[i] = a[i + n] + a[u] + (a + 20)[-n] + a[w + 2] + (&a[40])[-c] + *(a + i * 2 + (ushort)n);
}
