// The unit that defines the device function. It has no kernel of its own.
#include "weight.hpp"

SYCL_EXTERNAL int weight(int i) { return i * i + 1; }
