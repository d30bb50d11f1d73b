// A program that prints before, between and after launches of a kernel that prints, to a pipe. It
// returns 77 without a compiler of OpenCL C.
#include "opencl_setup.h"

int main(void) {
  size_t items = 1;
  open_device();
  cl_kernel kernel = kernel_of("kernel void k(void) { printf(\"kernel\\n\"); }\n", "k");
  if (!kernel)
    return 77;
  puts("before");
  for (int i = 0; i < 2; i++) {
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) || clFinish(queue))
      return 3;
    puts("after");
  }
  return 0;
}
