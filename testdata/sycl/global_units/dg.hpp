// device_global variables over three units: extern, static and of one name, inline, templates, members, never defined, never used.
#pragma once
#include <sycl/sycl.hpp>
namespace exp = sycl::ext::oneapi::experimental;
struct Pod { int a; char b; double c[3]; };
extern SYCL_EXTERNAL exp::device_global<int> shared_counter;
extern SYCL_EXTERNAL exp::device_global<Pod> shared_pod;
template <typename T, int N> inline exp::device_global<T[N]> tmpl_dg;
namespace cfg { inline exp::device_global<float, decltype(exp::properties(exp::device_image_scope, exp::host_access_read_write))> inl; }
SYCL_EXTERNAL int next(int);

