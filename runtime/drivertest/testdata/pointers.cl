// The kernels call functions through pointers that the host gets from
// offlink_function_pointer. chosen.cl has the functions, which nothing imports.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef int (*operation)(int);

int own(int i) { return i - 1; }

__kernel void call(ulong address, __global int *out) {
  size_t i = get_global_id(0);
  out[i] = ((operation)address)((int)i);
}
