// A program that launches a kernel again and again until there is something to read, and then
// some more times. Its kernels are not released.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>

enum { ITEMS = 4096 };

static int launch(cl_command_queue queue, cl_kernel kernel, cl_mem buffer) {
  static uint32_t got[ITEMS];
  size_t items = ITEMS;
  if (clSetKernelArg(kernel, 0, sizeof buffer, &buffer) || clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) ||
      clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL))
    return 0;
  for (uint32_t i = 0; i < ITEMS; i++)
    if (got[i] != i * i + 1)
      return 0;
  return 1;
}

int main(int argc, char **argv) {
  static char code[1 << 16];
  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  FILE *file = fopen(argv[1], "rb");
  size_t length = file ? fread(code, 1, sizeof code, file) : 0;
  if (argc != 2 || clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL))
    return 1;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  cl_mem buffer = clCreateBuffer(context, 0, ITEMS * 4, NULL, &error);
  cl_program program = clCreateProgramWithIL(context, code, length, &error);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL))
    return 2;
  cl_kernel kernel = clCreateKernel(program, "selftest", &error);
  struct pollfd input = {.fd = 0, .events = POLLIN};
  do {
    if (!launch(queue, kernel, buffer))
      return 3;
  } while (poll(&input, 1, 1) == 0);
  for (int i = 0; i < 100; i++)
    if (!launch(queue, kernel, buffer))
      return 4;
  return 0;
}
