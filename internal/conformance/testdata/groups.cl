// Work-items, work-groups, sub-groups.

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#define EIGHT __attribute__((intel_reqd_sub_group_size(8)))

kernel void places(global uint *out) {
  size_t i = get_global_id(0);
  out += i * 16;
  out[0] = get_work_dim(); out[1] = get_global_size(0); out[2] = get_local_id(0); out[3] = get_local_size(0);
  out[4] = get_group_id(0); out[5] = get_num_groups(0); out[6] = get_global_offset(0); out[7] = get_global_linear_id();
  out[8] = get_local_linear_id(); out[9] = get_enqueued_local_size(0); out[10] = get_global_size(1); out[11] = get_local_id(2);
  out[12] = get_global_id(3); out[13] = get_local_size(7); out[14] = get_global_offset(5);
}
kernel void computed_dimension(global uint *out, uint n) {
  size_t i = get_global_id(0);
  out += i * 5;
  for (uint d = 0; d < 4; d++) out[d] = get_global_id(d) + get_local_size(d + (n & 1) - 1) * 100 + get_num_groups(d) * 1000;
  out[4] = get_group_id(n & 1);
}
kernel void group_reductions(global int *out, global const int *a, global const uint *b) {
  size_t i = get_global_id(0);
  int x = a[i] >> 4;
  out += i * 10;
  out[0] = work_group_reduce_add(x); out[1] = work_group_reduce_min(x); out[2] = work_group_reduce_max(b[i]);
  out[3] = work_group_scan_inclusive_add(x); out[4] = work_group_scan_exclusive_add(x); out[5] = work_group_scan_exclusive_max(x);
  out[6] = work_group_scan_inclusive_min(b[i]); out[7] = work_group_broadcast(x, 5); out[8] = work_group_all(x > -99999); out[9] = work_group_any(x == 3);
}
kernel void group_floats(global float *out, global double *wide, global const float *a) {
  size_t i = get_global_id(0);
  float x = (float)(int)a[i];
  out[i * 2] = work_group_reduce_max(x); out[i * 2 + 1] = work_group_broadcast(x, 3);
  wide[i] = work_group_scan_inclusive_min((double)x);
}
EIGHT kernel void sub_group_places(global uint *out) {
  size_t i = get_global_id(0);
  out[i * 5] = get_sub_group_size(); out[i * 5 + 1] = get_max_sub_group_size(); out[i * 5 + 2] = get_num_sub_groups();
  out[i * 5 + 3] = get_sub_group_id(); out[i * 5 + 4] = get_sub_group_local_id();
}
EIGHT kernel void sub_group_functions(global int *out, global const int *a) {
  size_t i = get_global_id(0);
  int x = a[i];
  out += i * 9;
  out[0] = sub_group_reduce_add(x); out[1] = sub_group_reduce_min(x); out[2] = sub_group_reduce_max((uint)x);
  out[3] = sub_group_scan_inclusive_add(x); out[4] = sub_group_scan_exclusive_max(x); out[5] = sub_group_broadcast(x, 3);
  out[6] = sub_group_all(x > 0); out[7] = sub_group_any(x > 0); out[8] = (int)sub_group_scan_exclusive_add((long)x);
}
EIGHT kernel void sub_group_exchange(global int *out, local int *tile) {
  tile[get_local_id(0)] = get_global_id(0) * 3;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[(get_local_id(0) & ~7u) + (get_sub_group_local_id() ^ 1)];
}
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void required_size(global uint *out) { out[get_global_id(0)] = get_local_size(0) * 10 + get_local_id(0); }
__attribute__((work_group_size_hint(16, 1, 1))) __attribute__((vec_type_hint(float4))) kernel void hints(global uint *out) { out[get_global_id(0)] = get_local_id(0); }
