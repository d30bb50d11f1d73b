/* The kernels of runtime/hostdev/testdata/kernels/throughput.cl in C, with the
 * same algorithms. Each line of input names one; it runs once, and its time on
 * the processor in nanoseconds and a checksum of its results are printed. With
 * /wall after the name it is the time by the clock, with /wall2 that of two
 * threads, each of which does one half. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N (1 << 20)
#define SIDE 256    /* of the matrices */
#define BODIES 1024
#define PICTURE 512 /* pixels, each way */
#define TURNS 256
#define DIGESTS 16384
#define AREA 1024 /* of the stencil, each way */

/* Each kernel is a function that knows nothing of its arguments, as on a device.
 * It does the part of the work from first to end. */
#define KERNEL static __attribute__((noipa))

typedef struct {
  float x, y;
} float2;
typedef struct {
  float x, y, z, w;
} float4;

KERNEL void saxpy(int first, int end, float a, const float *restrict x, float *restrict y) {
  for (int i = first; i < end; i++) y[i] = a * x[i] + y[i];
}

KERNEL void matmul(int first, int end, int n, const float *restrict a, const float *restrict b, float *restrict c) {
  for (int y = first; y < end; y++)
    for (int x = 0; x < n; x++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
      c[y * n + x] = sum;
    }
}

KERNEL void nbody(int first, int end, int n, const float4 *restrict bodies, float4 *restrict out) {
  for (int i = first; i < end; i++) {
    float4 own = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
      float4 other = bodies[j];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
      float inverse = 1.0f / __builtin_sqrtf(r2);
      float f = other.w * inverse * inverse * inverse;
      ax += dx * f;
      ay += dy * f;
      az += dz * f;
    }
    out[i] = (float4){ax, ay, az, 0};
  }
}

