// A program of OpenCL that runs on this library as the loader's driver: calls that the back
// end of runtime/opencl does not make. It prints what is wrong.
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

enum { ITEMS = 8, BYTES = ITEMS * 4 };

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;

static int ended[8];
static void CL_CALLBACK object_ended(void *object, void *user) { ended[(intptr_t)user]++; }
static void CL_CALLBACK event_ended(cl_event event, cl_int status, void *user) {
  cl_uint uses = 0;
  EXPECT(!clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof uses, &uses, NULL) && uses);
  __atomic_store_n((int *)user, status ? status : 1, __ATOMIC_RELEASE);
}

static void query_device(void) {
  char text[4096];
  cl_uint number = 0, count = 0;
  size_t size = 0;
  cl_name_version versions[64];
  EXPECT(!clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, NULL) && !strncmp(text, "OpenCL 3.0 ", 11));
  EXPECT(!clGetPlatformInfo(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof text, text, &size) && !strcmp(text, "OFFLINK") && size == 8);
  EXPECT(!clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_VERSION, sizeof text, text, NULL) && !strncmp(text, "OpenCL C 3.0 ", 13));
  EXPECT(!clGetDeviceInfo(device, CL_DEVICE_NUMERIC_VERSION, sizeof number, &number, NULL) && number == CL_MAKE_VERSION(3, 0, 0));
  EXPECT(!clGetDeviceInfo(device, CL_DEVICE_ILS_WITH_VERSION, sizeof versions, versions, &size) && size >= sizeof *versions && !strcmp(versions[0].name, "SPIR-V") && versions[0].version == CL_MAKE_VERSION(1, 0, 0));
  EXPECT(!clGetDeviceInfo(device, CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, sizeof number, &number, NULL) && number == 128);
  EXPECT(clGetDeviceInfo(device, 0x1234, sizeof number, &number, NULL) == CL_INVALID_VALUE);
  EXPECT(clGetDeviceInfo(device, CL_DEVICE_NAME, 1, text, NULL) == CL_INVALID_VALUE);
  EXPECT(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 0, NULL, &count) == CL_DEVICE_NOT_FOUND);
  EXPECT(!clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof number, &number, NULL) && number == 1024);
}

static void query_objects(void) {
  cl_context got = NULL;
  cl_uint number = 0;
  cl_command_queue_properties properties = 0;
  size_t size = 0;
  intptr_t list[8] = {0};
  char text[256];
  EXPECT(!clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof list, list, &size) && size == 3 * sizeof *list && list[0] == CL_CONTEXT_PLATFORM && list[1] == (intptr_t)platform && !list[2]);
  EXPECT(!clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof got, &got, NULL) && got == context);
  EXPECT(!clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL) && properties == CL_QUEUE_PROFILING_ENABLE);
  EXPECT(!clGetProgramInfo(program, CL_PROGRAM_IL, 0, NULL, &size) && size > 20);
  EXPECT(!clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof number, &number, NULL) && number == CL_KERNEL_ARG_ADDRESS_GLOBAL);
  EXPECT(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_NAME, sizeof text, text, NULL) == CL_INVALID_ARG_INDEX);
  cl_kernel kernels[2] = {0};
  EXPECT(!clCreateKernelsInProgram(program, 0, NULL, &number) && number == 1);
  EXPECT(!clCreateKernelsInProgram(program, 2, kernels, &number) && kernels[0] && !kernels[1]);
  EXPECT(!clGetKernelInfo(kernels[0], CL_KERNEL_FUNCTION_NAME, sizeof text, text, NULL) && !strcmp(text, "selftest"));
  size_t local = 16, groups = 0, width = 0;
  EXPECT(!clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, &local, sizeof width, &width, NULL) && width);
  EXPECT(!clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local, &local, sizeof groups, &groups, NULL) && groups == (local + width - 1) / width);
  EXPECT(!clReleaseKernel(kernels[0]));
}

