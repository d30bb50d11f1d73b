/* pi_plugin.h for plugin.c, whose handles are objects of fakedevice.h. */
struct object;
#define PI_HANDLE struct object
#include "pi_plugin.h"
