// Sub-groups of eight work-items: every function of theirs.

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#define EIGHT __attribute__((intel_reqd_sub_group_size(8)))

EIGHT kernel void places(global uint *out) {
  size_t i = get_global_linear_id() * 6;
  out[i] = get_sub_group_size();
  out[i + 1] = get_max_sub_group_size();
  out[i + 2] = get_num_sub_groups();
  out[i + 3] = get_sub_group_id();
  out[i + 4] = get_sub_group_local_id();
  out[i + 5] = sub_group_reduce_add((uint)get_local_linear_id());
}

EIGHT kernel void functions(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int v = in[i];
  out += i * 5;
  out[0] = sub_group_scan_inclusive_add(v);
  out[1] = sub_group_scan_exclusive_max(v);
  out[2] = sub_group_broadcast(v, 3);
  out[3] = sub_group_all(v > 10) | sub_group_any(v > 40) << 1;
  out[4] = sub_group_reduce_min(v);
}

// A sub-group meets while others wait for the work-group, and again after it.
EIGHT kernel void both(global int *out, local int *sums) {
  int i = get_local_id(0);
  int sum = 0;
  for (int n = 0; n <= (int)get_sub_group_id(); n++)
    sum += sub_group_reduce_add(i + n);
  if (get_sub_group_local_id() == 0)
    sums[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  int all = 0;
  for (int n = 0; n < (int)get_num_sub_groups(); n++)
    all += sums[n];
  out[i] = sub_group_broadcast(all + i, 7);
}

// Work-items of a sub-group that do not come are waited for in vain.
EIGHT kernel void apart(global int *out) {
  int i = get_local_id(0);
  if (i % 8 != 2)
    out[i] = sub_group_reduce_add(i);
}

// Barriers after branches on numbers from memory: all work-items read the same, or the launch
// is stopped. Lanes differ before the first barrier, and meet again.
EIGHT kernel void chosen(global const int *in, global int *out, local int *t) {
  int i = get_local_id(0), n = get_local_size(0);
  int sum = sub_group_reduce_add(i);
  if (i % 3 == 1) {
    sum += 100;
    if (in[i] < 0)
      return;
  }
  if (in[i] == 0) {
    out[i] = sum;
    return;
  }
  for (int k = in[i]; k > 0; k--) {
    t[i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += t[(i + k) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = sub_group_broadcast(sum, 3) + i;
}
