#include <offlink/device.h>

OFFLINK_EXTERNAL void note(int bin);

OFFLINK_KERNEL void count(OFFLINK_GLOBAL const int *data) { note(data[get_global_id(0)] & 3); }
