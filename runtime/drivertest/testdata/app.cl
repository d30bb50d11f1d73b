// The kernels of the conformance suite. lib.cl has what they import.
int LibDeviceFunc(int i);

__kernel void app(__global int *out) {
  size_t i = get_global_id(0);
  out[i] = LibDeviceFunc((int)i);
}

__kernel void fill(__global float *out, float value, char small) { out[get_global_id(0)] = value + small; }

__kernel void ids(__global int *out) {
  size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  size_t w = get_global_size(0), h = get_global_size(1);
  size_t at = x - get_global_offset(0) + w * (y - get_global_offset(1) + h * (z - get_global_offset(2)));
  out[at] = (int)(x + 100 * y + 10000 * z);
}

__kernel void sums(__global const int *in, __global int *out, __local int *part) {
  size_t i = get_local_id(0);
  part[i] = in[get_global_id(0)];
  for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < step)
      part[i] += part[i + step];
  }
  if (i == 0)
    out[get_group_id(0)] = part[0];
}

__kernel void count(volatile __global int *counter) { atomic_inc(counter); }

__kernel void local_size(__global int *out) { out[get_global_id(0)] = (int)get_local_size(0); }

struct addresses {
  ulong from, to;
};

__kernel void follow(struct addresses a) {
  size_t i = get_global_id(0);
  ((__global int *)a.to)[i] = ((__global const int *)a.from)[i] + 1;
}

__kernel void last(__global const ulong *list, __global int *out) {
  while (list[1])
    list = (__global const ulong *)list[1];
  *out = (int)list[0];
}

#ifdef __NVPTX__ // PTX has no specialization constants
#define __spirv_SpecConstant(id, value) (value)
#else
int __attribute__((overloadable)) __spirv_SpecConstant(int id, int value);
#endif

__kernel void special(__global int *out) {
  out[0] = __spirv_SpecConstant(3, 42);
  out[1] = __spirv_SpecConstant(4, 43);
}

__kernel void endless(__global volatile int *flag) {
  while (*flag == 0)
    ;
}

__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void required(__global int *out) { out[get_global_id(0)] = 1; }
