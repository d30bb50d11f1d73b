// Kernels that do what they must not.

kernel void store_beyond(global int *out) { out[get_global_id(0)] = 1; }
kernel void load_before(global int *out, int i) { out[0] = out[i]; }
kernel void null_store(global int *out) { *out = 1; }
kernel void wild_store(ulong address) { *(global int *)address = 1; }
kernel void local_beyond(global int *out, local int *l, int i) { l[i] = 1; out[0] = l[i]; }
kernel void private_beyond(global int *out, int i) {
  volatile int a[4];
  volatile int b[4];
  for (int k = 0; k < 4; k++) { a[k] = k; b[k] = -k; }
  a[i] = 7;
  out[0] = a[0] + b[0];
}
constant int fixed[2] = {1, 2};
kernel void store_constant(global int *out) { *(global int *)(ulong)fixed = 1; }
kernel void keep_pointer(global ulong *cell, global int *memory) { cell[0] = (ulong)memory; }
kernel void use_pointer(global ulong *cell) { *(global int *)cell[0] = 1; }
kernel void endless(global volatile int *out) { while (out[0] == 0) out[1]++; }
kernel void endless_together(global volatile int *out) { while (out[0] == 0) barrier(CLK_GLOBAL_MEM_FENCE); }
kernel void rivals(global volatile int *out) { // two work-groups at the same time
  atomic_inc(out);
  while (atomic_add(out, 0) < 2) {}
  for (int i = 0; i < 10 << 14; i++) out[1 + get_group_id(0)]++;
}
kernel void divergent(global int *out, local int *l) {
  if (get_local_id(0) < 2) {
    out[get_global_id(0)] = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
  } else {
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 2;
  }
}
int __attribute__((noinline)) deep(int n, global int *out) {
  volatile int pad[16];
  pad[n & 15] = n;
  return n == 0 ? out[0] : deep(n - 1, out) + pad[n & 15];
}
kernel void recursion(global int *out, int n) { out[1] = deep(n, out); }
kernel void divide(global int *out, int a, int b) { out[0] = a / b; out[1] = a % b; out[2] = (uint)a / (uint)b; }
kernel void divide_by_difference(global int *out, int n) {
  if (get_global_id(0) & 1) out[get_global_id(0)] = 100 / ((int)get_global_id(0) - n);
}
kernel void misaligned(global char *out) { atomic_add((global int *)(out + 2), 1); }
kernel void big_private(global int *out, int i) {
  volatile char a[3000000];
  a[i] = 1;
  out[0] = a[i];
}
kernel void huge_local(global int *out) {
  local int t[1 << 19];
  t[get_local_id(0)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[0] = t[0];
}
kernel void store_from(global int *out, global int *other, int from) {
  if ((int)get_global_id(0) >= from) *other = 1;
  out[get_global_id(0)] = 1;
}
__attribute__((noinline)) void give_up(global int *out) {
  out[0] = 2;
  *(volatile global int *)0 = 0;
}
kernel void give_up_from(global int *out, int from) {
  if ((int)get_global_id(0) >= from) give_up(out);
}
/* As in the device library. */
__attribute__((noinline)) void __devicelib_assert_fail(global int *out) {
  out[0] = 3;
  *(volatile global int *)0 = 0;
}
kernel void assert_before(global int *out, int to) {
  if ((int)get_global_id(0) >= to) __devicelib_assert_fail(out);
}
