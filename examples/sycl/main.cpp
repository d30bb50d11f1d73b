// The unit with main, a kernel with a group reduction, and calls of the others.
#include "scale.hpp"
#include "weight.hpp"
#include <cstdio>

class Fill;
class Sum;

int main() {
  constexpr std::size_t count = 16;
  sycl::queue queue;
  int *values = sycl::malloc_shared<int>(count + 1, queue);
  queue.parallel_for<Fill>(sycl::range<1>(count), [=](sycl::id<1> i) { values[i] = static_cast<int>(i[0]); }).wait();
  scale(queue, values, count, 2);
  queue.parallel_for<Sum>(sycl::nd_range<1>(count, count), [=](sycl::nd_item<1> item) {
    int sum = sycl::reduce_over_group(item.get_group(), values[item.get_global_id(0)], sycl::plus<int>());
    if (item.get_local_id(0) == 0)
      values[count] = sum + weight(0);
  }).wait();
  for (std::size_t i = 0; i <= count; i++)
    std::printf("%d%c", values[i], i == count ? '\n' : ' ');
  sycl::free(values, queue);
  return 0;
}
