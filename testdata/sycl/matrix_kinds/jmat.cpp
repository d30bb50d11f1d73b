// Joint matrices of two element types, and a kernel without.
#include <sycl/sycl.hpp>
namespace mx = sycl::ext::oneapi::experimental::matrix;
using sycl::ext::oneapi::bfloat16;
class Mm; class Mi; class Nope;
int main() {
  sycl::queue q; auto *A = sycl::malloc_shared<bfloat16>(512, q); auto *B = sycl::malloc_shared<bfloat16>(512, q); float *C = sycl::malloc_shared<float>(512, q);
  auto *a8 = sycl::malloc_shared<std::int8_t>(512, q); auto *b8 = sycl::malloc_shared<std::int8_t>(512, q); auto *c32 = sycl::malloc_shared<std::int32_t>(512, q);
  q.parallel_for<Mm>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(16)]] {
    auto sg = it.get_sub_group();
    auto pA = sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(A);
    auto pB = sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(B);
    auto pC = sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(C);
    mx::joint_matrix<sycl::sub_group, bfloat16, mx::use::a, 8, 16, mx::layout::row_major> a;
    mx::joint_matrix<sycl::sub_group, bfloat16, mx::use::b, 16, 16, mx::layout::ext_intel_packed> b;
    mx::joint_matrix<sycl::sub_group, float, mx::use::accumulator, 8, 16> c;
    mx::joint_matrix_fill(sg, c, 0.f);
    mx::joint_matrix_load(sg, a, pA, 16); mx::joint_matrix_load(sg, b, pB, 32);
    mx::joint_matrix_mad(sg, c, a, b, c);
    mx::joint_matrix_store(sg, c, pC, 16, mx::layout::row_major);
  });
  q.parallel_for<Mi>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(16)]] {
    auto sg = it.get_sub_group();
    auto pA = sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(a8);
    auto pC = sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(c32);
    mx::joint_matrix<sycl::sub_group, std::int8_t, mx::use::a, 8, 32, mx::layout::row_major> a;
    mx::joint_matrix<sycl::sub_group, std::int8_t, mx::use::b, 32, 16, mx::layout::ext_intel_packed> b;
    mx::joint_matrix<sycl::sub_group, std::int32_t, mx::use::accumulator, 8, 16> c;
    mx::joint_matrix_load(sg, a, pA, 32); mx::joint_matrix_fill(sg, b, 1); mx::joint_matrix_fill(sg, c, 0);
    mx::joint_matrix_mad(sg, c, a, b, c);
    mx::joint_matrix_store(sg, c, pC, 16, mx::layout::row_major);
  });
  q.single_task<Nope>([=] { C[0] = 1; });
}
