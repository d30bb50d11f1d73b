// Orders and scopes that a kernel computes.

kernel void computed(global atomic_int *out, int order, int scope) {
  atomic_fetch_add_explicit(out, order, (memory_order)(order & 0), (memory_scope)(memory_scope_work_group + (scope & 1)));
  if (get_global_id(0) == 0)
    atomic_store_explicit(out + 1, atomic_load_explicit(out + 2, order > 100 ? memory_order_acquire : memory_order_seq_cst, memory_scope_device) + order, memory_order_seq_cst,
                          scope & 1 ? memory_scope_device : memory_scope_work_group);
}
kernel void fences(global int *out, local int *tile, int order, int scope) {
  tile[get_local_id(0)] = order + get_local_id(0);
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, order & 1 ? memory_order_acquire : memory_order_release, memory_scope_work_group);
  work_group_barrier(CLK_LOCAL_MEM_FENCE, (memory_scope)(scope & 1 ? memory_scope_work_group : memory_scope_device));
  out[get_global_id(0)] = tile[get_local_id(0) ^ 1];
}
kernel void kinds_of_fences(global int *out, local int *tile) {
  int *p = get_global_id(0) & 1 ? (int *)(out + 64) : (int *)tile;
  out[get_global_id(0)] = get_fence(p) | get_fence(out) << 4 | get_fence(tile) << 8;
}
