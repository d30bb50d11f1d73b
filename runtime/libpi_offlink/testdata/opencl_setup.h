/* opencl_setup.h: the common part of the programs of OpenCL here: the check that prints its line,
 * the device, and a queue. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                            \
  do {                                               \
    if (!(condition))                                \
      printf("line %d: %s\n", __LINE__, #condition); \
  } while (0)

/* The code of a call has to be the one that the specification has for it. */
#define CODE(want, call)                                        \
  do {                                                          \
    cl_int got_ = (call);                                       \
    if (got_ != (want))                                         \
      printf("line %d: %s: %d, want %d\n", __LINE__, #call, got_, want); \
  } while (0)

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static inline void open_device(void) {
  cl_int code = 1;
  EXPECT(!clGetPlatformIDs(1, &platform, NULL) && !clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  EXPECT(context && !code);
  queue = clCreateCommandQueue(context, device, 0, &code);
  EXPECT(queue && !code);
}

static inline void close_device(void) {
  EXPECT(!clFinish(queue) && !clReleaseCommandQueue(queue) && !clReleaseContext(context));
}

/* A program of a source with its one kernel; null where there is no compiler. */
static inline cl_kernel kernel_of(const char *source, const char *name) {
  cl_int code = 1;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  if (code == CL_COMPILER_NOT_AVAILABLE)
    return NULL;
  EXPECT(program && !code);
  if (clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL)) {
    static char log[8192];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    printf("%s\n", log);
    return NULL;
  }
  cl_kernel kernel = clCreateKernel(program, name, &code);
  EXPECT(kernel && !code && !clReleaseProgram(program));
  return kernel;
}
