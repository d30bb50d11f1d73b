// The last of three modules: it exports and imports nothing.
#include <offlink/device.h>

OFFLINK_EXTERNAL int leaf(int i);

int leaf(int i) { return i + 100; }
