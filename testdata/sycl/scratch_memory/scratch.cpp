// Work-group scratch memory and group-local memory: kernels that get a pointer to local memory as an argument of their own.
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>
namespace exp = sycl::ext::oneapi::experimental;
class S1; class S2; class S3;
int main() {
  sycl::queue q; int *p = sycl::malloc_shared<int>(8, q);
  q.parallel_for<S1>(sycl::nd_range<1>(16, 16), exp::properties{exp::work_group_scratch_size(64)}, [=](sycl::nd_item<1> it) { int *s = (int *)exp::get_work_group_scratch_memory(); s[it.get_local_id(0)] = p[0]; sycl::group_barrier(it.get_group()); p[1] = s[2]; });
  q.parallel_for<S2>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> it) { auto m = sycl::ext::oneapi::group_local_memory_for_overwrite<int[16]>(it.get_group()); (*m)[it.get_local_id(0)] = 3; p[0] = (*m)[2]; });
  q.single_task<S3>([=] { p[0] = 3; });
}
