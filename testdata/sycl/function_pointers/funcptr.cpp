// Calls through function pointers, in kernels and in an exported function (-Xclang -fsycl-allow-func-ptr).
#include <sycl/sycl.hpp>
using Op = int (*)(int);
[[intel::device_indirectly_callable]] int inc(int x) { return x + 1; }
[[intel::device_indirectly_callable]] int dec(int x) { return x - 1; }
[[intel::device_indirectly_callable]] double half_of(double x) { return x / 2; }
SYCL_EXTERNAL int plain(int x) { return x * 3; }
static int stat_fn(int x) { return x * 5; }
SYCL_EXTERNAL int call_it(Op f, int x) { return f(x); }
class K1; class K2; class K3; class K4;
int main() {
  sycl::queue q; int *p = sycl::malloc_shared<int>(8, q); double *d = sycl::malloc_shared<double>(8, q); auto *t = sycl::malloc_shared<Op>(4, q);
  q.single_task<K1>([=] { t[0] = &inc; t[1] = p[0] ? &inc : &dec; p[1] = stat_fn(plain(p[2])); });
  q.single_task<K2>([=] { p[0] = call_it(t[p[1]], 3); });
  q.single_task<K3>([=] { double (*f)(double) = &half_of; if (p[0]) f = (double (*)(double))t[3]; d[0] = f(d[1]); });
  q.single_task<K4>([=] { p[1] = 2; });
}
