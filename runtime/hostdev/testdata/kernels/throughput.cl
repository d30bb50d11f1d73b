// Kernels whose throughput `make bench` compares with C: saxpy, a product of
// matrices, n-body, the Mandelbrot set, a reduction with barriers, a histogram
// with atomic operations, SHA-256, a stencil, a Fourier transform, a scan.

kernel void saxpy(float a, global const float *x, global float *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}

kernel void matmul(int n, global const float *a, global const float *b, global float *c) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

kernel void nbody(int n, global const float4 *bodies, global float4 *out) {
  int i = get_global_id(0);
  float4 own = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j++) {
    float4 other = bodies[j];
    float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
    float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
    float inverse = 1.0f / sqrt(r2);
    float f = other.w * inverse * inverse * inverse;
    ax += dx * f;
    ay += dy * f;
    az += dz * f;
  }
  out[i] = (float4)(ax, ay, az, 0);
}

kernel void mandel(int width, int height, int limit, global int *out) {
  int px = get_global_id(0), py = get_global_id(1);
  float cr = -2.0f + 3.0f * px / width, ci = -1.5f + 3.0f * py / height, zr = 0, zi = 0;
  int turns = 0;
  while (turns < limit) {
    float r2 = zr * zr, i2 = zi * zi;
    if (r2 + i2 > 4.0f) break;
    float t = r2 - i2 + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    turns++;
  }
  out[py * width + px] = turns;
}

kernel void reduce(global const float *x, global float *out, local float *sums) {
  int i = get_local_id(0);
  sums[i] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (i < s) sums[i] += sums[i + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0) out[get_group_id(0)] = sums[0];
}

kernel void hist(global const uchar *x, global int *out) {
  atomic_inc(&out[x[get_global_id(0)]]);
}

constant uint rounds[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTATE(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

// The digest of the number of the work-item, 4 bytes.
kernel void sha256(global uint *out) {
  uint w[16], id = get_global_id(0);
  for (int i = 0; i < 16; i++) w[i] = 0;
  w[0] = id;
  w[1] = 0x80000000;
  w[15] = 32;
  const uint start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint a = start[0], b = start[1], c = start[2], d = start[3], e = start[4], f = start[5], g = start[6], h = start[7];
  for (int i = 0; i < 64; i++) {
    uint wi;
    if (i < 16) {
      wi = w[i];
    } else {
      uint x = w[(i + 1) & 15], y = w[(i + 14) & 15];
      wi = w[i & 15] = (ROTATE(x, 7) ^ ROTATE(x, 18) ^ (x >> 3)) + (ROTATE(y, 17) ^ ROTATE(y, 19) ^ (y >> 10)) +
                       w[i & 15] + w[(i + 9) & 15];
    }
    uint t1 = h + (ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25)) + ((e & f) ^ (~e & g)) + rounds[i] + wi;
    uint t2 = (ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  uint sums[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; i++) out[id * 8 + i] = sums[i] + start[i];
}

kernel void stencil(int width, int height, global const float *a, global float *b) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    b[y * width + x] = a[y * width + x];
    return;
  }
  b[y * width + x] = a[y * width + x] + 0.1f * (a[y * width + x - 1] + a[y * width + x + 1] + a[(y - 1) * width + x] +
                                                 a[(y + 1) * width + x] - 4 * a[y * width + x]);
}

// Each work-group of 128 transforms 256 complex numbers: Stockham's way, of
// radix 2, from one half of local memory to the other and back.
kernel void fft(global const float2 *in, global float2 *out, global const float2 *roots, local float2 *points) {
  int i = get_local_id(0), base = get_group_id(0) * 256;
  points[i] = in[base + i];
  points[i + 128] = in[base + i + 128];
  int from = 0;
  for (int p = 1; p < 256; p <<= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = i & (p - 1), to = 256 - from, at = to + 2 * i - k;
    float2 root = roots[k * (128 / p)], x = points[from + i], y = points[from + i + 128];
    float2 turned = (float2)(y.x * root.x - y.y * root.y, y.x * root.y + y.y * root.x);
    points[at] = x + turned;
    points[at + p] = x - turned;
    from = to;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + i] = points[from + i];
  out[base + i + 128] = points[from + i + 128];
}

// The sums of the numbers up to each one, within each work-group.
kernel void scan(global const int *in, global int *out, local int *sums) {
  int i = get_local_id(0), size = get_local_size(0), from = 0;
  sums[i] = in[get_global_id(0)];
  for (int s = 1; s < size; s <<= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[size - from + i] = i >= s ? sums[from + i] + sums[from + i - s] : sums[from + i];
    from = size - from;
  }
  out[get_global_id(0)] = sums[from + i];
}
