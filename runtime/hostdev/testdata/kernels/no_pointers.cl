// A call through a pointer in a program that has no function of the type.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef int (*op)(int);
kernel void call(global const ulong *address, global int *out) {
  size_t i = get_global_id(0);
  out[i] = 1;
  if (address[i])
    out[i] = ((op)address[i])(1);
}
