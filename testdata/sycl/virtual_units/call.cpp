#include "v.hpp"
SYCL_EXTERNAL int shared_util(int x) { return x * 17; }
struct Late : Base { IN(SetC) int f(int x) const override { return sycl::half(x) * sycl::half(2); } };
class CallA; class CallB; class CallAll; class CallDefault; class MakeLate; class CallC;
void call(sycl::queue &q, Base *b, int *p, double *d) {
  q.single_task<CallA>(exp::properties{exp::assume_indirect_calls_to<SetA>}, [=] { p[0] = b->f(p[1]); });
  q.single_task<CallB>(exp::properties{exp::assume_indirect_calls_to<SetB>}, [=] { d[0] = b->g(d[1]); });
  q.single_task<CallC>(exp::properties{exp::assume_indirect_calls_to<SetC>}, [=] { p[0] = b->f(p[1]); });
  q.parallel_for<CallAll>(sycl::nd_range<1>(16, 16), exp::properties{exp::assume_indirect_calls_to<SetA, SetB, SetC>, exp::work_group_size<16>}, [=](sycl::nd_item<1> it) { d[0] = b->g(d[1]) + b->f(3); });
  q.single_task<CallDefault>(exp::properties{exp::assume_indirect_calls}, [=] { d[0] = b->h(d[1]); });
  q.single_task<MakeLate>([=] { new (b) Late; });
}
