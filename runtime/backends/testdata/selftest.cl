// The kernel of devrun doctor.
kernel void selftest(global int *out) {
  int i = (int)get_global_id(0);
  out[i] = i * i + 1;
}
