#include "dg.hpp"
exp::device_global<int> shared_counter;
namespace { exp::device_global<Pod> anon_pod; }
static exp::device_global<short[7]> stat_dg;
exp::device_global<bool, decltype(exp::properties(exp::device_image_scope))> only_one;
exp::device_global<long, decltype(exp::properties(exp::host_access_none))> csr;
exp::device_global<long, decltype(exp::properties(exp::device_image_scope))> csr2;
struct Holder { static exp::device_global<unsigned char> member; static inline exp::device_global<int> imember; };
exp::device_global<unsigned char> Holder::member;
exp::device_global<int> never_used;
static exp::device_global<int> never_used_static;
SYCL_EXTERNAL int next(int k) { shared_counter += k; return shared_counter + tmpl_dg<int, 3>.get()[k]; }
class A; class B; class C; class D;
void one(sycl::queue &q, int *p) {
  q.single_task<A>([=] { p[0] = next(1) + anon_pod.get().a; only_one = true; });
  q.single_task<B>([=] { p[1] = stat_dg.get()[2] + tmpl_dg<float, 5>.get()[1]; csr = 3; });
  q.single_task<C>([=] { Holder::member = 2; Holder::imember = 3; csr2 = 7; });
  q.single_task<D>([=] { p[3] = 4; });
}
