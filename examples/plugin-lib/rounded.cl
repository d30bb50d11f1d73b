#include <offlink/device.h>

/* Device code of the program, for all plugins. */
OFFLINK_EXTERNAL int rounded(float x) { return convert_int_rte(x); }
