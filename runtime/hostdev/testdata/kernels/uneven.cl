#define NUMBER(x, y, z) (((z) * get_global_size(1) + (y)) * get_global_size(0) + (x))
#define OWN NUMBER(get_global_id(0) - get_global_offset(0), get_global_id(1) - get_global_offset(1), get_global_id(2) - get_global_offset(2))
#define ITEM ((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))
#define ITEMS (get_local_size(0) * get_local_size(1) * get_local_size(2))

// The number of the next work-item of the work-group.
kernel void rotated(global int *out, local int *list) {
  list[ITEM] = OWN;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[OWN] = list[(ITEM + 1) % ITEMS];
}

#if __OPENCL_C_VERSION__ >= 200
kernel void summed(global int *out, local int *list) {
  int sum = work_group_reduce_add((int)OWN);
  list[0] = work_group_broadcast(sum, get_local_size(0) - 1, get_local_size(1) - 1, get_local_size(2) - 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[OWN] = list[0] * 100 + work_group_scan_inclusive_add(1) * 0 + ITEMS;
}
#endif

kernel void nowait(global int *out, local int *list) { out[OWN] = ITEM * 1000 + ITEMS; }

kernel void counted(global int *out, int n) {
  int sum = 0;
  for (volatile int i = 0; i < n; i++) sum += i;
  out[0] = sum;
}
