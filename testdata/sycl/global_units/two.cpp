#include "dg.hpp"
exp::device_global<Pod> shared_pod;
namespace { exp::device_global<Pod> anon_pod; }
static exp::device_global<short[7]> stat_dg;
class E2; class F; class G;
void two(sycl::queue &q, int *p) {
  q.single_task<E2>([=] { p[0] = next(2) + int(shared_pod.get().c[1]) + anon_pod.get().b; });
  q.single_task<F>([=] { shared_counter = 5; p[1] = int(tmpl_dg<float, 5>.get()[0]) + stat_dg.get()[0]; });
  q.single_task<G>([=] { cfg::inl = 1.f; });
}
