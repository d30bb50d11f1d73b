// Correct kernels that look like faulty ones to a checker that is not exact.

typedef struct {
  char c;
  int i;
  char d;
  long l;
} padded;

// The padding of a struct is copied, and never written.
kernel void copy_padded(global padded *out, int n) {
  padded p[4];
  for (int i = 0; i < 4; i++) {
    p[i].c = (char)i, p[i].i = i, p[i].d = (char)n, p[i].l = n;
  }
  out[get_global_id(0)] = p[(get_global_id(0) + n) & 3];
}

// Bit fields are written by loading the word, of which no bit is set at first.
kernel void set_bits(global unsigned *out, int n) {
  unsigned b[4];
  for (int i = 0; i < 4; i++) {
    b[i] = (b[i] & ~7u) | i;
    b[i] = (b[i] & ~(0xfffu << 3)) | (unsigned)(n + i) << 3;
  }
  if (b[n & 3] & 1)
    out[get_global_id(0)] = b[n & 3] & 7;
  else
    out[get_global_id(0)] = (b[n & 3] << 17) >> 20;
}

kernel void reduce(global int *out, global const int *in, local int *tmp) {
  size_t i = get_local_id(0);
  tmp[i] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t n = get_local_size(0) / 2; n > 0; n /= 2) {
    if (i < n)
      tmp[i] += tmp[i + n];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0)
    out[get_group_id(0)] = tmp[0];
}

kernel void histogram(global unsigned *out, global const int *in, local unsigned *counts) {
  size_t i = get_local_id(0);
  for (size_t b = i; b < 8; b += get_local_size(0))
    counts[b] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&counts[in[get_global_id(0)] & 7]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t b = i; b < 8; b += get_local_size(0))
    atomic_add(&out[b], counts[b]);
}

// The last group to come sums what all have written.
kernel void last_group(global int *out, global volatile int *parts, global int *count, local int *last) {
  size_t i = get_local_id(0);
  if (i == 0) {
    parts[get_group_id(0)] = (int)get_group_id(0) + 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    *last = atomic_inc(count) == (int)get_num_groups(0) - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (*last && i == 1) {
    int sum = 0;
    for (size_t g = 0; g < get_num_groups(0); g++)
      sum += parts[g];
    out[0] = sum;
  }
}

// All work-items set one flag to one value.
kernel void set_flag(global int *flag, global const int *in) {
  if (in[get_global_id(0)] > 2)
    *flag = 1;
}

// Neighbours write the bytes of one word.
kernel void write_bytes(global char *out) { out[get_global_id(0)] = (char)get_global_id(0); }

// A pointer goes past the end, and comes back before it is used.
kernel void count_down(global int *out, global const int *in, int n) {
  global const int *p = in + n;
  int sum = 0;
  while (p != in)
    sum += *--p;
  out[get_global_id(0)] = sum;
}

kernel void vectors(global float4 *out, global const float *in, local float4 *tmp) {
  size_t i = get_local_id(0);
  tmp[i] = vload4(i, in);
  barrier(CLK_LOCAL_MEM_FENCE);
  float3 v = tmp[i ^ 1].xyz;
  float whole;
  v.x += fract(v.y, &whole);
  vstore4((float4)(v, whole), i, (global float *)out);
}

kernel void early_return(global int *out, local int *tmp, int n) {
  size_t i = get_local_id(0);
  event_t e = async_work_group_copy(tmp, out, get_local_size(0), 0);
  wait_group_events(1, &e);
  int v = tmp[(i + 1) % get_local_size(0)];
  barrier(CLK_GLOBAL_MEM_FENCE);
  if ((int)i >= n)
    return;
  out[i] = v;
}
