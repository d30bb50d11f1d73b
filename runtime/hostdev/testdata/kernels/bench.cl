// Kernels to measure the device with.

kernel void saxpy(global const float *x, global float *y, float a) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}

kernel void matmul(global const float *a, global const float *b, global float *c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

kernel void mandel(global int *out, int width, int limit) {
  int px = get_global_id(0), py = get_global_id(1);
  float cx = px * 3.0f / width - 2.0f, cy = py * 2.0f / width - 1.0f, x = 0, y = 0;
  int i = 0;
  while (i < limit && x * x + y * y <= 4.0f) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    i++;
  }
  out[py * width + px] = i;
}

kernel void nbody(global const float4 *p, global float4 *out, int n) {
  float4 me = p[get_global_id(0)], f = (float4)(0);
  for (int i = 0; i < n; i++) {
    float4 d = p[i] - me;
    float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
    f += d * (p[i].w * r * r * r);
  }
  out[get_global_id(0)] = f;
}

kernel void reduce(global const float *in, global float *out, local float *scratch) {
  size_t l = get_local_id(0);
  scratch[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
    if (l < s) scratch[l] += scratch[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = scratch[0];
}

kernel void nothing(global int *out) {}

kernel void number(global int *out) {
  size_t i = get_global_id(0);
  out[i] = i;
}
