#include <offlink/device.h>

/* libsource: where heat comes from, and how much a step changed. */
OFFLINK_EXTERNAL float source_term(int x, int y, float t) {
  float dx = x - 64, dy = y - 128;
  return dx * dx + dy * dy < 100 ? 0.5f + 0.5f * sin(t) : 0.0f;
}

OFFLINK_KERNEL void largest_change(OFFLINK_GLOBAL const float *a, OFFLINK_GLOBAL const float *b,
                                   OFFLINK_GLOBAL float *result, OFFLINK_LOCAL float *part) {
  int i = get_local_id(0);
  part[i] = fabs(a[get_global_id(0)] - b[get_global_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
    if (i < step)
      part[i] = fmax(part[i], part[i + step]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0)
    result[get_group_id(0)] = part[0];
}
