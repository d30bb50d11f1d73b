// Arguments that are parts of one buffer.

kernel void chain(global int *to, global const int *from, int n) {
  for (int i = 0; i < n; i++) to[i] = from[i] + 1;
}

kernel void swap(global int *a, global int *b) {
  int i = get_global_id(0), v = a[i];
  a[i] = b[i];
  b[i] = v;
}

kernel void wide(global float4 *to, global const float *from) {
  int i = get_global_id(0);
  to[i] = vload4(i, from) + 1;
}
