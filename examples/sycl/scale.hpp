// A host function that launches a kernel.
#pragma once
#include <sycl/sycl.hpp>

void scale(sycl::queue &queue, int *values, std::size_t count, int factor);
