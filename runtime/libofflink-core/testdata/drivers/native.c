/* A program that uses OpenCL itself shares its queue with the library: commands of
 * both go through one cl_command_queue in the order of their calls, wait for one
 * another, and the queue stays the program's. Linked with an OpenCL loader. The
 * declarations are those of OpenCL 1.2 (sections 4 and 5), as its headers may not be
 * installed. */
#include <offlink/offlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEVICE_NAME = 0x102B, QUEUE_CONTEXT = 0x1090, QUEUE_REFERENCES = 0x1092, KERNEL_NAME = 0x1190, EVENT_STATUS = 0x11D3 };
enum { OUT_OF_ORDER = 1, PROFILING = 2, ITEMS = 64 };

extern void *clCreateContext(const intptr_t *, uint32_t, void *const *, void *, void *, int *);
extern int clReleaseContext(void *);
extern void *clCreateCommandQueue(void *, void *, uint64_t, int *);
extern int clReleaseCommandQueue(void *);
extern int clGetCommandQueueInfo(void *, uint32_t, size_t, void *, size_t *);
extern int clGetDeviceInfo(void *, uint32_t, size_t, void *, size_t *);
extern int clGetKernelInfo(void *, uint32_t, size_t, void *, size_t *);
extern int clGetEventInfo(void *, uint32_t, size_t, void *, size_t *);
extern void *clCreateUserEvent(void *, int *);
extern int clSetUserEventStatus(void *, int);
extern int clReleaseEvent(void *);
extern int clWaitForEvents(uint32_t, void *const *);
extern int clEnqueueBarrierWithWaitList(void *, uint32_t, void *const *, void **);
extern int clFinish(void *);

static void must_at(int line, int ok, const char *condition) {
  if (!ok) {
    printf("line %d: %s: %s\n", line, condition, offlink_error());
    exit(1);
  }
}
#define MUST(condition) must_at(__LINE__, (condition), #condition)

static offlink_device *device;
static offlink_kernel *kernel;
static offlink_buffer *out;
static void *native_device, *context;

static void *native(offlink_status status, const uint64_t *handle) {
  MUST(!status && *handle);
  return (void *)(uintptr_t)*handle;
}

/* The results are there: {0, 2, 4, ...}; then they are taken away. */
static int complete(void) {
  int numbers[ITEMS], zeros[ITEMS] = {0};
  MUST(!offlink_buffer_read(out, 0, numbers, sizeof numbers) && !offlink_buffer_write(out, 0, zeros, sizeof zeros));
  for (int i = 0; i < ITEMS; i++)
    if (numbers[i] != 2 * i)
      return 0;
  return 1;
}

/* The handles are those of the driver's objects. */
static void handles(void) {
  uint64_t handle;
  char text[256] = "";
  offlink_queue *queue;
  native_device = native(offlink_device_native(device, &handle), &handle);
  MUST(!clGetDeviceInfo(native_device, DEVICE_NAME, sizeof text, text, NULL) && strstr(offlink_device_name(device), text));
  void *object = native(offlink_kernel_native(kernel, &handle), &handle);
  MUST(!clGetKernelInfo(object, KERNEL_NAME, sizeof text, text, NULL) && !strcmp(text, "app"));
  MUST(!offlink_queue_create(device, 0, &queue));
  object = native(offlink_queue_native(queue, &handle), &handle);
  MUST(!clGetCommandQueueInfo(object, QUEUE_CONTEXT, sizeof context, &context, NULL) && context);
  offlink_queue_close(queue);
}

/* A launch in the program's queue: it waits for the program's command before it, and
 * the program waits for its event and for the queue. */
