// Programs of OpenCL C on this library as the loader's driver: headers, libraries, binaries,
// builds in turn, descriptions of kernels, and the code of each wrong call.
#include "opencl_setup.h"

static cl_program source(const char *text) {
  cl_int code = 1;
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
  EXPECT(program && !code);
  return program;
}

static cl_uint number(cl_program program, cl_program_build_info param) {
  cl_uint n = 12345;
  EXPECT(!clGetProgramBuildInfo(program, device, param, sizeof n, &n, NULL));
  return n;
}

/* The first number that the kernel "k" of a program writes. */
static int run(cl_program program) {
  cl_int code = 1, got = -1;
  size_t one = 1;
  cl_kernel kernel = clCreateKernel(program, "k", &code);
  cl_mem buffer = clCreateBuffer(context, 0, sizeof got, NULL, NULL);
  EXPECT(kernel && !code && !clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  CODE(0, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
  CODE(0, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
  EXPECT(!clReleaseKernel(kernel) && !clReleaseMemObject(buffer));
  return got;
}

/* A header with a folder in its name, and a library that a binary keeps. */
static void use_headers(void) {
  cl_int code = 1;
  cl_program header = source("int seven(void);\n"), main_part = source("#include <dir/seven.h>\nkernel void k(global int *o) { *o = seven() + ADD; }\n"), other = source("int seven(void) { return 7; }\n");
  const char *name = "dir/seven.h", *outside = "../seven.h";
  CODE(CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(main_part, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  EXPECT(number(main_part, CL_PROGRAM_BUILD_STATUS) == (cl_uint)CL_BUILD_ERROR);
  CODE(0, clCompileProgram(main_part, 1, &device, "-DADD=3", 1, &header, &name, NULL, NULL));
  CODE(0, clCompileProgram(other, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
  EXPECT(number(main_part, CL_PROGRAM_BINARY_TYPE) == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
  cl_program library = clLinkProgram(context, 1, &device, "-create-library", 1, &other, NULL, NULL, &code);
  EXPECT(library && !code && number(library, CL_PROGRAM_BINARY_TYPE) == CL_PROGRAM_BINARY_TYPE_LIBRARY && !clReleaseProgram(other));
  static unsigned char bytes[1 << 20], *place = bytes;
  size_t size = 0, length = 0;
  EXPECT(!clGetProgramInfo(library, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) && size && size < sizeof bytes);
  EXPECT(!clGetProgramInfo(library, CL_PROGRAM_BINARIES, sizeof place, &place, &length) && length == sizeof place && !clReleaseProgram(library));
  const unsigned char *binary = bytes;
  cl_int status = 1;
  library = clCreateProgramWithBinary(context, 1, &device, &size, &binary, &status, &code);
  EXPECT(library && !code && !status && number(library, CL_PROGRAM_BINARY_TYPE) == CL_PROGRAM_BINARY_TYPE_LIBRARY);
  cl_program parts[] = {main_part, library}, linked = clLinkProgram(context, 0, NULL, NULL, 2, parts, NULL, NULL, &code);
  EXPECT(linked && !code && number(linked, CL_PROGRAM_BINARY_TYPE) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE && run(linked) == 10);
  size--;
  EXPECT(!clCreateProgramWithBinary(context, 1, &device, &size, &binary, &status, &code) && code == CL_INVALID_BINARY && status == CL_INVALID_BINARY);
  CODE(CL_INVALID_LINKER_OPTIONS, (clLinkProgram(context, 0, NULL, "-none", 2, parts, NULL, NULL, &code), code));
  CODE(CL_INVALID_OPERATION, (clLinkProgram(context, 0, NULL, NULL, 1, &header, NULL, NULL, &code), code));
  CODE(CL_INVALID_VALUE, clCompileProgram(main_part, 0, NULL, NULL, 1, &header, NULL, NULL, NULL));
  CODE(CL_INVALID_VALUE, clCompileProgram(main_part, 0, NULL, NULL, 0, &header, &name, NULL, NULL));
  CODE(CL_INVALID_VALUE, clCompileProgram(main_part, 0, NULL, NULL, 1, &header, &outside, NULL, NULL));
  EXPECT(!clReleaseProgram(header) && !clReleaseProgram(main_part) && !clReleaseProgram(library) && !clReleaseProgram(linked));
}

/* A program is built again with other options, when it has no kernels. */
static void build_again(void) {
  cl_int code = 1;
  size_t size = 1;
  char text[256];
  cl_program program = source("kernel void k(global int *o) { *o = VALUE; }\n");
  EXPECT(!clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) && !size && number(program, CL_PROGRAM_BINARY_TYPE) == CL_PROGRAM_BINARY_TYPE_NONE);
  CODE(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  EXPECT(number(program, CL_PROGRAM_BUILD_STATUS) == (cl_uint)CL_BUILD_ERROR);
  CODE(0, clBuildProgram(program, 1, &device, "-DVALUE=\\(4\\) -cl-opt-disable", NULL, NULL));
  EXPECT(number(program, CL_PROGRAM_BUILD_STATUS) == CL_BUILD_SUCCESS && run(program) == 4);
  EXPECT(!clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL) && !strcmp(text, "-DVALUE=\\(4\\) -cl-opt-disable"));
  CODE(0, clBuildProgram(program, 1, &device, "-DVALUE='5 + 1'", NULL, NULL));
  EXPECT(run(program) == 6);
  cl_kernel kernel = clCreateKernel(program, "k", &code);
  CODE(CL_INVALID_OPERATION, clBuildProgram(program, 1, &device, "-DVALUE=7", NULL, NULL));
  EXPECT(!clReleaseKernel(kernel));
  CODE(CL_INVALID_VALUE, clBuildProgram(program, 1, NULL, NULL, NULL, NULL));
  CODE(CL_INVALID_VALUE, clBuildProgram(program, 0, NULL, NULL, NULL, text));
  CODE(CL_INVALID_DEVICE, clBuildProgram(program, 1, (cl_device_id *)&context, NULL, NULL, NULL));
  CODE(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, "-DVALUE='5", NULL, NULL));
  CODE(CL_INVALID_PROGRAM, clBuildProgram((cl_program)queue, 0, NULL, NULL, NULL, NULL));
  EXPECT(!clReleaseProgram(program) && !clUnloadPlatformCompiler(platform));
}

static void describe_kernel(void) {
  cl_int code = 1;
  char text[256];
  size_t size = 0;
  cl_program program = source(
      "__attribute__((reqd_work_group_size(4, 2, 1))) __attribute__((vec_type_hint(float4)))\n"
      "kernel void k(global const float4 *restrict in, constant int *c, local volatile uint *l, read_write image2d_t i, sampler_t s, ushort3 v) {\n"
      "  l[0] = c[0] + v.x + in[0].x + read_imagei(i, (int2)(0, 0)).x;\n}\n");
  CODE(0, clBuildProgram(program, 0, NULL, "-cl-kernel-arg-info -cl-std=CL3.0", NULL, NULL));
  cl_kernel kernel = clCreateKernel(program, "k", &code);
  EXPECT(kernel && !code && !clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
  EXPECT(strstr(text, "reqd_work_group_size(4,2,1)") && strstr(text, "vec_type_hint(float4)"));
  const struct {
    const char *type, *name;
    cl_uint address, access;
    cl_ulong qualifiers;
  } want[] = {
      {"float4*", "in", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
      {"int*", "c", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_CONST},
      {"uint*", "l", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_VOLATILE},
      {"image2d_t", "i", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_READ_WRITE, 0},
      {"sampler_t", "s", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, 0},
      {"ushort3", "v", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, 0},
  };
  for (cl_uint i = 0; i < sizeof want / sizeof *want; i++) {
    cl_uint address = 0, access = 0;
    cl_ulong qualifiers = 99;
    char type[64], name[64];
    EXPECT(!clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL) && !clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof name, name, &size) && size == strlen(name) + 1);
    EXPECT(!clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL) && !clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL) && !clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, NULL));
    if (strcmp(type, want[i].type) || strcmp(name, want[i].name) || address != want[i].address || access != want[i].access || qualifiers != want[i].qualifiers)
      printf("argument %u: %s %s %#x %#x %lu\n", i, type, name, address, access, (unsigned long)qualifiers);
  }
  int value[4] = {0};
  cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &code);
  const cl_image_format format = {CL_R, CL_SIGNED_INT32};
  const cl_image_desc desc = {CL_MEM_OBJECT_IMAGE2D, 1, 1};
  cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &code);
  cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &code);
  EXPECT(!clSetKernelArg(kernel, 0, sizeof buffer, &buffer) && !clSetKernelArg(kernel, 1, sizeof buffer, &buffer) && !clSetKernelArg(kernel, 2, 64, NULL) && !clSetKernelArg(kernel, 3, sizeof image, &image) && !clSetKernelArg(kernel, 4, sizeof sampler, &sampler) && !clSetKernelArg(kernel, 5, 8, value));
  const size_t global[2] = {8, 8}, other[2] = {2, 2}, most[2] = {1 << 20, 1}, none[2] = {0, 2}, required[2] = {4, 2};
  CODE(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, other, 0, NULL, NULL));
  CODE(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, none, 0, NULL, NULL));
  CODE(CL_INVALID_WORK_ITEM_SIZE, clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, most, 0, NULL, NULL));
  CODE(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(queue, kernel, 4, NULL, global, required, 0, NULL, NULL));
  CODE(0, clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, required, 0, NULL, NULL));
  EXPECT(!clFinish(queue) && !clReleaseMemObject(buffer) && !clReleaseMemObject(image) && !clReleaseSampler(sampler));
  CODE(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(kernel, 6, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
  CODE(CL_INVALID_VALUE, clGetKernelArgInfo(kernel, 0, 0x1234, sizeof text, text, NULL));
  CODE(CL_INVALID_KERNEL, clGetKernelArgInfo((cl_kernel)program, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
  EXPECT(!clReleaseKernel(kernel) && !clReleaseProgram(program));
}

/* The macros of features are those of the device. */
static void test_macros(void) {
  cl_program program = source(
      "#if !defined __IMAGE_SUPPORT__ || !defined __opencl_c_images || !defined cl_khr_fp64 || defined __opencl_c_pipes || defined __opencl_c_device_enqueue || defined cl_khr_gl_sharing\n"
      "#error macros\n#endif\nkernel void k(global int *o) { *o = 1; }\n");
  CODE(0, clBuildProgram(program, 0, NULL, "-cl-std=CL3.0 -Werror", NULL, NULL));
  EXPECT(!clReleaseProgram(program));
}

/* A buffer that is made with an allocation uses it. */
static void share_allocation(void) {
  cl_int code = 1, two = 2, *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  cl_bool svm = CL_FALSE;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 32, memory + 8, &code);
  EXPECT(buffer && !code && !clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof svm, &svm, NULL) && svm);
  memory[9] = 5;
  CODE(0, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4, 4, &code, 0, NULL, NULL));
  CODE(0, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, &two, 0, NULL, NULL));
  EXPECT(code == 5 && memory[8] == 2 && !clReleaseMemObject(buffer));
  memory[0] = 1; // it is still there
  clSVMFree(context, memory);
}