static void check_squares(const uint32_t *got) {
  for (uint32_t i = 0; i < ITEMS; i++)
    EXPECT(got[i] == i * i + 1);
}

/* cl_khr_suggested_local_work_size, with the calls that are wrong. The kernel has no arguments at first. */
static void suggest_local_size(int has_arguments) {
  clGetKernelSuggestedLocalWorkSizeKHR_fn suggest = (clGetKernelSuggestedLocalWorkSizeKHR_fn)clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
  size_t range[] = {ITEMS, 6}, none[] = {ITEMS, 0}, local[] = {0, 0};
  EXPECT(suggest);
  if (!has_arguments) {
    EXPECT(suggest(queue, kernel, 1, NULL, range, local) == CL_INVALID_KERNEL_ARGS);
    return;
  }
  EXPECT(!suggest(queue, kernel, 2, NULL, range, local) && local[0] && local[1] && !(range[0] % local[0]) && !(range[1] % local[1]));
  EXPECT(suggest(NULL, kernel, 1, NULL, range, local) == CL_INVALID_COMMAND_QUEUE);
  EXPECT(suggest(queue, NULL, 1, NULL, range, local) == CL_INVALID_KERNEL);
  EXPECT(suggest(queue, kernel, 4, NULL, range, local) == CL_INVALID_WORK_DIMENSION);
  EXPECT(suggest(queue, kernel, 1, NULL, NULL, local) == CL_INVALID_GLOBAL_WORK_SIZE);
  EXPECT(suggest(queue, kernel, 2, NULL, none, local) == CL_INVALID_GLOBAL_WORK_SIZE);
  EXPECT(suggest(queue, kernel, 1, NULL, range, NULL) == CL_INVALID_VALUE);
}

/* A kernel writes into a part of a buffer that the host's memory is given to. */
static void use_buffers(void) {
  size_t items = ITEMS, offset = 0, wrong = 0x1230;
  cl_int code = 1;
  cl_event event = NULL;
  static uint32_t host[4 * 1024], got[ITEMS];
  cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof host, host, &code), of = NULL;
  EXPECT(buffer && !code);
  cl_buffer_region region = {4096, BYTES};
  cl_mem part = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  EXPECT(part && !code && !clSetMemObjectDestructorCallback(part, (void *)object_ended, (void *)1));
  cl_buffer_region odd = {4, BYTES}, empty = {4096, 0};
  EXPECT(!clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &code) && code == CL_MISALIGNED_SUB_BUFFER_OFFSET);
  EXPECT(!clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &code) && code == CL_INVALID_BUFFER_SIZE);
  EXPECT(!clCreateSubBuffer(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code) && code == CL_INVALID_MEM_OBJECT);
  EXPECT(!clSetMemObjectDestructorCallback(buffer, (void *)object_ended, (void *)2));
  EXPECT(!clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof of, &of, NULL) && of == buffer);
  EXPECT(!clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, NULL) && offset == 4096);
  suggest_local_size(0);
  EXPECT(!clSetKernelArg(kernel, 0, sizeof part, &part));
  suggest_local_size(1);
  EXPECT(clSetKernelArg(kernel, 0, 4, &part) == CL_INVALID_ARG_SIZE && clSetKernelArg(kernel, 0, sizeof part, &wrong) == CL_INVALID_MEM_OBJECT);
  EXPECT(!clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
  EXPECT(!clReleaseMemObject(buffer) && !ended[2]); // the part keeps it
  cl_command_type type = 0;
  cl_command_queue own = NULL;
  EXPECT(!clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL) && type == CL_COMMAND_NDRANGE_KERNEL);
  EXPECT(!clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof own, &own, NULL) && own == queue);
  EXPECT(!clWaitForEvents(1, &event));
  cl_ulong begin = 0, end = 0;
  EXPECT(!clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL) && !clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_COMPLETE, sizeof end, &end, NULL) && begin && begin <= end);
  uint32_t *mapped = clEnqueueMapBuffer(queue, part, CL_TRUE, CL_MAP_READ, 0, BYTES, 1, &event, NULL, &code);
  EXPECT(!code && mapped == host + 1024);
  check_squares(mapped);
  mapped[0] = 99; // is lost, as the map is for reading
  EXPECT(clEnqueueUnmapMemObject(queue, part, mapped + 1, 0, NULL, NULL) == CL_INVALID_VALUE);
  EXPECT(!clEnqueueUnmapMemObject(queue, part, mapped, 0, NULL, NULL) && !clFinish(queue));
  host[1024] = 98; // is lost too: only what was mapped for writing goes back
  mapped = clEnqueueMapBuffer(queue, part, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 4, 4, 0, NULL, NULL, &code);
  EXPECT(!code && mapped == host + 1025);
  mapped[0] = 2;
  EXPECT(!clEnqueueUnmapMemObject(queue, part, mapped, 0, NULL, NULL) && !clFinish(queue));
  EXPECT(!clEnqueueReadBuffer(queue, part, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
  check_squares(got);
  EXPECT(clEnqueueReadBuffer(queue, part, CL_TRUE, 4, BYTES, got, 0, NULL, NULL) == CL_INVALID_VALUE);
  EXPECT(clEnqueueReadBuffer(queue, part, CL_TRUE, 0, BYTES, got, 1, NULL, NULL) == CL_INVALID_EVENT_WAIT_LIST);
  EXPECT(!clReleaseEvent(event) && !clReleaseMemObject(part) && ended[1] == 1 && ended[2] == 1);
  EXPECT(!clCreateBuffer(context, 0, 0, NULL, &code) && code == CL_INVALID_BUFFER_SIZE);
  EXPECT(!clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 8, NULL, &code) && code == CL_INVALID_HOST_PTR);
}

