// Comparisons of floating-point objects, which llvm-spirv writes as no driver takes them.

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void compared_floats(global atomic_float *f, global atomic_double *d, global int *out, int order) {
  if (get_global_id(0) != 0) return;
  float e = 0;
  double g = 1;
  atomic_init(f, 0.0f);
  atomic_init(d, 2.5);
  out[0] = atomic_compare_exchange_strong(f, &e, 1.5f);
  out[1] = atomic_compare_exchange_strong_explicit(d, &g, 3.5, order & 1 ? memory_order_acq_rel : memory_order_seq_cst, order & 2 ? memory_order_acquire : memory_order_relaxed, memory_scope_device);
  out[2] = (int)g;
  e = 1.5f;
  out[3] = atomic_compare_exchange_weak(f, &e, -1.0f);
}
