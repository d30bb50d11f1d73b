// Kernels with one fault each, for the checked mode. The test finds the line of
// a fault by the mark at its end.

kernel void beyond_argument(global int *out, global const int *in, int distance) {
  size_t i = get_global_id(0);
  out[i] = in[i + distance]; // FAULT beyond_argument
}

kernel void store_beyond(global int *out) {
  out[get_global_id(0)] = 1; // FAULT store_beyond
}

kernel void local_beyond(global int *out, local int *tmp, int n) {
  tmp[n] = 1; // FAULT local_beyond
  out[0] = 1;
}

kernel void private_beyond(global int *out, int n) {
  int a[4] = {n, 2, 3, 4};
  out[0] = a[n & 7]; // FAULT private_beyond
}

kernel void unset_local(global int *out, local int *tmp) {
  size_t i = get_local_id(0);
  if (i < 3)
    tmp[i] = (int)i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tmp[i]; // FAULT unset_local
}

kernel void unset_private(global int *out, int n) {
  int a[16];
  for (int i = 0; i < n; i++)
    a[i] = i;
  int sum = 0;
  for (int i = 0; i < 8; i++)
    sum += a[(i * n + 1) & 15];
  if (sum > 20) // FAULT unset_private
    out[0] = 1;
}

kernel void unset_counter(local int *count, global int *out) {
  atomic_inc(count); // FAULT unset_counter
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    out[0] = *count;
}

kernel void no_barrier(global int *out, local int *tmp) {
  size_t i = get_local_id(0), n = get_local_size(0);
  tmp[i] = (int)i;
  out[i] = tmp[(i + 1) % n]; // FAULT no_barrier
}

kernel void same_place(global int *out) {
  out[get_global_id(0) / 2] = (int)get_global_id(0); // FAULT same_place
}

kernel void other_group(global int *out, global int *total) {
  out[get_group_id(0)] = 1; // FAULT other_group
  if (get_group_id(0) > 0)
    total[get_group_id(0)] = out[get_group_id(0) - 1];
}

kernel void plain_count(global int *count) {
  *count = *count + 1; // FAULT plain_count
}

kernel void diverges(global int *out, local int *tmp) {
  if (get_local_id(0) < 2) {
    tmp[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE); // FAULT diverges
  }
  out[get_local_id(0)] = 1;
}

kernel void misaligned(global char *bytes, global int *out) {
  out[0] = *(global int *)(bytes + 1); // FAULT misaligned
}

kernel void divides(global int *out, int by) {
  out[0] = 7 / by; // FAULT divides
}

kernel void wild(global ulong *address, global int *out) {
  out[0] = *(global int *)address[0]; // FAULT wild
}

kernel void keep(global ulong *cell, global int *p) { cell[0] = (ulong)p; }

kernel void freed(global ulong *cell) {
  *(global int *)cell[0] = 1; // FAULT freed
}

constant int table[4] = {1, 2, 3, 4};

kernel void beyond_table(global int *out, int n) {
  out[0] = table[n]; // FAULT beyond_table
}

kernel void store_constant(global int *out, int n) {
  *(global int *)(ulong)&table[n & 3] = 1; // FAULT store_constant
  out[0] = 1;
}

int sum_of(private int *a, int n) {
  int sum = 0;
  for (int i = 0; i <= n; i++)
    sum += a[i]; // FAULT callee
  return sum;
}

kernel void callee(global int *out, int n) {
  int a[8];
  for (int i = 0; i < 8; i++)
    a[i] = i;
  out[0] = sum_of(a, n);
}

kernel void before_private(global int *out, int n) {
  int a[8];
  for (int i = 0; i < 8; i++)
    a[i] = i;
  a[n] = 9; // FAULT before_private
  out[0] = a[out[0] & 7];
}

kernel void before_local(global int *out, int n) {
  local int t[4];
  t[0] = 1;
  t[n] = 9; // FAULT before_local
  out[0] = t[0];
}

kernel void very_far(global int *out, ulong n) {
  out[n] = 1; // FAULT very_far
}

__attribute__((noinline)) void __devicelib_assert_fail(void) {
  *(volatile global int *)0 = 0; // FAULT asserts
}
kernel void asserts(global int *out, int n) {
  if (n != out[0]) __devicelib_assert_fail();
}
