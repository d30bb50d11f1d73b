#include "v.hpp"
IN(SetA) int Derived::f(int x) const { return shared_util(x); }
class Make; class MakeOne;
void make(sycl::queue &q, Base *b, Derived *d) {
  q.single_task<Make>([=] { new (b) Base; new (d) Derived; });
  q.single_task<MakeOne>([=] { new (b) Base; });
}