/* Commands wait for an event of the host, more of them than most lists have. */
static void use_events(void) {
  enum { MANY = 20 };
  cl_int code = 1, status = 1;
  int told = 0, failed = 0;
  cl_event gate = clCreateUserEvent(context, &code), events[MANY], last = NULL;
  uint32_t *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, MANY * 4, 0);
  EXPECT(gate && !code && memory);
  cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &code);
  EXPECT(other && !code);
  for (uint32_t i = 0; i < MANY; i++)
    EXPECT(!clEnqueueSVMMemFill(other, memory + i, &i, 4, 4, 1, &gate, &events[i]));
  EXPECT(!clEnqueueMarkerWithWaitList(queue, MANY, events, &last) && !clSetEventCallback(last, CL_COMPLETE, event_ended, &told));
  EXPECT(!clReleaseCommandQueue(other)); // it does not wait for its work
  EXPECT(!clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) && status > CL_COMPLETE && !told);
  EXPECT(!clSetUserEventStatus(gate, CL_COMPLETE) && clSetUserEventStatus(gate, CL_COMPLETE) == CL_INVALID_OPERATION);
  EXPECT(!clWaitForEvents(1, &last) && !clReleaseEvent(last));
  for (uint32_t i = 0; i < MANY; i++) {
    EXPECT(memory[i] == i);
    EXPECT(!clReleaseEvent(events[i]));
  }
  while (!__atomic_load_n(&told, __ATOMIC_ACQUIRE)) {
  }
  EXPECT(told == 1 && !clReleaseEvent(gate));
  // A failed event fails the command that waits for it, and the wait.
  gate = clCreateUserEvent(context, &code);
  EXPECT(!clEnqueueMarkerWithWaitList(queue, 1, &gate, &last) && !clSetEventCallback(last, CL_COMPLETE, event_ended, &failed));
  EXPECT(!clSetUserEventStatus(gate, -7) && clWaitForEvents(1, &last) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT(!clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) && status < 0 && status > -100);
  while (!__atomic_load_n(&failed, __ATOMIC_ACQUIRE)) {
  }
  EXPECT(failed < 0 && !clReleaseEvent(last) && !clReleaseEvent(gate));
  clFinish(queue); // it may tell the failure
  // Work on the host's memory does not wait in the call for an event that the host sets later.
  uint32_t host[2] = {1, 2};
  gate = clCreateUserEvent(context, &code);
  EXPECT(!clEnqueueSVMMemcpy(queue, CL_FALSE, host, host + 1, 4, 1, &gate, NULL) && host[0] == 1);
  EXPECT(!clEnqueueSVMFree(queue, 1, (void **)&memory, NULL, NULL, 0, NULL, NULL));
  EXPECT(!clSetUserEventStatus(gate, CL_COMPLETE) && !clFinish(queue) && host[0] == 2 && !clReleaseEvent(gate));
}

