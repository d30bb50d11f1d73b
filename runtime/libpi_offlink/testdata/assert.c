// A program whose kernel has an assertion that fails in the sixth work-item. It returns 77
// without a compiler of OpenCL C.
#include "opencl_setup.h"

static const char *source = "void __assert_fail(const char *, const char *, uint, const char *);\n"
                            "global char condition[] = \"i < 5\", function[] = \"k\";\n"
                            "kernel void k(void) { if (get_global_id(0) == 5) __assert_fail(condition, condition, 3, function); }\n";

int main(void) {
  size_t items = 8;
  open_device();
  cl_kernel kernel = kernel_of(source, "k");
  if (!kernel)
    return 77;
  if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL))
    return 3;
  clFinish(queue);
  return 0;
}
