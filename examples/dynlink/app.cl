// Device code of a.out: a kernel that calls a function of another library.
#include <offlink/device.h>

OFFLINK_EXTERNAL int LibDeviceFunc(int i);

OFFLINK_KERNEL void app(OFFLINK_GLOBAL int *out) {
  size_t i = get_global_id(0);
  out[i] = LibDeviceFunc((int)i);
}
