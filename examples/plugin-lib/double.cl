#include <offlink/device.h>

OFFLINK_EXTERNAL int rounded(float x);

OFFLINK_KERNEL void transform(OFFLINK_GLOBAL float *data) {
  size_t i = get_global_id(0);
  data[i] = rounded(2 * data[i]);
}
