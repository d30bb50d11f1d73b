// Work-items that end before barriers that others of their work-group reach.

// the guard that most kernels begin with
kernel void guarded(global int *out, local int *tile, int n) {
  int i = get_global_id(0), l = get_local_id(0);
  if (i >= n) return;
  tile[l] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int k = 0; k < get_local_size(0) && i - l + k < n; k++) sum += tile[k];
  out[i] = sum;
}

// the work-items end one after the other, in the iterations of a loop
kernel void one_by_one(global int *out, local int *tile) {
  int l = get_local_id(0), size = get_local_size(0), sum = 0;
  for (int turn = 0;; turn++) {
    out[get_global_id(0)] = sum;
    if (l < turn) return;
    tile[l] = 100 * turn + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = turn; k < size; k++) sum += tile[k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// what is the same for the group is computed after the branch, in steps and in rows
kernel void uniform_after(global int *out, local int *tile, int n, int x) {
  int l = get_local_linear_id(), items = get_local_size(0) * get_local_size(1);
  if (get_global_id(1) >= n) {
    out[get_global_linear_id()] = -1;
    return;
  }
  int first = x * 3 + (int)get_group_id(0), second = first ^ 21;
  tile[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  int own = first * tile[0] + second;
  if (l & 1) second += 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_linear_id()] = own + second + tile[l] + items;
}

// the last work-items leave a loop early in which all compute the same
kernel void leaves_loop(global int *out, local int *tile, int turns, int x) {
  int c = x, last = 0;
  for (int i = 0;; i++) {
    c = c * 3 + i;
    if (get_local_id(1) == 2 && i == 2) return;
    last = c ^ i;
    if (i == turns) break;
  }
  tile[get_local_linear_id()] = c;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_linear_id()] = tile[0] + c + last;
}

// barriers in a branch that some work-items do not take
kernel void in_branch(global int *out, local int *tile, int from, int to) {
  int l = get_local_id(0), v = 7;
  if (l >= from && l < to) {
    tile[l] = l * l;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = tile[from + (to - 1 - l)];
  }
  out[get_global_id(0)] = v;
}

// copies are made by all work-items together
kernel void copies_together(global int *out, local int *tile, int n) {
  if (get_local_id(0) >= n) return;
  async_work_group_copy(tile, (const global int *)out, 4, 0);
  out[get_global_id(0)] = 1;
}

// sub-groups end as one
kernel __attribute__((intel_reqd_sub_group_size(8))) void by_subgroups(global int *out, local int *tile, int n) {
  int l = get_local_id(0);
  if (get_sub_group_id() >= n) return;
  tile[l] = sub_group_reduce_add(l);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[0] + tile[l];
}
