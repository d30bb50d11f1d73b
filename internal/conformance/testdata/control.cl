// Control flow: loops, switches, early returns, calls, phis.

kernel void nested_loops(global int *out, global const int *a, int n) {
  size_t i = get_global_id(0);
  int sum = 0;
  for (int x = 0; x < n + 3; x++)
    for (int y = x; y < 8; y++) {
      if ((a[x] ^ y) & 1) continue;
      if (sum > 100000 || sum < -100000) break;
      sum += a[i] % 7 * y - x;
    }
  out[i] = sum;
}
kernel void while_loops(global uint *out, global const uint *a) {
  size_t i = get_global_id(0);
  uint x = a[i] % 1000 + 1, steps = 0;
  while (x != 1) {
    x = x & 1 ? x * 3 + 1 : x / 2;
    if (++steps > 300) break;
  }
  do steps += x; while (steps < 10);
  out[i] = steps;
}
kernel void switches(global int *out, global const int *a) {
  size_t i = get_global_id(0);
  int r = 0;
  switch (a[i] & 7) {
  case 0: r = 5; break;
  case 1: r = 6;
  case 2: r += 7; break;
  case 5: r = a[i + 1]; break;
  case 6: return;
  default: r = -1;
  }
  switch ((char)a[i]) { case -1: r++; break; case 127: r--; break; case 3: r *= 2; }
  switch ((ulong)(uint)a[i] << 8) { case 0xffffffff00ul: r ^= 8; break; case 0x8000000000ul: r ^= 16; }
  out[i] = r;
}
kernel void gotos(global int *out, global const int *a) {
  size_t i = get_global_id(0);
  int x = a[i], n = 0;
again:
  if (n > 10) goto done;
  n += (x & 1) + 1;
  x >>= 1;
  if (x & 2) goto again;
  n += 100;
  if (n < 150) goto again;
done:
  out[i] = n + x;
}
__attribute__((noinline)) int helper(int x, int *count) { ++*count; return x & 1 ? x * 3 : x - 1; }
__attribute__((noinline)) static void store(global int *to, int value) { *to = value; }
int chain(int x) { int c = 0; x = helper(x, &c); x = helper(x, &c); return x + c; }
kernel void calls(global int *out, global const int *a) {
  size_t i = get_global_id(0);
  int count = 0, x = a[i];
  for (int k = 0; k < 5; k++) x = helper(x, &count) ^ chain(k);
  store(out + i * 2, x);
  store(&out[i * 2 + 1], count);
}
kernel void called(global int *out, int n) { out[get_global_id(0)] = n; }
kernel void calls_kernel(global int *out, int n) {
  called(out, n * 2);
  out[get_global_id(0) + 40] = n;
}
kernel void phis(global int *out, global const int *a, global const int *b, int n) {
  size_t i = get_global_id(0);
  global const int *p = i & 1 ? a : b;
  int x = 0, y = 1;
  for (int k = 0; k < n; k++) { int t = x; x = y; y = t + p[k]; if (y & 4) p = p == a ? b : a; }
  out[i] = x * 3 + y;
}
kernel void conditions(global int *out, global const int *a, global const float *b) {
  size_t i = get_global_id(0);
  int x = a[i], y = a[i + 1];
  float f = b[i];
  int r = x > 3 && y < 5 || f > 1.0f && !(f != f);
  r += x ? y ? 1 : 2 : y ? 3 : 4;
  r += (x > y) == (f > 0);
  out[i] = r;
}
kernel void early(global int *out, global const int *a, uint n) {
  size_t i = get_global_id(0);
  if (i >= n * 5) return;
  for (int k = 0;; k++) {
    if (a[k] == 7) { out[i] = k; return; }
    if (k > 30) return;
  }
}
kernel void unrolled(global int *out, global const int *a) {
  size_t i = get_global_id(0);
  int s = 0;
  #pragma unroll 4
  for (int k = 0; k < 16; k++) s += a[i + k] >> k;
  #pragma unroll
  for (int k = 0; k < 3; k++) s ^= a[k];
  #pragma nounroll
  for (int k = 0; k < 9; k++) s = s * 3 + k;
  out[i] = s;
}
kernel void sums(global long *out, global const uint *a, uint n) {
  // The closed forms of these sums have integers of widths that SPIR-V lacks.
  size_t i = get_global_id(0);
  ulong s = 0;
  uint t = 0;
  for (uint k = 0; k < (a[i] & 0xffff); k++) s += k;
  for (uint k = n; k < (a[i] & 0xff); k++) t += k * k;
  out[i] = s + t;
}
kernel void variable_arrays(global int *out, int n) {
  size_t i = get_global_id(0);
  int t[16], top = 0;
  t[top++] = n;
  while (top > 0 && top < 14) {
    int x = t[--top];
    if (x > 0) { t[top++] = x - 1; if (x & 1) t[top++] = x - 2; }
    out[i]++;
  }
}
kernel void quick_sort(global int *out, global const int *a) {
  // Recursion written out with a stack.
  size_t i = get_global_id(0);
  int v[16], stack[32], top = 0;
  for (int k = 0; k < 16; k++) v[k] = a[i + k];
  stack[top++] = 0; stack[top++] = 15;
  while (top) {
    int high = stack[--top], low = stack[--top];
    if (low >= high) continue;
    int pivot = v[high], at = low;
    for (int k = low; k < high; k++)
      if (v[k] < pivot) { int t = v[k]; v[k] = v[at]; v[at++] = t; }
    v[high] = v[at]; v[at] = pivot;
    stack[top++] = low; stack[top++] = at - 1; stack[top++] = at + 1; stack[top++] = high;
  }
  for (int k = 0; k < 16; k++) out[i * 16 + k] = v[k];
}
