/* launch.c: what calls of offlink.h take, or, as "launch opencl SPIRV...", the
 * same calls of OpenCL. Prints a name, the median and the 90th percentile in
 * microseconds, a line each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <offlink/offlink.h>

#ifdef WITH_OPENCL
#define CL_TARGET_OPENCL_VERSION 210
#include <CL/cl.h>
#endif

enum { RUNS = 5000, ITEMS = 8 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void must(int failed, const char *what) {
  if (failed) {
    fprintf(stderr, "%s: %s\n", what, offlink_error());
    exit(1);
  }
}

static double samples[RUNS];
static void print(const char *name, int count) {
  qsort(samples, count, sizeof *samples, compare);
  printf("%s %.3f %.3f\n", name, samples[count / 2], samples[count * 9 / 10]);
}

/* TIMED(name, call) measures a call. */
#define TIMED(name, call)              \
  do {                                 \
    for (int i = 0; i < RUNS; i++) {   \
      double start = now();            \
      must(call, name);                \
      samples[i] = now() - start;      \
    }                                  \
    print(name, RUNS);                 \
  } while (0)

static void measure(const char *selector) {
  offlink_device *device;
  offlink_kernel *kernel;
  offlink_buffer *buffer;
  offlink_queue *queue;
  int numbers[ITEMS];
  double start = now();
  must(offlink_device_open(selector, &device), "device");
  must(offlink_buffer_create(device, sizeof numbers, NULL, &buffer), "buffer");
  offlink_arg args[] = {offlink_arg_buffer(buffer)};
  offlink_range range = offlink_range_1d(ITEMS);
  samples[0] = now() - start;
  print("start", 1);
  start = now();
  must(offlink_kernel_open(device, OFFLINK_HERE, "app", &kernel), "kernel");
  must(offlink_launch(kernel, range, args, 1), "launch");
  samples[0] = now() - start;
  print("first", 1);
  must(offlink_queue_create(device, 0, &queue), "queue");
  TIMED("launch", offlink_launch(kernel, range, args, 1));
  TIMED("queued", offlink_enqueue_launch(queue, kernel, range, args, 1, NULL) || offlink_queue_finish(queue));
  TIMED("read", offlink_buffer_read(buffer, 0, numbers, sizeof numbers));
  must(numbers[ITEMS - 1] != 2 * (ITEMS - 1), "results");
  offlink_queue_close(queue);
  offlink_buffer_close(buffer);
  offlink_kernel_close(kernel);
  offlink_device_close(device);
}

#ifdef WITH_OPENCL
static cl_program compile(cl_context context, cl_device_id device, const char *path) {
  static char code[1 << 20];
  FILE *file = fopen(path, "rb");
  must(!file, path);
  size_t size = fread(code, 1, sizeof code, file);
  fclose(file);
  cl_int status;
  cl_program p = clCreateProgramWithIL(context, code, size, &status);
  must(status || clCompileProgram(p, 1, &device, "", 0, NULL, NULL, NULL, NULL), "clCompileProgram");
  return p;
}

static void measure_opencl(char **files) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  int numbers[ITEMS];
  size_t items = ITEMS;
  double start = now();
  must(clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "platform");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &status);
  must(status, "clCreateBuffer");
  samples[0] = now() - start;
  print("start", 1);
  start = now();
  cl_program parts[] = {compile(context, device, files[0]), compile(context, device, files[1])};
  cl_program program = clLinkProgram(context, 1, &device, "", 2, parts, NULL, NULL, &status);
  must(status, "clLinkProgram");
  cl_kernel kernel = clCreateKernel(program, "app", &status);
  must(status || clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
  must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) || clFinish(queue), "launch");
  samples[0] = now() - start;
  print("first", 1);
  TIMED("launch", clSetKernelArg(kernel, 0, sizeof buffer, &buffer) ||
                      clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) || clFinish(queue));
  TIMED("queued", clSetKernelArg(kernel, 0, sizeof buffer, &buffer) ||
                      clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) || clFinish(queue));
  TIMED("read", clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL));
  must(numbers[ITEMS - 1] != 2 * (ITEMS - 1), "results");
}
#endif

int main(int count, char **words) {
#ifdef WITH_OPENCL
  if (count == 4 && !strcmp(words[1], "opencl")) {
    measure_opencl(words + 2);
    return 0;
  }
#endif
  if (count > 1)
    measure(words[1]);
  return 0;
}
