// The costs of OpenCL's calls from C: loops that cost_test.go runs in its own process,
// in turn with the same calls through the back end, on the same queue. Each returns
// nanoseconds, or 0 where a call failed.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdint.h>
#include <time.h>

typedef cl_int(CL_API_CALL *set_pointer_fn)(cl_kernel, cl_uint, const void *);
typedef cl_int(CL_API_CALL *copy_fn)(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *,
                                     cl_event *);

#define FUNCTIONS                                                                                                     \
  F(clEnqueueNDRangeKernel) F(clFinish) F(clCreateProgramWithIL) F(clCompileProgram) F(clLinkProgram)                \
  F(clReleaseProgram) F(clGetExtensionFunctionAddressForPlatform)
#define F(name) static __typeof__(name) *own_##name;
FUNCTIONS
#undef F
static set_pointer_fn set_pointer;
static copy_fn copy;

// cost_open finds the functions in the library; 0 if it lacks one.
int cost_open(const char *path, cl_platform_id platform) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return 0;
#define F(name)                                      \
  if (!(*(void **)&own_##name = dlsym(library, #name))) \
    return 0;
  FUNCTIONS
#undef F
  set_pointer = (set_pointer_fn)own_clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgMemPointerINTEL");
  copy = (copy_fn)own_clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueMemcpyINTEL");
  return set_pointer && copy;
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}

// cost_launches launches a kernel of one pointer, which changes, and waits after each
// or at the end.
uint64_t cost_launches(cl_kernel kernel, cl_command_queue queue, char *memory, int count, int wait) {
  size_t global = 1;
  uint64_t start = now();
  for (int i = 0; i < count; i++)
    if (set_pointer(kernel, 0, memory + (i & 1) * 64) ||
        own_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) || (wait && own_clFinish(queue)))
      return 0;
  return own_clFinish(queue) ? 0 : now() - start;
}

uint64_t cost_copies(char *to, const char *from, size_t size, cl_command_queue queue, int count) {
  uint64_t start = now();
  for (int i = 0; i < count; i++)
    if (copy(queue, CL_TRUE, to, from, size, 0, NULL, NULL))
      return 0;
  return now() - start;
}

// cost_link compiles and links two modules.
uint64_t cost_link(cl_context context, cl_device_id device, const void *first, size_t first_size, const void *second,
                   size_t second_size) {
  const void *code[2] = {first, second};
  size_t size[2] = {first_size, second_size};
  cl_program objects[2];
  cl_int status;
  uint64_t start = now();
  for (int i = 0; i < 2; i++) {
    objects[i] = own_clCreateProgramWithIL(context, code[i], size[i], &status);
    if (status || own_clCompileProgram(objects[i], 1, &device, "", 0, NULL, NULL, NULL, NULL))
      return 0;
  }
  cl_program program = own_clLinkProgram(context, 1, &device, "", 2, objects, NULL, NULL, &status);
  if (status)
    return 0;
  own_clReleaseProgram(objects[0]);
  own_clReleaseProgram(objects[1]);
  own_clReleaseProgram(program);
  return now() - start;
}
