#include "dg.hpp"
extern SYCL_EXTERNAL exp::device_global<double> nowhere;
class H; class I;
void three(sycl::queue &q, int *p) {
  q.single_task<H>([=] { p[0] = shared_counter + int(nowhere); });
  q.single_task<I>([=] { p[0] = shared_pod.get().a; });
}
