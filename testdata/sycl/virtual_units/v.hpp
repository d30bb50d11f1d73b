// Virtual functions of one hierarchy over two units, in three sets and the unnamed one; a key function makes a vtable visible.
#pragma once
#include <sycl/sycl.hpp>
namespace exp = sycl::ext::oneapi::experimental;
struct SetA; struct SetB; struct SetC;
#define IN(...) SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable_in<__VA_ARGS__>)
struct Base { IN(SetA) virtual int f(int x) const { return x; } IN(SetB) virtual double g(double x) const { return x; } virtual int host_only() const { return 1; }
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable) virtual float h(float x) const { return x; } };
struct Derived : Base { IN(SetA) int f(int x) const override; IN(SetB) double g(double x) const override { return x * 2; }
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable) float h(float x) const override { return x + 1; } };
SYCL_EXTERNAL int helper_f(const Base *b, int x);
SYCL_EXTERNAL int shared_util(int x);