#define EXTENSION(name) name##_fn name = (name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name)

/* Unified shared memory, and a kernel's copy that keeps its argument. */
static void use_addresses(void) {
  EXTENSION(clSharedMemAllocINTEL);
  EXTENSION(clDeviceMemAllocINTEL);
  EXTENSION(clMemFreeINTEL);
  EXTENSION(clEnqueueMemcpyINTEL);
  EXTENSION(clSetKernelArgMemPointerINTEL);
  EXTENSION(clGetMemAllocInfoINTEL);
  cl_int code = 1;
  size_t items = ITEMS;
  cl_device_id on = NULL;
  cl_unified_shared_memory_type_intel type = 0;
  static uint32_t got[ITEMS];
  EXPECT(!clGetExtensionFunctionAddressForPlatform(platform, "clNone"));
  uint32_t *shared = clSharedMemAllocINTEL(context, NULL, NULL, BYTES, 0, &code), *own = clDeviceMemAllocINTEL(context, device, NULL, BYTES, 64, &code);
  EXPECT(shared && own && !code && (uintptr_t)own % 64 == 0);
  EXPECT(!clGetMemAllocInfoINTEL(context, own + 1, CL_MEM_ALLOC_DEVICE_INTEL, sizeof on, &on, NULL) && on == device);
  EXPECT(!clGetMemAllocInfoINTEL(context, &code, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL) && type == CL_MEM_TYPE_UNKNOWN_INTEL);
  EXPECT(!clSetKernelArgMemPointerINTEL(kernel, 0, own));
  cl_kernel copy = clCloneKernel(kernel, &code);
  EXPECT(copy && !code && !clSetKernelArgMemPointerINTEL(kernel, 0, shared));
  EXPECT(!clEnqueueNDRangeKernel(queue, copy, 1, NULL, &items, NULL, 0, NULL, NULL) && !clReleaseKernel(copy));
  EXPECT(!clEnqueueMemcpyINTEL(queue, CL_TRUE, got, own, BYTES, 0, NULL, NULL));
  check_squares(got);
  EXPECT(!clMemFreeINTEL(context, own) && !clMemFreeINTEL(context, shared) && clMemFreeINTEL(context, got) == CL_INVALID_VALUE);
}

static void make_program(const char *file) {
  static char code[65536];
  FILE *f = fopen(file, "rb");
  size_t length = f ? fread(code, 1, sizeof code, f) : 0;
  cl_int error = 1;
  cl_build_status status = 0;
  EXPECT(!clCreateProgramWithIL(context, code, 7, &error) && error == CL_INVALID_BINARY);
  program = clCreateProgramWithIL(context, code, length, &error);
  EXPECT(program && !error && !clSetProgramReleaseCallback(program, (void *)object_ended, (void *)3));
  EXPECT(!clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL) && status == CL_BUILD_NONE);
  EXPECT(!clCreateKernel(program, "selftest", &error) && error == CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT(!clCompileProgram(program, 1, &device, "", 0, NULL, NULL, NULL, NULL));
  cl_program linked = clLinkProgram(context, 1, &device, "", 1, &program, NULL, NULL, &error);
  EXPECT(linked && !error && !clReleaseProgram(linked));
  EXPECT(!clBuildProgram(program, 1, &device, "", NULL, NULL));
  EXPECT(!clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL) && status == CL_BUILD_SUCCESS);
  kernel = clCreateKernel(program, "selftest", &error);
  EXPECT(kernel && !error && !clCreateKernel(program, "none", &error) && error == CL_INVALID_KERNEL_NAME);
}

