// Device code of libhelpers.so: a function for the device code of others.
#include <offlink/device.h>

OFFLINK_EXTERNAL int LibDeviceFunc(int i);

int LibDeviceFunc(int i) { return i * 2; }
