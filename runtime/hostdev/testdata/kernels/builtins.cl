kernel void ids(global ulong *out) {
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
         z = get_global_id(2) - get_global_offset(2);
  global ulong *o = out + 20 * ((z * get_global_size(1) + y) * get_global_size(0) + x);
  for (int d = 0; d < 3; d++) {
    o[d] = get_global_id(d);
    o[3 + d] = get_local_id(d);
    o[6 + d] = get_group_id(d);
    o[9 + d] = get_local_size(d);
    o[12 + d] = get_num_groups(d) * 1000 + get_global_size(d);
  }
  o[15] = get_work_dim();
  o[16] = get_global_linear_id();
  o[17] = get_local_linear_id();
  o[18] = get_enqueued_local_size(0);
  uint d = get_work_dim() - 1; // not known to the compiler
  o[19] = get_global_id(d) * 100 + get_local_size(d);
}

kernel void linear_ids(global ulong *out) { out[get_local_linear_id()] = get_global_linear_id(); }

kernel void __attribute__((reqd_work_group_size(4, 2, 1))) required(global ulong *out) {
  out[get_global_linear_id()] = get_local_size(0) * 10 + get_local_size(1);
}

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void subgroups(global int *out) {
  size_t i = get_global_id(0);
  out[8 * i] = get_sub_group_size();
  out[8 * i + 1] = get_num_sub_groups();
  out[8 * i + 2] = get_sub_group_id();
  out[8 * i + 3] = get_sub_group_local_id();
  out[8 * i + 4] = sub_group_reduce_add((int)i);
  out[8 * i + 5] = sub_group_scan_exclusive_max((int)i);
  out[8 * i + 6] = sub_group_broadcast((int)i, 0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  out[8 * i + 7] = sub_group_any(i == 2);
}
