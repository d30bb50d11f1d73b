// The second of three modules: it exports a function that calls the third's,
// and has a kernel of its own.
#include <offlink/device.h>

OFFLINK_EXTERNAL int leaf(int i);
OFFLINK_EXTERNAL int middle(int i);

int middle(int i) { return leaf(i) * 3; }

OFFLINK_KERNEL void middle_kernel(OFFLINK_GLOBAL int *out) {
  size_t i = get_global_id(0);
  out[i] = middle((int)i) + 1;
}