static void make_queues(void) {
  cl_int code = 1;
  cl_uint n = 0;
  size_t size = 0;
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0}, unknown[] = {0x1234, 1, 0};
  cl_queue_properties got[4];
  cl_command_queue own = clCreateCommandQueueWithProperties(context, device, list, &code);
  EXPECT(own && !code && !clGetCommandQueueInfo(own, CL_QUEUE_PROPERTIES_ARRAY, sizeof got, got, &size) && size == sizeof list && !memcmp(got, list, size));
  CODE(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(own, CL_QUEUE_SIZE, sizeof n, &n, NULL));
  CODE(CL_INVALID_VALUE, (clCreateCommandQueueWithProperties(context, device, unknown, &code), code));
  CODE(CL_INVALID_VALUE, (clCreateCommandQueue(context, device, 1 << 10, &code), code));
  CODE(CL_INVALID_DEVICE, (clCreateCommandQueue(context, (cl_device_id)context, 0, &code), code));
  CODE(CL_INVALID_CONTEXT, (clCreateCommandQueue((cl_context)device, device, 0, &code), code));
  EXPECT(!clReleaseCommandQueue(own));
}

/* Functions of extensions that the device lists, half without a pragma, and the numbers of lines. */
static void use_extensions(void) {
  static const char *names[] = {"cl_khr_extended_bit_ops", "cl_khr_integer_dot_product", "cl_khr_subgroup_shuffle", "cl_khr_subgroup_rotate", "cl_ext_float_atomics",
                                "cl_khr_subgroup_ballot", "cl_khr_device_uuid", "cl_intel_device_attribute_query", "cl_khr_command_buffer"};
  static char list[8192];
  EXPECT(!clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof list, list, NULL));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strstr(list, names[i]))
      printf("no extension %s\n", names[i]);
  cl_kernel kernel = kernel_of("#ifndef cl_khr_subgroup_rotate /* before clang 17 */\n"
                               "#define sub_group_rotate(x, n) ((x + n) % 8)\n"
                               "#endif\n"
                               "kernel void k(global int *o, global float *f) {\n"
                               "  int l = get_sub_group_local_id();\n"
                               "  half h = (half)l + (half)0.5f;\n"
                               "  o[0] = __LINE__;\n"
                               "  o[1] = bitfield_insert(0xF0, 5, 1u, 3u);\n"
                               "  o[2] = dot((uchar4)(1, 2, 3, 4), (uchar4)(5, 6, 7, 8));\n"
                               "  o[3 + l] = sub_group_shuffle(l * 3, 7 - l) + sub_group_rotate(l, 1) + (int)(h * 2);\n"
                               "  atomic_fetch_add_explicit((volatile global atomic_float *)f, 0.5f, memory_order_relaxed, memory_scope_device);\n"
                               "}\n", "k");
  if (!kernel)
    return;
  cl_mem numbers = clCreateBuffer(context, 0, 64, NULL, NULL), sum = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, &(float){1}, NULL);
  int got[16] = {0};
  float total = 0;
  size_t items = 8;
  EXPECT(!clSetKernelArg(kernel, 0, sizeof numbers, &numbers) && !clSetKernelArg(kernel, 1, sizeof sum, &sum));
  CODE(0, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
  CODE(0, clEnqueueReadBuffer(queue, numbers, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  CODE(0, clEnqueueReadBuffer(queue, sum, CL_TRUE, 0, sizeof total, &total, 0, NULL, NULL));
  EXPECT(got[0] == 7 && got[1] == 0xFA && got[2] == 70 && total == 5);
  for (int l = 0; l < 8; l++)
    EXPECT(got[3 + l] == 3 * (7 - l) + (l + 1) % 8 + 2 * l + 1);
  unsigned char uuid[16] = {0}, again[16] = {0}, none[16] = {0};
  cl_uint slices = 0, units = 0, compute = 0;
  EXPECT(!clGetDeviceInfo(device, 0x106A, sizeof uuid, uuid, NULL) && !clGetDeviceInfo(device, 0x106A, sizeof again, again, NULL));
  EXPECT(!memcmp(uuid, again, sizeof uuid) && memcmp(uuid, none, sizeof uuid));
  EXPECT(!clGetDeviceInfo(device, 0x4252, sizeof slices, &slices, NULL) && slices == 1);
  EXPECT(!clGetDeviceInfo(device, 0x4254, sizeof units, &units, NULL) && !clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute, &compute, NULL) && units == compute);
  EXPECT(!clReleaseKernel(kernel) && !clReleaseMemObject(numbers) && !clReleaseMemObject(sum));
}

int main(void) {
  const char *text = "kernel void k() {}";
  cl_int code = 1;
  open_device();
  make_queues();
  share_allocation();
  cl_program any = clCreateProgramWithSource(context, 1, &text, NULL, &code);
  if (any) {
    EXPECT(!clReleaseProgram(any));
    use_headers();
    build_again();
    describe_kernel();
    test_macros();
    use_extensions();
  }
  close_device();
  return 0;
}
