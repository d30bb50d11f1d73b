// Two kernels in one module, for the first steps in README.md.
kernel void saxpy(float a, global const float *x, global float *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}

kernel void reverse(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  out[get_global_size(0) - 1 - i] = in[i];
}
