// A unit with a kernel, which calls the device function of another unit.
#include "scale.hpp"
#include "weight.hpp"

class ScaleByWeight;

void scale(sycl::queue &queue, int *values, std::size_t count, int factor) {
  queue.parallel_for<ScaleByWeight>(sycl::range<1>(count), [=](sycl::id<1> i) {
    values[i] *= factor * weight(static_cast<int>(i[0]));
  }).wait();
}
