// Local memory and barriers.

kernel void reduce(global const int *in, global int *out, local int *scratch) {
  size_t l = get_local_id(0);
  scratch[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
    if (l < s) scratch[l] += scratch[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = scratch[0];
}

// the barrier is in a called function, and the variable is static
void __attribute__((noinline)) rotate_local(local int *tile, size_t l, size_t n) {
  int v = tile[(l + 1) % n];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void rotates(global int *out, int times) {
  local int tile[64];
  local int seen;
  size_t l = get_local_id(0), n = get_local_size(0);
  tile[l] = get_global_id(0);
  if (l == 0) seen = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < times; i++) rotate_local(tile, l, n);
  atomic_inc(&seen);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[l] * 1000 + seen;
}

#define TILE 4
kernel void matmul(global const float *a, global const float *b, global float *c, int n) {
  local float as[TILE][TILE], bs[TILE][TILE];
  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  float sum = 0;
  for (int t = 0; t < n / TILE; t++) {
    as[ly][lx] = a[y * n + t * TILE + lx];
    bs[ly][lx] = b[(t * TILE + ly) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k++) sum += as[ly][k] * bs[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}

// work-items keep private arrays across the barrier
kernel void keeps(global int *out) {
  local int shared[16];
  int own[4];
  size_t l = get_local_id(0);
  for (int i = 0; i < 4; i++) own[i] = l * 10 + i;
  shared[l] = own[l & 3];
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int i = 0; i < 4; i++) sum += own[i];
  out[get_global_id(0)] = sum * 100 + shared[(l + 1) % get_local_size(0)];
}

kernel void leftovers(global int *out, local int *l, int n) {
  for (int i = get_local_id(0); i < n; i += get_local_size(0)) {
    if (l[i]) atomic_inc(out);
    l[i] = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// the first work-items fill the border of a tile as well, all of them its inside
kernel void halo(global int *out, global const int *in, local int *tile) {
  int l = get_local_id(0), size = get_local_size(0);
  tile[l] = in[get_global_id(0)];
  if (l < 2) tile[size + l] = in[(get_global_id(0) + size) % get_global_size(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[l] + 100 * tile[l + 2];
}

// Each work-item keeps as much as fits a small group only.
kernel void heavy(global int *out) {
  volatile char own[300000];
  own[get_local_id(0)] = get_local_id(0) & 31;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[get_local_id(0)];
}

// Four values are kept over a barrier: their places in memory get other ones.
kernel void slots(global int *v) {
  int n = get_global_id(0), size = get_global_size(0);
  int a = v[n], b = v[n + size], c = v[n + 2 * size], d = v[n + 3 * size];
  v[n] = v[n + size] = v[n + 2 * size] = v[n + 3 * size] = 0;
  barrier(CLK_GLOBAL_MEM_FENCE);
  v[n] = a + b * 3 + c * 11 + d * 13;
}
