/* heat: heat that spreads over a plate. The step of the solver and the sources
 * of heat are device code of two shared libraries, linked when the kernel is
 * opened. Writes a picture, and compares results and time with plain C. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <offlink/offlink.h>

#include "png.h"

enum { W = 256, H = 256, CELLS = W * H, GROUP = 256 };

const char *stencil_version(void), *source_version(void);

static void must(offlink_status status) {
  if (status)
    errx(1, "%s", offlink_error());
}

static double seconds(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

/* The same in C. */
static float source_term(int x, int y, float t) {
  float dx = x - 64, dy = y - 128;
  return dx * dx + dy * dy < 100 ? 0.5f + 0.5f * sinf(t) : 0.0f;
}

static void step_in_c(float conductivity, float t, const float *a, float *b) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int at = y * W + x;
      b[at] = a[at];
      if (x > 0 && y > 0 && x < W - 1 && y < H - 1)
        b[at] = a[at] + conductivity * (a[at - 1] + a[at + 1] + a[at - W] + a[at + W] - 4 * a[at]) + source_term(x, y, t);
    }
}

static double solve_in_c(int steps, float conductivity, const float *start, float *result) {
  float *a = malloc(CELLS * sizeof *a), *b = malloc(CELLS * sizeof *b);
  for (int i = 0; i < CELLS; i++)
    a[i] = start[i];
  double began = seconds();
  for (int i = 0; i < steps; i++) {
    step_in_c(conductivity, i * 0.01f, a, b);
    float *other = a;
    a = b, b = other;
  }
  double took = seconds() - began;
  for (int i = 0; i < CELLS; i++)
    result[i] = a[i];
  free(a);
  free(b);
  return took;
}

/* The largest difference between two plates, found by the device. */
static float change(offlink_kernel *kernel, offlink_buffer *a, offlink_buffer *b, offlink_buffer *parts) {
  float list[CELLS / GROUP], largest = 0;
  offlink_range range = offlink_range_1d(CELLS);
  range.local[0] = GROUP;
  offlink_arg args[] = {offlink_arg_buffer(a), offlink_arg_buffer(b), offlink_arg_buffer(parts),
                        offlink_arg_local(GROUP * sizeof(float))};
  must(offlink_launch(kernel, range, args, 4));
  must(offlink_buffer_read(parts, 0, list, sizeof list));
  for (int i = 0; i < CELLS / GROUP; i++)
    largest = fmaxf(largest, list[i]);
  return largest;
}

static double solve(offlink_device *device, int steps, const float *start, float *result) {
  offlink_kernel *step, *largest;
  offlink_buffer *a, *b, *parts;
  int w = W, h = H;
  must(offlink_kernel_open(device, NULL, "heat_step", &step));
  must(offlink_kernel_open(device, NULL, "largest_change", &largest));
  must(offlink_buffer_create(device, CELLS * sizeof *start, start, &a));
  must(offlink_buffer_create(device, CELLS * sizeof *start, start, &b));
  must(offlink_buffer_create(device, CELLS / GROUP * sizeof *start, NULL, &parts));
  double began = seconds();
  for (int i = 0; i < steps; i++) {
    float t = i * 0.01f;
    offlink_arg args[] = {OFFLINK_VALUE(w), OFFLINK_VALUE(h), OFFLINK_VALUE(t), offlink_arg_buffer(a),
                          offlink_arg_buffer(b)};
    must(offlink_launch(step, offlink_range_2d(W, H), args, 5));
    offlink_buffer *other = a;
    a = b, b = other;
  }
  double took = seconds() - began;
  must(offlink_buffer_read(a, 0, result, CELLS * sizeof *result));
  printf("the last of %d steps changed a cell by at most %.4f\n", steps, change(largest, a, b, parts));
  offlink_buffer_close(parts);
  offlink_buffer_close(b);
  offlink_buffer_close(a);
  offlink_kernel_close(largest);
  offlink_kernel_close(step);
  return took;
}

/* From black through red and yellow to white. */
static void draw(const char *path, const float *plate) {
  unsigned char *pixels = malloc(3 * CELLS), *p = pixels;
  float hottest = 0;
  for (int i = 0; i < CELLS; i++)
    hottest = fmaxf(hottest, plate[i]);
  for (int i = 0; i < CELLS; i++)
    for (int color = 0; color < 3; color++) {
      float v = 3 * sqrtf(plate[i] / hottest) - color;
      *p++ = v < 0 ? 0 : v > 1 ? 255 : (unsigned char)(255 * v);
    }
  if (write_png(path, W, H, pixels))
    err(1, "%s", path);
  free(pixels);
}

int main(int count, char **words) {
  static float start[CELLS], result[CELLS], expected[CELLS];
  int steps = count > 1 ? atoi(words[1]) : 500;
  float conductivity = 0.2f, worst = 0;
  offlink_device *device;
  for (int x = 0; x < W; x++)
    start[x] = 20;
  must(offlink_device_open(count > 3 ? words[3] : NULL, &device));
  must(offlink_global_write(device, "conductivity", 0, &conductivity, sizeof conductivity));
  double here = solve(device, steps, start, result), in_c = solve_in_c(steps, conductivity, start, expected);
  for (int i = 0; i < CELLS; i++)
    worst = fmaxf(worst, fabsf(result[i] - expected[i]) / fmaxf(1, fabsf(expected[i])));
  if (!(worst < 1e-4f))
    errx(1, "the results differ from those of C by %g", worst);
  printf("libstencil %s, libsource %s: as in C\n", stencil_version(), source_version());
  draw(count > 2 ? words[2] : "heat.png", result);
  fprintf(stderr, "%s: %.1f ms; plain C, one thread: %.1f ms\n", offlink_device_name(device), here * 1e3, in_c * 1e3);
  offlink_device_close(device);
  return 0;
}
