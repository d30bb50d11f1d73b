// Specialization constants of PTX: memory that the runtime defines.
__kernel void special_buffer(__global int *out) {
  __constant const int *values;
  __asm__("mov.u64 %0, offlink_spec_constants;" : "=l"(values));
  out[0] = ((__global const int *)(ulong)values)[0];
  out[1] = ((__global const int *)(ulong)values)[1];
}
