// Kernels for the tests on a GPU, of what the conformance suite does not ask
// for. kernels.sh makes more.ptx of this.
#include <offlink/device.h>

OFFLINK_DEVICE_GLOBAL(int, counter, "the counter") = 40;

OFFLINK_KERNEL void place(OFFLINK_GLOBAL ulong *out) {
  size_t i = get_global_linear_id();
  out[4 * i] = get_work_dim();
  out[4 * i + 1] = get_global_id(0);
  out[4 * i + 2] = get_global_id(1);
  out[4 * i + 3] = get_global_offset(0);
}

// Writes where it was launched to the last element that it was given, after a
// while.
OFFLINK_KERNEL void late(OFFLINK_GLOBAL ulong *out, uint turns) {
  ulong x = get_global_id(0);
  for (uint i = 0; i < turns; i++)
    x = x * 6364136223846793005UL + 1442695040888963407UL;
  out[0] = get_global_offset(0) + (x == 42);
}

OFFLINK_KERNEL void count(OFFLINK_GLOBAL int *out) { *out = ++counter; }

// Local memory of its own, and two arguments of different sizes: none may
// overlap another.
OFFLINK_KERNEL void locals(OFFLINK_GLOBAL int *out, OFFLINK_LOCAL int *first, uint firstCount, OFFLINK_LOCAL int *second, uint secondCount) {
  __local int own[64];
  size_t me = get_local_id(0), all = get_local_size(0);
  for (size_t i = me; i < 64; i += all)
    own[i] = 1;
  for (size_t i = me; i < firstCount; i += all)
    first[i] = 2;
  for (size_t i = me; i < secondCount; i += all)
    second[i] = 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  int wrong = 0;
  for (size_t i = 0; i < 64; i++)
    wrong += own[i] != 1;
  for (size_t i = 0; i < firstCount; i++)
    wrong += first[i] != 2;
  for (size_t i = 0; i < secondCount; i++)
    wrong += second[i] != 3;
  out[get_global_id(0)] = wrong;
}

// One thread that reads far away: the driver ends the context.
OFFLINK_KERNEL void crash(OFFLINK_GLOBAL int *out) { *out = *(OFFLINK_GLOBAL int *)16; }

OFFLINK_KERNEL void nothing(OFFLINK_GLOBAL int *out) {}
