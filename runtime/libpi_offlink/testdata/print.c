// A program that prints before, between and after launches of a kernel that prints, to a pipe. It
// returns 77 without a compiler of OpenCL C.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>

static const char *source = "kernel void k(void) { printf(\"kernel\\n\"); }\n";

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int code;
  size_t items = 1;
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
  puts("before");
  for (int i = 0; i < 2; i++) {
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) || clFinish(queue))
      return 3;
    puts("after");
  }
  return 0;
}
