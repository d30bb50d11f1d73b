// Atomic operations, by many work-groups at once.

#define KERNEL(T, NAME) \
kernel void atomics_##NAME(global T *cell, global T *sum) { \
  T i = get_global_id(0); \
  atomic_fetch_add((volatile global atomic_##T *)&cell[0], i); \
  atomic_fetch_sub((volatile global atomic_##T *)&cell[1], i); \
  atomic_fetch_or((volatile global atomic_##T *)&cell[2], (T)1 << (i & 15)); \
  atomic_fetch_xor((volatile global atomic_##T *)&cell[3], i); \
  atomic_fetch_and((volatile global atomic_##T *)&cell[4], ~((T)1 << (i & 15))); \
  atomic_fetch_min((volatile global atomic_##T *)&cell[5], i - 100); \
  atomic_fetch_max((volatile global atomic_##T *)&cell[6], i - 100); \
  T old = atomic_exchange((volatile global atomic_##T *)&cell[7], i + 1); \
  atomic_fetch_add((volatile global atomic_##T *)&sum[0], old); \
  T want = atomic_load((volatile global atomic_##T *)&cell[8]); \
  while (!atomic_compare_exchange_weak((volatile global atomic_##T *)&cell[8], &want, want + 2)); \
  want = -1; \
  if (!atomic_compare_exchange_strong((volatile global atomic_##T *)&cell[9], &want, i)) \
    atomic_fetch_add((volatile global atomic_##T *)&sum[1], (T)1); \
  atomic_store((volatile global atomic_##T *)&cell[10], (T)77); \
}

KERNEL(int, int)
KERNEL(uint, uint)
KERNEL(long, long)
KERNEL(ulong, ulong)

// the functions of OpenCL 1.2, in local memory too
kernel void atomics_old(global int *cell, global uint *ucell) {
  local int count;
  local int seen[4];
  int l = get_local_id(0);
  if (l == 0) { count = 0; for (int i = 0; i < 4; i++) seen[i] = 0; }
  barrier(CLK_LOCAL_MEM_FENCE);
  int turn = atomic_inc(&count);
  atomic_add(&seen[turn & 3], 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    atomic_add(&cell[0], count);
    for (int i = 0; i < 4; i++) atomic_add(&cell[1], seen[i]);
  }
  atomic_dec(&cell[2]);
  atomic_sub(&cell[3], 2);
  atomic_min(&cell[4], (int)get_global_id(0) - 50);
  atomic_max(&cell[5], (int)get_global_id(0) - 50);
  atomic_min(&ucell[0], (uint)get_global_id(0) + 5);
  atomic_max(&ucell[1], (uint)get_global_id(0) + 5);
  atomic_and(&cell[6], ~(1 << (get_global_id(0) & 7)));
  atomic_or(&cell[7], 1 << (get_global_id(0) & 7));
  atomic_xor(&cell[8], (int)get_global_id(0));
  int old = atomic_add(&cell[9], 0), was;
  do { was = old; old = atomic_cmpxchg(&cell[9], was, was + 3); } while (old != was);
  atomic_xchg(&cell[10], 5);
}

kernel void float_cells(global float *cell, global int *flag) {
  volatile global atomic_float *f = (volatile global atomic_float *)cell;
  atomic_store(f, 2.5f);
  float v = atomic_load(f);
  cell[1] = atomic_exchange(f, v * 2);
  volatile global atomic_flag *g = (volatile global atomic_flag *)flag;
  flag[1] = atomic_flag_test_and_set(g);
  flag[2] = atomic_flag_test_and_set(g);
  flag[3] = flag[0] != 0;
  atomic_flag_clear(g);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
}

// An address that is not aligned, of one work-item in the middle of a step.
kernel void misaligned_middle(global char *cell) {
  int i = get_global_id(0);
  atomic_add((global int *)(cell + 4 * i + 2 * (i == 5)), 1);
}
