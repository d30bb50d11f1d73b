// A host program for the DPC++ runtime, made by a plain C++ compiler: it asks
// for kernels by name. It prints the names of all kernels that registered, and
// launches those that it is given on 8 work-items, each with one int buffer.
#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

static void launch(sycl::queue &queue, const sycl::kernel_id &id) {
  auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue.get_context(), {queue.get_device()}, {id});
  sycl::kernel kernel = bundle.get_kernel(id);
  const int n = 8;
  int *out = sycl::malloc_shared<int>(n, queue);
  std::fill(out, out + n, -1);
  queue
      .submit([&](sycl::handler &h) {
        h.use_kernel_bundle(bundle);
        h.set_arg(0, out); // an accessor would be four arguments
        h.parallel_for(sycl::range<1>(n), kernel);
      })
      .wait();
  std::printf("%s:", id.get_name());
  for (int i = 0; i < n; i++)
    std::printf(" %d", out[i]);
  std::printf("\n");
  sycl::free(out, queue);
}

// Arguments: names of kernels, and of libraries to load first (with a slash).
int main(int argc, char **argv) try {
  std::vector<std::string> wanted;
  for (int i = 1; i < argc; i++) {
    if (std::string(argv[i]).find('/') == std::string::npos) {
      wanted.push_back(argv[i]);
    } else if (!dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL)) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  }
  auto ids = sycl::get_kernel_ids();
  std::sort(ids.begin(), ids.end(), [](auto &a, auto &b) { return std::string(a.get_name()) < b.get_name(); });
  std::printf("kernels:");
  for (auto &id : ids)
    std::printf(" %s", id.get_name());
  std::printf("\n");
  sycl::queue queue{sycl::cpu_selector_v};
  for (auto &name : wanted)
    for (auto &id : ids)
      if (name == id.get_name())
        launch(queue, id);
  return 0;
} catch (const std::exception &e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
