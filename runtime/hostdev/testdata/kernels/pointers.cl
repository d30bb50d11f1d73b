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

// Objects with a pointer to a function each, as of classes with virtual functions.
typedef struct shape { int (*area)(const struct shape *, int); int size; } shape;
int __attribute__((noinline)) plus(const shape *s, int a) { return a + s->size; }
int __attribute__((noinline)) minus(const shape *s, int a) { return s->size ? s->size : -a; }
int __attribute__((noinline)) nothing(const shape *s, int a) { return 0; }
kernel void apply(global const int *in, global int *out) {
  int i = get_global_id(0);
  shape s;
  s.size = 0;
  switch (in[i]) {
  case 0: case 2: s.area = plus; s.size = 1; break;
  case 3: s.area = nothing; break;
  case 4: s.area = minus; s.size = 100; break;
  case 5: s.area = minus; s.size = -100; break;
  default: s.area = minus;
  }
  out[i] = s.area(&s, i);
}
