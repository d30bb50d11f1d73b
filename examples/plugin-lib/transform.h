/* The interface of a plugin: a function that opens its kernel. */
#include <offlink/offlink.h>

typedef offlink_status open_transform(offlink_device *device, offlink_kernel **kernel);
