// C++ with the macros of device.h.
#include <offlink/device.h>

namespace geometry {
template <class T, int N> struct vector {
  T e[N];
  T &operator[](int i) { return e[i]; }
  vector operator+(const vector &o) const {
    vector r{};
    for (int i = 0; i < N; i++) r.e[i] = e[i] + o.e[i];
    return r;
  }
};
template <class T, int N> T dot(const vector<T, N> &a, const vector<T, N> &b) {
  T sum = 0;
  for (int i = 0; i < N; i++) sum += a.e[i] * b.e[i];
  return sum;
}
} // namespace geometry

template <class F> static void each(int n, F f) {
  for (int i = 0; i < n; i++) f(i);
}

struct Counter {
  int n = 0;
  void hit(int by = 1) { n += by; }
};
struct Tally : Counter {
  int total;
  explicit Tally(int t) : total(t) {}
  int result() const { return n * 100 + total; }
};

extern "C" OFFLINK_KERNEL void cpp_templates(OFFLINK_GLOBAL int *out, OFFLINK_GLOBAL const int *in) {
  size_t i = get_global_id(0);
  geometry::vector<int, 3> a{{in[i], 2, 3}}, b{{4, in[i + 1], 6}};
  out[i] = geometry::dot(a + b, b);
}
extern "C" OFFLINK_KERNEL void cpp_lambdas(OFFLINK_GLOBAL int *out, OFFLINK_GLOBAL const int *in) {
  size_t i = get_global_id(0);
  int sum = 0;
  each(6, [&](int k) { sum += in[i + k] * (k & 1 ? -1 : 2); });
  out[i] = sum;
}
extern "C" OFFLINK_KERNEL void cpp_classes(OFFLINK_GLOBAL int *out, OFFLINK_GLOBAL const int *in) {
  size_t i = get_global_id(0);
  Tally t(in[i]);
  each(5, [&](int k) { if (in[i + k] & 1) t.hit(k); });
  out[i] = t.result();
}
extern "C" OFFLINK_KERNEL void cpp_doubles(OFFLINK_GLOBAL double *out, OFFLINK_GLOBAL const double *in) {
  size_t i = get_global_id(0);
  geometry::vector<double, 4> a{}, b{{1, 2, 3, 4}};
  for (int k = 0; k < 4; k++) a[k] = in[i + k];
  out[i] = geometry::dot(a, b);
}
