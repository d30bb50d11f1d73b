#include <offlink/device.h>

/* libstencil: one step of the heat equation. Sources of heat are functions of
 * another library. */
OFFLINK_EXTERNAL float source_term(int x, int y, float t);

OFFLINK_DEVICE_GLOBAL(float, conductivity) = 0.1f;

OFFLINK_KERNEL void heat_step(int w, int h, float t, OFFLINK_GLOBAL const float *a, OFFLINK_GLOBAL float *b) {
  int x = get_global_id(0), y = get_global_id(1), at = y * w + x;
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
    b[at] = a[at];
    return;
  }
  b[at] = a[at] + conductivity * (a[at - 1] + a[at + 1] + a[at - w] + a[at + w] - 4 * a[at]) + source_term(x, y, t);
}
