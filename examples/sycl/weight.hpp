// A device function that every unit of the program may call.
#pragma once
#include <sycl/sycl.hpp>

SYCL_EXTERNAL int weight(int i);
