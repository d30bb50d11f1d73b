// Pointers to functions (SPV_INTEL_function_pointers).
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef int (*op)(int, local int *);
int __attribute__((noinline)) add(int a, local int *l) { return a + 1; }
int __attribute__((noinline)) twice(int a, local int *l) { l[get_local_id(0)] = a; barrier(CLK_LOCAL_MEM_FENCE); return 2 * l[(get_local_id(0) + 1) % get_local_size(0)]; }
int __attribute__((noinline)) unused(int a, local int *l) { return -a; }
constant op table[2] = {add, twice};
kernel void k(global const int *which, global int *out, local int *l) {
  size_t i = get_global_id(0);
  op f = which[i / 2] == 2 ? unused : table[which[i / 2]];
  out[i] = f(i, l);
}
kernel void bad(ulong address, global int *out) { out[0] = ((op)address)(1, 0); }
