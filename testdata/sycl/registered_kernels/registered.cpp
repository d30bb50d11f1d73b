// Registered free-function kernels under names of the user.
#include <sycl/sycl.hpp>
namespace exp = sycl::ext::oneapi::experimental;
namespace work = sycl::ext::oneapi::this_work_item;
namespace ns {
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>))
void iota(float start, float *p) { p[work::get_nd_item<1>().get_global_linear_id()] = start; }
template <typename T> SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::single_task_kernel)) void one(T *p, T unused) { *p = T(1); }
template <int N, typename T> SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<2>)) void two(T *p) { p[N] = T(1); }
}
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::single_task_kernel)) void ckern(double *p) { *p = 3; }
[[__sycl_detail__::__registered_kernels__(
  {"iota", ns::iota}, {"ns::one<int>", ns::one<int>}, {"my two \"q\"", (void (*)(float *))ns::two<3, float>}, {"ckern", ckern}
)]];
