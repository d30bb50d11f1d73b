// The calls of the OpenCL back end, made directly: the floor of the table
// "opencl". It prints nanoseconds, a line each: a launch, a copy of 4 KiB to the
// device that blocks, the first link of two modules.
//
//	opencl APP.spv LIB.spv LAUNCHES
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void *(CL_API_CALL *alloc_fn)(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef cl_int(CL_API_CALL *argument_fn)(cl_kernel, cl_uint, const void *);
typedef cl_int(CL_API_CALL *copy_fn)(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *,
                                     cl_event *);

static void check(cl_int code, const char *call) {
  if (code) {
    fprintf(stderr, "%s: %d\n", call, code);
    exit(1);
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static cl_program compile(cl_context context, cl_device_id device, const char *file) {
  static char code[1 << 16];
  FILE *f = fopen(file, "rb");
  size_t n = f ? fread(code, 1, sizeof code, f) : 0;
  cl_int code_ret;
  cl_program p = clCreateProgramWithIL(context, code, n, &code_ret);
  if (f) fclose(f);
  check(code_ret, "clCreateProgramWithIL");
  check(clCompileProgram(p, 1, &device, "", 0, NULL, NULL, NULL, NULL), "clCompileProgram");
  return p;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  int launches = atoi(argv[3]);
  cl_platform_id platform;
  cl_device_id device;
  cl_int code;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  check(code, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
  check(code, "clCreateCommandQueueWithProperties");
  alloc_fn alloc = (alloc_fn)clGetExtensionFunctionAddressForPlatform(platform, "clDeviceMemAllocINTEL");
  argument_fn argument = (argument_fn)clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgMemPointerINTEL");
  copy_fn copy = (copy_fn)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueMemcpyINTEL");
  if (!alloc || !argument || !copy) {
    fprintf(stderr, "the first OpenCL device has no cl_intel_unified_shared_memory; OCL_ICD_VENDORS chooses another\n");
    return 1;
  }

  double start = now();
  cl_program objects[2] = {compile(context, device, argv[1]), compile(context, device, argv[2])};
  cl_program program = clLinkProgram(context, 1, &device, "", 2, objects, NULL, NULL, &code);
  check(code, "clLinkProgram");
  double link = now() - start;

  cl_kernel kernel = clCreateKernel(program, "app", &code);
  check(code, "clCreateKernel");
  char *memory = alloc(context, device, NULL, 4096, 0, &code);
  check(code, "clDeviceMemAllocINTEL");
  static char data[4096];
  size_t global = 1;
  check(argument(kernel, 0, memory), "clSetKernelArgMemPointerINTEL");
  check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  check(clFinish(queue), "clFinish");
  start = now();
  for (int i = 0; i < launches; i++) {
    check(argument(kernel, 0, memory + (i & 1) * 64), "clSetKernelArgMemPointerINTEL");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  }
  check(clFinish(queue), "clFinish");
  printf("%.0f\n", (now() - start) / launches);
  start = now();
  for (int i = 0; i < launches; i++) check(copy(queue, CL_TRUE, memory, data, sizeof data, 0, NULL, NULL), "clEnqueueMemcpyINTEL");
  printf("%.0f\n%.0f\n", (now() - start) / launches, link);
  return 0;
}