KERNEL void mandel(int first, int end, int width, int height, int limit, int *restrict out) {
  for (int py = first; py < end; py++)
    for (int px = 0; px < width; px++) {
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
}

KERNEL void reduce(int first, int end, const float *restrict x, float *restrict out) {
  for (int group = first; group < end; group++) {
    float sums[256];
    for (int i = 0; i < 256; i++) sums[i] = x[group * 256 + i];
    for (int s = 128; s > 0; s >>= 1)
      for (int i = 0; i < s; i++) sums[i] += sums[i + s];
    out[group] = sums[0];
  }
}

KERNEL void hist(int first, int end, const uint8_t *restrict x, int *restrict out) {
  for (int i = first; i < end; i++) __atomic_fetch_add(&out[x[i]], 1, __ATOMIC_RELAXED);
}

static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTATE(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

KERNEL void sha256(int first, int end, uint32_t *restrict out) {
  for (uint32_t id = first; id < (uint32_t)end; id++) {
    uint32_t w[16];
    memset(w, 0, sizeof w);
    w[0] = id;
    w[1] = 0x80000000;
    w[15] = 32;
    const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint32_t a = start[0], b = start[1], c = start[2], d = start[3];
    uint32_t e = start[4], f = start[5], g = start[6], h = start[7];
    for (int i = 0; i < 64; i++) {
      uint32_t wi;
      if (i < 16) {
        wi = w[i];
      } else {
        uint32_t x = w[(i + 1) & 15], y = w[(i + 14) & 15];
        wi = w[i & 15] = (ROTATE(x, 7) ^ ROTATE(x, 18) ^ (x >> 3)) + (ROTATE(y, 17) ^ ROTATE(y, 19) ^ (y >> 10)) +
                         w[i & 15] + w[(i + 9) & 15];
      }
      uint32_t t1 = h + (ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25)) + ((e & f) ^ (~e & g)) + rounds[i] + wi;
      uint32_t t2 = (ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    uint32_t sums[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++) out[id * 8 + i] = sums[i] + start[i];
  }
}

KERNEL void stencil(int first, int end, int width, int height, const float *restrict a, float *restrict b) {
  for (int y = first; y < end; y++)
    for (int x = 0; x < width; x++) {
      if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        b[y * width + x] = a[y * width + x];
        continue;
      }
      b[y * width + x] = a[y * width + x] + 0.1f * (a[y * width + x - 1] + a[y * width + x + 1] +
                                                    a[(y - 1) * width + x] + a[(y + 1) * width + x] -
                                                    4 * a[y * width + x]);
    }
}

KERNEL void fft(int first, int end, const float2 *restrict in, float2 *restrict out, const float2 *restrict roots) {
  for (int base = 256 * first; base < 256 * end; base += 256) {
    float2 points[512];
    memcpy(points, in + base, 256 * sizeof *points);
    int from = 0;
    for (int p = 1; p < 256; p <<= 1) {
      int to = 256 - from;
      for (int i = 0; i < 128; i++) {
        int k = i & (p - 1), at = to + 2 * i - k;
        float2 root = roots[k * (128 / p)], x = points[from + i], y = points[from + i + 128];
        float2 turned = {y.x * root.x - y.y * root.y, y.x * root.y + y.y * root.x};
        points[at] = (float2){x.x + turned.x, x.y + turned.y};
        points[at + p] = (float2){x.x - turned.x, x.y - turned.y};
      }
      from = to;
    }
    memcpy(out + base, points + from, 256 * sizeof *points);
  }
}

KERNEL void scan(int first, int end, const int *restrict in, int *restrict out) {
  for (int group = 256 * first; group < 256 * end; group += 256) {
    int sums[512], from = 0;
    memcpy(sums, in + group, 256 * sizeof *sums);
    for (int s = 1; s < 256; s <<= 1) {
      for (int i = 0; i < 256; i++)
        sums[256 - from + i] = i >= s ? sums[from + i] + sums[from + i - s] : sums[from + i];
      from = 256 - from;
    }
    memcpy(out + group, sums + from, 256 * sizeof *sums);
  }
}

static uint64_t now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* FNV-1a of the results. */
static uint64_t checksum(const void *data, size_t n) {
  const uint8_t *p = data;
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * UINT64_C(0x100000001b3);
  return h;
}

static float *floats(int n) {
  float *f = malloc(n * sizeof *f);
  for (int i = 0; i < n; i++) f[i] = (float)(i % 1000) * 0.001f + 0.5f;
  return f;
}

static float *x, *other, *out;
static uint8_t *bytes;

/* Runs one of so many parts of a kernel, and returns the bytes of its results. */
static size_t run(const char *name, int part, int parts) {
#define RUN(kernel, bytes, count, ...)                                                         \
  if (!strcmp(name, #kernel)) {                                                                \
    kernel((int)(count) / parts * part, (int)(count) / parts * (part + 1), __VA_ARGS__);       \
    return bytes;                                                                              \
  }
  RUN(saxpy, 4 * N, N, 1.5f, x, out)
  RUN(matmul, 4 * SIDE * SIDE, SIDE, SIDE, x, other, out)
  RUN(nbody, 16 * BODIES, BODIES, BODIES, (float4 *)x, (float4 *)out)
  RUN(mandel, 4 * PICTURE * PICTURE, PICTURE, PICTURE, PICTURE, TURNS, (int *)out)
  RUN(reduce, 4 * (N / 256), N / 256, x, out)
  RUN(hist, 4 * 256, N, bytes, (int *)out)
  RUN(sha256, 32 * DIGESTS, DIGESTS, (uint32_t *)out)
  RUN(stencil, 4 * AREA * AREA, AREA, AREA, AREA, x, out)
  RUN(fft, 8 * N, N / 256, (float2 *)x, (float2 *)out, (float2 *)other)
  RUN(scan, 4 * N, N / 256, (int *)x, (int *)out)
  return 0;
}

/* The second thread waits for its half without sleep: it is what the machine
 * gives at best. It is there only while a kernel runs in two threads. */
static atomic_int ready, go, done;

static void *second(void *name) {
  ready = 1;
  while (!go) {
  }
  run(name, 1, 2);
  done = 1;
  return 0;
}

static uint64_t run_twice(const char *name, size_t *size) {
  pthread_t thread;
  ready = go = done = 0;
  if (pthread_create(&thread, 0, second, (void *)name)) abort();
  while (!ready) {
  }
  uint64_t time = now(CLOCK_MONOTONIC);
  go = 1;
  *size = run(name, 0, 2);
  while (!done) {
  }
  time = now(CLOCK_MONOTONIC) - time;
  pthread_join(thread, 0);
  return time;
}

static uint64_t run_once(const char *name, clockid_t clock, size_t *size) {
  uint64_t time = now(clock);
  *size = run(name, 0, 1);
  return now(clock) - time;
}

int main(void) {
  x = floats(2 * N), other = floats(2 * N), out = floats(2 * N);
  float *start = floats(2 * N);
  bytes = malloc(N);
  for (uint64_t i = 0; i < N; i++) bytes[i] = (uint8_t)(i * UINT64_C(2654435761) >> 13);
  char name[32];
  while (scanf("%31s", name) == 1) {
    char *how = strchr(name, '/');
    if (how) *how++ = 0;
    size_t size;
    uint64_t time;
    memcpy(out, start, 2 * N * sizeof *out);
    if (!strcmp(name, "hist")) memset(out, 0, 256 * sizeof(int));
    if (how && !strcmp(how, "wall2"))
      time = run_twice(name, &size);
    else
      time = run_once(name, how ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &size);
    printf("%llu %llx\n", (unsigned long long)time, (unsigned long long)checksum(out, size));
    fflush(stdout);
  }
  return 0;
}
