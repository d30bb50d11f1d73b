#include <offlink/device.h>

// Constants that are known when the device builds the kernel.
OFFLINK_SPEC_CONSTANT(int, radius, 1)
OFFLINK_SPEC_CONSTANT(float, gain, 1.0f)

extern "C" OFFLINK_KERNEL void blur(OFFLINK_GLOBAL const float *in, OFFLINK_GLOBAL float *out, int n) {
  int i = (int)get_global_id(0);
  float sum = 0;
  for (int d = -radius(); d <= radius(); d++)
    if (i + d >= 0 && i + d < n)
      sum += in[i + d];
  out[i] = gain() * sum / (2 * radius() + 1);
}