static void share(uint64_t properties) {
  int error = 0, status = 1;
  uint32_t before = 0, after = 0;
  uint64_t handle = 0, times[4];
  void *own = clCreateCommandQueue(context, native_device, properties, &error), *gate = clCreateUserEvent(context, &error);
  MUST(own && gate && !error);
  MUST(!clGetCommandQueueInfo(own, QUEUE_REFERENCES, sizeof before, &before, NULL));
  offlink_queue *queue;
  offlink_buffer *after_close;
  offlink_event *done;
  MUST(offlink_buffer_import(device, (uintptr_t)&before, sizeof before, &after_close) == OFFLINK_ERROR_INVALID);
  MUST(strstr(offlink_error(), "a cl_mem cannot be one") != NULL); /* both drivers have buffers by address */
  MUST(!offlink_queue_import(device, (uintptr_t)own, &queue));
  MUST(native(offlink_queue_native(queue, &handle), &handle) == own);

  MUST(!clEnqueueBarrierWithWaitList(own, 1, &gate, NULL));
  offlink_arg args[] = {offlink_arg_buffer(out)};
  offlink_sync sync = {.size = sizeof sync, .done = &done};
  MUST(!offlink_enqueue_launch(queue, kernel, offlink_range_1d(ITEMS), args, 1, &sync));
  MUST(offlink_event_wait_for(done, 20000000) == OFFLINK_ERROR_TIMEOUT); /* the gate is closed */
  MUST(!clSetUserEventStatus(gate, 0));
  void *end = native(offlink_event_native(done, &handle), &handle);
  MUST(!clWaitForEvents(1, &end) && !clGetEventInfo(end, EVENT_STATUS, sizeof status, &status, NULL) && status == 0);
  MUST(complete());
  if (properties & PROFILING)
    MUST(!offlink_event_times(done, times) && times[0] <= times[2] && times[2] <= times[3] && times[3]);
  offlink_event_close(done);

  for (int i = 0; i < 100; i++) { /* the first ones with Go, the later ones without */
    MUST(!offlink_enqueue_launch(queue, kernel, offlink_range_1d(ITEMS), args, 1, NULL));
    if (i % 2)
      MUST(!clFinish(own));
    else
      MUST(!offlink_queue_finish(queue));
    MUST(complete());
  }
  offlink_queue_close(queue);
  MUST(!clEnqueueBarrierWithWaitList(own, 0, NULL, NULL) && !clFinish(own)); /* it is the program's still */
  MUST(!offlink_buffer_create(device, 4, NULL, &after_close)); /* lets go of the events of the past */
  offlink_buffer_close(after_close);
  /* Threads of a driver may let go of a command a moment after it has ended. */
  for (int i = 0; i < 500 && !clGetCommandQueueInfo(own, QUEUE_REFERENCES, sizeof after, &after, NULL) && before != after; i++)
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  MUST(before == after);
  MUST(!clReleaseEvent(gate) && !clReleaseCommandQueue(own));
}

/* No queue, and one of another context. */
static void refuse(void) {
  int error = 0;
  offlink_queue *queue = NULL;
  MUST(offlink_queue_import(device, 0, &queue) == OFFLINK_ERROR_INVALID && strstr(offlink_error(), "NULL"));
  void *other = clCreateContext(NULL, 1, &native_device, NULL, NULL, &error);
  void *own = clCreateCommandQueue(other, native_device, 0, &error);
  MUST(own && !error);
  MUST(offlink_queue_import(device, (uintptr_t)own, &queue) == OFFLINK_ERROR_INVALID && strstr(offlink_error(), "another context"));
  MUST(!queue && !clReleaseCommandQueue(own) && !clReleaseContext(other));
}

int main(void) {
  MUST(!offlink_device_open("opencl", &device) && !offlink_kernel_open(device, OFFLINK_HERE, "app", &kernel));
  MUST(!offlink_buffer_create(device, ITEMS * sizeof(int), NULL, &out));
  handles();
  share(0);
  share(PROFILING);
  share(OUT_OF_ORDER | PROFILING);
  refuse();
  offlink_buffer_close(out);
  offlink_kernel_close(kernel);
  offlink_device_close(device);
  puts("shared");
  return 0;
}
