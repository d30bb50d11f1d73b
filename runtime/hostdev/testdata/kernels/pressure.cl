// Functions whose code has more values at once than a processor has registers.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void tanh_of(global const double *x, global double *y) {
  size_t i = get_global_id(0);
  y[i] = tanh(x[i]);
}

kernel void tanh_of_eight(global const double *x, global double *y) {
  size_t first = 8 * get_global_id(0);
  for (size_t i = first; i < first + 8; i++)
    y[i] = tanh(x[i]);
}