/* OpenCL C, where there is a clang. */
static void use_source(void) {
  const char *parts[] = {"kernel void cubes(global uint *out) {\n", "  uint i = get_global_id(0);\n  out[i] = i * i * FACTOR;\n}\n#ignored"}, *wrong = "kernel void k() { none(); }";
  size_t lengths[] = {0, strlen(parts[1]) - 8}, items = ITEMS;
  char text[4096];
  cl_int code = 1;
  uint32_t got[ITEMS];
  cl_build_status status = 0;
  cl_program own = clCreateProgramWithSource(context, 2, parts, lengths, &code);
  if (!own) {
    EXPECT(code == CL_COMPILER_NOT_AVAILABLE);
    return;
  }
  EXPECT(!code && !clGetProgramInfo(own, CL_PROGRAM_SOURCE, sizeof text, text, NULL) && strstr(text, "FACTOR"));
  EXPECT(clBuildProgram(own, 1, &device, "-o file", NULL, NULL) == CL_INVALID_BUILD_OPTIONS);
  EXPECT(!clBuildProgram(own, 1, &device, " -D \"FACTOR= 3\" -cl-std=CL2.0", NULL, NULL));
  cl_kernel cubes = clCreateKernel(own, "cubes", &code);
  EXPECT(cubes && !code && clGetKernelArgInfo(cubes, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL) == CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
  cl_mem buffer = clCreateBuffer(context, 0, BYTES, NULL, &code);
  EXPECT(!clSetKernelArg(cubes, 0, sizeof buffer, &buffer) && !clEnqueueNDRangeKernel(queue, cubes, 1, NULL, &items, NULL, 0, NULL, NULL));
  EXPECT(!clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
  for (uint32_t i = 0; i < ITEMS; i++)
    EXPECT(got[i] == i * i * 3);
  EXPECT(!clReleaseMemObject(buffer) && !clReleaseKernel(cubes) && !clReleaseProgram(own));
  own = clCreateProgramWithSource(context, 1, &wrong, NULL, &code);
  EXPECT(own && clBuildProgram(own, 1, &device, NULL, NULL, NULL) == CL_BUILD_PROGRAM_FAILURE);
  EXPECT(!clGetProgramBuildInfo(own, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL) && status == CL_BUILD_ERROR);
  EXPECT(!clGetProgramBuildInfo(own, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL) && strstr(text, "none"));
  EXPECT(!clReleaseProgram(own));
}

int main(int argc, char **argv) {
  cl_int code = 1;
  EXPECT(argc == 2 && !clGetPlatformIDs(1, &platform, NULL) && !clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  context = clCreateContext(properties, 1, &device, NULL, NULL, &code);
  EXPECT(context && !code && !clSetContextDestructorCallback(context, (void *)object_ended, (void *)4));
  cl_queue_properties of_queue[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0}, on_device[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  queue = clCreateCommandQueueWithProperties(context, device, of_queue, &code);
  EXPECT(queue && !code && !clCreateCommandQueueWithProperties(context, device, on_device, &code) && code == CL_INVALID_QUEUE_PROPERTIES);
  make_program(argv[1]);
  query_device();
  query_objects();
  use_buffers();
  use_events();
  use_addresses();
  use_source();
  EXPECT(!clReleaseKernel(kernel) && !clReleaseProgram(program) && ended[3] == 1);
  EXPECT(!clFinish(queue) && !clReleaseContext(context) && !ended[4] && !clReleaseCommandQueue(queue));
  while (!__atomic_load_n(&ended[4], __ATOMIC_ACQUIRE)) { // the queue ends later
  }
  return 0;
}
