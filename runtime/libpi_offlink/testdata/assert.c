// A program whose kernel has an assertion that fails in the sixth work-item. It returns 77
// without a compiler of OpenCL C.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>

static const char *source = "void __assert_fail(const char *, const char *, uint, const char *);\n"
                            "global char condition[] = \"i < 5\", function[] = \"k\";\n"
                            "kernel void k(void) { if (get_global_id(0) == 5) __assert_fail(condition, condition, 3, function); }\n";

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int code;
  size_t items = 8;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL))
    return 1;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  if (code == CL_COMPILER_NOT_AVAILABLE)
    return 77;
  if (clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL))
    return 2;
  cl_kernel kernel = clCreateKernel(program, "k", &code);
  if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL))
    return 3;
  clFinish(queue);
  return 0;
}
