// Kernels that end with n of 1 and do not end in a lifetime with a large one.

kernel void nested(global int *out, int n) {
  int i = get_global_id(0), sum = 0;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      for (int c = 0; c < n; c++)
        sum += out[(a ^ b ^ c ^ i) & 15] + 1;
  out[i] = sum;
}

// The loops leave work-items at different times.
kernel void uneven(global int *out, int n) {
  int i = get_global_id(0), sum = 0;
  for (int a = 0; a < n; a += 1 + (sum & 1))
    for (int b = i & 1; b < n; b += 1 + (b & i & 1))
      sum = sum * 3 + a + b + out[i];
  out[i] = sum;
}

kernel void meeting(global int *out, int n, local int *l) {
  int i = get_local_id(0), sum = 0;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      l[i] = sum + b;
      barrier(CLK_LOCAL_MEM_FENCE);
      sum += l[i ^ 1];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  out[get_global_id(0)] = sum;
}

kernel void functions(global int *out, int n) {
  int i = get_global_id(0), q = 0;
  float x = i;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      x = pow(fabs(sin(x)) + 1, 0.3f) + remquo(x, 0.7f, &q) + work_group_reduce_max(x) * 0.5f;
  out[i] = convert_int_sat(x) + q;
}

kernel void copies(global int *out, int n, local int *l) {
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      event_t e = async_work_group_copy(l, out, 16, 0);
      wait_group_events(1, &e);
      e = async_work_group_copy(out, l, 16, 0);
      wait_group_events(1, &e);
    }
}

float deep(float x, int n) {
  for (int a = 0; a < n; a++) x = x * 0.5f + 1;
  return x;
}
float deeper(float x, int n) {
  for (int a = 0; a < n; a++) x = deep(x, n) + deep(x + 1, n);
  return x;
}
kernel void calls(global int *out, int n) {
  float x = get_global_id(0);
  for (int a = 0; a < n; a++) x = deeper(x, n);
  out[get_global_id(0)] = x;
}
