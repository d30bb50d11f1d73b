#include <offlink/device.h>

/* Variables of the library's device code, which the host reads and writes. */
OFFLINK_DEVICE_GLOBAL(int, total) = 0;
typedef int weights_type[4];
OFFLINK_DEVICE_GLOBAL(weights_type, weights) = {1, 1, 1, 1};

OFFLINK_EXTERNAL void note(int bin) { atomic_add(&total, weights[bin]); }
