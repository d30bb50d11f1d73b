// Functions of a work-group.

kernel void group_ints(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int v = in[i];
  global int *o = out + 14 * i;
  o[0] = work_group_reduce_add(v);
  o[1] = work_group_reduce_min(v);
  o[2] = work_group_reduce_max(v);
  o[3] = work_group_scan_inclusive_add(v);
  o[4] = work_group_scan_exclusive_add(v);
  o[5] = work_group_scan_inclusive_min(v);
  o[6] = work_group_scan_exclusive_min(v);
  o[7] = work_group_scan_inclusive_max(v);
  o[8] = work_group_scan_exclusive_max(v);
  o[9] = work_group_broadcast(v, 2);
  o[10] = work_group_any(v > 40);
  o[11] = work_group_all(v > 0);
  o[12] = (int)work_group_reduce_min((uint)v);
  o[13] = (int)work_group_scan_exclusive_max((uint)v);
}

kernel void group_wide(global const long *in, global long *out, global double *fout) {
  size_t i = get_global_id(0);
  out[2 * i] = work_group_reduce_add(in[i]);
  out[2 * i + 1] = work_group_scan_inclusive_max(in[i]);
  fout[4 * i] = work_group_reduce_add((double)in[i]);
  fout[4 * i + 1] = work_group_scan_exclusive_add((float)in[i]);
  fout[4 * i + 2] = work_group_reduce_max((float)in[i]);
  fout[4 * i + 3] = work_group_scan_exclusive_min((double)in[i]);
}

kernel void group_broadcast2(global const int *in, global int *out) {
  size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  out[i] = work_group_broadcast(in[i], 1, 2);
}

kernel void async_copies(global const int *in, global int *out, local int *tile) {
  size_t n = get_local_size(0), base = get_group_id(0) * n;
  event_t e = async_work_group_copy(tile, in + base, n, 0);
  wait_group_events(1, &e);
  int v = tile[n - 1 - get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[get_local_id(0)] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy(out + base, tile, n, 0);
  wait_group_events(1, &e);
}

kernel void async_strided(global const int4 *in, global int4 *out, local int4 *tile) {
  size_t n = get_local_size(0);
  event_t e = async_work_group_strided_copy(tile, in, n, 2, 0);
  wait_group_events(1, &e);
  tile[get_local_id(0)] += 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_strided_copy(out, tile, n, 3, 0);
  wait_group_events(1, &e);
  prefetch(in, 1);
}
