#include <offlink/device.h>

OFFLINK_KERNEL void negate(OFFLINK_GLOBAL float *data) { data[get_global_id(0)] = -data[get_global_id(0)]; }
