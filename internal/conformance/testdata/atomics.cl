// Atomic functions of OpenCL 1.x and of 2.0 whose final state no order changes.

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void legacy_int(global int *out, global const int *a) {
  int x = a[get_global_id(0)];
  atomic_add(out, x); atomic_sub(out + 1, x); atomic_inc(out + 2); atomic_dec(out + 3);
  atomic_min(out + 4, x); atomic_max(out + 5, x); atomic_and(out + 6, x); atomic_or(out + 7, x); atomic_xor(out + 8, x);
}
kernel void legacy_uint(global uint *out, volatile global const uint *a) {
  uint x = a[get_global_id(0)];
  atomic_add(out, x); atomic_min(out + 1, x); atomic_max(out + 2, x); atomic_or(out + 3, 1u << get_global_id(0));
  if (get_global_id(0) == 3) { atomic_xchg(out + 4, x); out[5] = atomic_cmpxchg(out + 4, x, x + 1); }
}
kernel void legacy_local(global int *out, global const int *a, local int *sum) {
  if (get_local_id(0) == 0) sum[0] = sum[1] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(sum, a[get_global_id(0)]);
  atomic_max(sum + 1, a[get_global_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = sum[0] ^ sum[1];
}
kernel void wide(global long *out, global const long *a) {
  long x = a[get_global_id(0)];
  atom_add(out, x); atom_sub(out + 1, x); atom_min(out + 2, x); atom_max(out + 3, x); atom_and(out + 4, x); atom_or(out + 5, x); atom_xor(out + 6, x); atom_inc(out + 7);
}
kernel void modern(global atomic_int *out, global const int *a) {
  int x = a[get_global_id(0)];
  atomic_fetch_add(out, x); atomic_fetch_sub(out + 1, x); atomic_fetch_or(out + 2, x); atomic_fetch_xor(out + 3, x); atomic_fetch_and(out + 4, x);
  atomic_fetch_min(out + 5, x); atomic_fetch_max(out + 6, x);
  if (get_global_id(0) == 5) { atomic_init(out + 7, 9); atomic_store(out + 8, x); atomic_store(out + 9, atomic_load(out + 7) + atomic_exchange(out + 8, 4)); }
}
kernel void explicit_orders(global atomic_uint *out, global const uint *a) {
  uint x = a[get_global_id(0)];
  atomic_fetch_add_explicit(out, x, memory_order_relaxed);
  atomic_fetch_max_explicit(out + 1, x, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_min_explicit(out + 2, x, memory_order_seq_cst, memory_scope_work_group);
  atomic_fetch_or_explicit(out + 3, x, memory_order_release, memory_scope_all_svm_devices);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
}
kernel void exchange(global atomic_int *out, global int *plain) {
  // A counter by compare-and-exchange.
  for (int k = 0; k < 3; k++) {
    int old = atomic_load_explicit(out, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_strong_explicit(out, &old, old + 2, memory_order_acq_rel, memory_order_relaxed, memory_scope_device))
      ;
    int weak = 0;
    while (!atomic_compare_exchange_weak(out + 1, &weak, weak + 3))
      ;
  }
  plain[get_global_id(0)] = 1;
}
kernel void flags(global atomic_flag *out, global int *count) {
  if (!atomic_flag_test_and_set(out + 1)) atomic_inc(count);
  if (get_global_id(0) == 0) { atomic_flag_test_and_set_explicit(out + 2, memory_order_acquire); atomic_flag_clear(out + 2); }
}
kernel void modern_local(global int *out, global const int *a) {
  local atomic_int sum;
  if (get_local_id(0) == 0) atomic_init(&sum, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add_explicit(&sum, a[get_global_id(0)], memory_order_relaxed, memory_scope_work_group);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = atomic_load_explicit(&sum, memory_order_relaxed, memory_scope_work_group);
}
kernel void modern_long(global atomic_long *out, global const long *a) {
  long x = a[get_global_id(0)];
  atomic_fetch_add(out, x); atomic_fetch_max(out + 1, x); atomic_fetch_xor(out + 2, x);
}
kernel void fences(global int *out, local int *tile) {
  tile[get_local_id(0)] = get_global_id(0);
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  read_mem_fence(CLK_GLOBAL_MEM_FENCE);
  write_mem_fence(CLK_LOCAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = tile[get_local_id(0) ^ 3];
}
