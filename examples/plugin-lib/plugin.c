/* The host code of both plugins. OFFLINK_HERE is the plugin itself: each gets
 * its own kernel, though both have one of that name. */
#include "transform.h"

open_transform open_plugin;
offlink_status open_plugin(offlink_device *device, offlink_kernel **kernel) {
  return offlink_kernel_open(device, OFFLINK_HERE, "transform", kernel);
}
