// The first of three modules: its kernel needs the second, which needs the
// third.
#include <offlink/device.h>

OFFLINK_EXTERNAL int middle(int i);

OFFLINK_KERNEL void top_kernel(OFFLINK_GLOBAL int *out) {
  size_t i = get_global_id(0);
  out[i] = middle((int)i) - 1;
}
