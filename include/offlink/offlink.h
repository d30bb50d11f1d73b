/* offlink.h: run device code that was wrapped into this program or into the
 * shared libraries it loads.
 *
 *   offlink_device *device;
 *   offlink_kernel *kernel;
 *   offlink_buffer *out;
 *   int32_t result[8];
 *   if (offlink_device_open(NULL, &device) ||
 *       offlink_kernel_open(device, OFFLINK_HERE, "app", &kernel) ||
 *       offlink_buffer_create(device, sizeof result, NULL, &out))
 *     errx(1, "%s", offlink_error());
 *   offlink_arg args[] = {offlink_arg_buffer(out)};
 *   if (offlink_launch(kernel, offlink_range_1d(8), args, 1) ||
 *       offlink_buffer_read(out, 0, result, sizeof result))
 *     errx(1, "%s", offlink_error());
 *
 * Link with -lofflink: the program, and every shared library that holds device
 * code. Programs must be dynamic.
 *
 * Rules for every function:
 * - Functions that can fail return an offlink_status; 0 is success. Then
 *   offlink_error() gives the failure and its remedy in words. Results are
 *   stored on success only.
 * - The object that offlink_X_open or offlink_X_create stores belongs to the
 *   caller, which passes it to offlink_X_close once. Close kernels and buffers
 *   before their device. Closing NULL does nothing.
 * - All functions may be called from several threads at once. An object must
 *   not be closed while another thread uses it.
 * - The first call starts the runtime. Do not call from a constructor or
 *   destructor of a shared library, nor in a child process that was forked
 *   after the first call (there every call fails with OFFLINK_ERROR_FORKED).
 * - The runtime's threads leave the program's signals to its own threads, and
 *   its handlers need no SA_ONSTACK. A call of a few microseconds may hold them
 *   up until it returns; a kernel that runs on the caller's thread lets them in
 *   every few milliseconds. Handlers of SIGSEGV, SIGBUS and SIGFPE that were
 *   there before the first call still get the program's faults. No function is
 *   a cancellation point; do not call one from a handler, nor leave one by
 *   longjmp.
 */
#ifndef OFFLINK_OFFLINK_H
#define OFFLINK_OFFLINK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The outcome of a call. New values may be added at the end. */
typedef enum offlink_status {
  OFFLINK_OK = 0,
  OFFLINK_ERROR_INVALID = 1,    /* an argument of the call is wrong */
  OFFLINK_ERROR_NOT_FOUND = 2,  /* no such device or kernel */
  OFFLINK_ERROR_UNRESOLVED = 3, /* device code imports what nobody exports, or what two define */
  OFFLINK_ERROR_BUILD = 4,      /* the device could not build the code */
  OFFLINK_ERROR_DEVICE = 5,     /* memory, transfer or kernel run failed */
  OFFLINK_ERROR_RUNTIME = 6,    /* libofflink-core could not be started */
  OFFLINK_ERROR_FORKED = 7      /* used in a forked child after first use */
} offlink_status;

typedef struct offlink_device offlink_device;
typedef struct offlink_kernel offlink_kernel;
typedef struct offlink_buffer offlink_buffer;
typedef struct offlink_queue offlink_queue;
typedef struct offlink_event offlink_event;

/* The version of the library, "0.1.0". Static; never NULL. Starts nothing. */
const char *offlink_version(void);

/* Says in words why the latest failing call of this thread failed; "" before
 * the first failure. The text is UTF-8, may have several lines, and holds until
 * the next failure in this thread. */
const char *offlink_error(void);

/* Opens the first device that the selector names: "host", "host:cpu", "*:gpu",
 * "opencl:1" (the second of that back end). NULL or "" is the default device. */
offlink_status offlink_device_open(const char *selector, offlink_device **device);

/* The device's name. It holds until the device is closed. */
const char *offlink_device_name(const offlink_device *device);

void offlink_device_close(offlink_device *device);

/* Lists the kernels of all loaded images: *names becomes an array of *count
 * strings, sorted. One offlink_free(*names) frees the array and the strings. */
offlink_status offlink_kernel_names(char ***names, size_t *count);

/* Frees memory that a function of this header hands out for offlink_free. */
void offlink_free(void *memory);

/* Any address in the calling program or library: "this module". */
#define OFFLINK_HERE ((const void *)&offlink_here)
#if defined(__GNUC__)
__attribute__((unused))
#endif
static const char offlink_here = 0;

/* Finds a kernel, collects the images it imports from, and builds it for the
 * device. Where several loaded modules have a kernel of that name, that of the
 * module that holds the address `module` is taken (OFFLINK_HERE; NULL: no
 * preference). The kernel stays usable when a library it came from is
 * unloaded. */
offlink_status offlink_kernel_open(offlink_device *device, const void *module, const char *name,
                                   offlink_kernel **kernel);

/* The value of a specialization constant: the bytes of the whole object, by the
 * unique name that the compiler gave it. */
typedef struct offlink_spec_constant {
  const char *name;
  const void *value;
  size_t size;
} offlink_spec_constant;

/* offlink_kernel_open with values for specialization constants. Constants that
 * are not among them have their defaults, and names that the kernel's images
 * do not have are ignored. */
offlink_status offlink_kernel_open_with(offlink_device *device, const void *module, const char *name,
                                        const offlink_spec_constant *constants, size_t constant_count,
                                        offlink_kernel **kernel);

/* The number of arguments, counted as in the source. */
size_t offlink_kernel_arg_count(const offlink_kernel *kernel);

void offlink_kernel_close(offlink_kernel *kernel);

/* Allocates size bytes on the device, copied from data, or zeroed where data
 * is NULL. */
offlink_status offlink_buffer_create(offlink_device *device, size_t size, const void *data,
                                     offlink_buffer **buffer);

/* Copies size bytes between host memory and the buffer at offset. Done when
 * the call returns. */
offlink_status offlink_buffer_read(offlink_buffer *buffer, size_t offset, void *data, size_t size);
offlink_status offlink_buffer_write(offlink_buffer *buffer, size_t offset, const void *data, size_t size);

void offlink_buffer_close(offlink_buffer *buffer);

/* One kernel argument; make it with one of the functions below. */
typedef struct offlink_arg {
  int kind; /* one of offlink_arg_kind */
  const void *value;
  offlink_buffer *buffer;
  size_t size;
} offlink_arg;

enum offlink_arg_kind {
  OFFLINK_ARG_VALUE = 1,
  OFFLINK_ARG_BUFFER = 2,
  OFFLINK_ARG_LOCAL = 3,
  OFFLINK_ARG_POINTER = 4
};

/* An argument passed by value: the size bytes at value, which must stay there
 * until the launch returns. OFFLINK_VALUE(x) passes the variable x. */
static inline offlink_arg offlink_arg_value(const void *value, size_t size) {
  offlink_arg arg = {OFFLINK_ARG_VALUE, value, NULL, size};
  return arg;
}
#define OFFLINK_VALUE(variable) offlink_arg_value(&(variable), sizeof(variable))

/* A pointer to the start of the buffer. */
static inline offlink_arg offlink_arg_buffer(offlink_buffer *buffer) {
  offlink_arg arg = {OFFLINK_ARG_BUFFER, NULL, buffer, 0};
  return arg;
}

/* A pointer to the byte of the buffer at offset. */
static inline offlink_arg offlink_arg_buffer_at(offlink_buffer *buffer, size_t offset) {
  offlink_arg arg = {OFFLINK_ARG_BUFFER, NULL, buffer, offset};
  return arg;
}

/* An address of memory from offlink_memory_alloc, or NULL. */
static inline offlink_arg offlink_arg_pointer(const void *pointer) {
  offlink_arg arg = {OFFLINK_ARG_POINTER, pointer, NULL, 0};
  return arg;
}

/* A pointer to size bytes of local memory, shared by a work-group. */
static inline offlink_arg offlink_arg_local(size_t size) {
  offlink_arg arg = {OFFLINK_ARG_LOCAL, NULL, NULL, size};
  return arg;
}

/* The work-items of a launch, in 1 to 3 dimensions. */
typedef struct offlink_range {
  unsigned dimensions;
  size_t global[3];
  size_t local[3];  /* divides global; all 0: the device chooses */
  size_t offset[3]; /* the first global id */
} offlink_range;

static inline offlink_range offlink_range_1d(size_t global) {
  offlink_range range = {1, {global, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  return range;
}

static inline offlink_range offlink_range_2d(size_t global0, size_t global1) {
  offlink_range range = {2, {global0, global1, 0}, {0, 0, 0}, {0, 0, 0}};
  return range;
}

/* Runs the kernel over the range and waits for it. args has arg_count
 * elements, one for each argument in the source. */
offlink_status offlink_launch(offlink_kernel *kernel, offlink_range range, const offlink_arg *args,
                              size_t arg_count);

/* Memory by address. An address may stand in structs and in memory, and kernels
 * may follow it; it is the host's address too for host and shared memory. */
enum offlink_memory_kind { OFFLINK_MEMORY_DEVICE = 1, OFFLINK_MEMORY_HOST = 2, OFFLINK_MEMORY_SHARED = 3 };

/* Allocates size zeroed bytes. */
offlink_status offlink_memory_alloc(offlink_device *device, int kind, size_t size, void **pointer);

/* Frees memory of offlink_memory_alloc, when no command uses it any more. NULL
 * does nothing. */
offlink_status offlink_memory_free(offlink_device *device, void *pointer);

/* A queue takes commands and returns. An in-order queue runs them one after
 * another; after a failure the commands that follow fail too, up to
 * offlink_queue_finish. */
enum offlink_queue_flags { OFFLINK_QUEUE_OUT_OF_ORDER = 1, OFFLINK_QUEUE_PROFILING = 2 };

offlink_status offlink_queue_create(offlink_device *device, unsigned flags, offlink_queue **queue);

/* Waits for all commands and returns the first failure since the last time. */
offlink_status offlink_queue_finish(offlink_queue *queue);

/* Stops the running commands and drops the others; the queue takes no more. */
offlink_status offlink_queue_abort(offlink_queue *queue);

/* Drops everything that has not ended. */
void offlink_queue_close(offlink_queue *queue);

/* When a command may start and how its end is told; NULL is the zero value. Set
 * size to sizeof(offlink_sync). */
typedef struct offlink_sync {
  size_t size;
  offlink_event *const *after; /* events that must have ended */
  size_t after_count;
  offlink_event **done; /* receives the command's event; the caller closes it */
  int block;            /* return when the command has ended, with its outcome */
} offlink_sync;

/* Queues a launch. Values are copied; buffers, memory and the kernel must stay
 * until it has ended. */
offlink_status offlink_enqueue_launch(offlink_queue *queue, offlink_kernel *kernel, offlink_range range,
                                      const offlink_arg *args, size_t arg_count, const offlink_sync *sync);

/* Copies size bytes. Each side is memory of the device, or memory of the program,
 * which must stay until the command has ended. */
offlink_status offlink_enqueue_copy(offlink_queue *queue, void *to, const void *from, size_t size,
                                    const offlink_sync *sync);

/* Repeats the pattern of 1 to 128 bytes, a power of two, over size bytes of
 * device memory. */
offlink_status offlink_enqueue_fill(offlink_queue *queue, void *to, const void *pattern, size_t pattern_size,
                                    size_t size, const offlink_sync *sync);

/* Ends when all commands before it have ended; those after it start then. */
offlink_status offlink_enqueue_barrier(offlink_queue *queue, const offlink_sync *sync);

/* Waits for the command and returns its outcome. */
offlink_status offlink_event_wait(offlink_event *event);

/* When the command was queued, submitted, started and ended, in nanoseconds on
 * the device's clock. Its queue needs OFFLINK_QUEUE_PROFILING. */
offlink_status offlink_event_times(offlink_event *event, uint64_t times[4]);

void offlink_event_close(offlink_event *event);

/* Copies between host memory and a device global, by its unique name, at
 * offset. Done when the call returns. */
offlink_status offlink_global_read(offlink_device *device, const char *name, size_t offset, void *data, size_t size);
offlink_status offlink_global_write(offlink_device *device, const char *name, size_t offset, const void *data,
                                    size_t size);

#ifdef __cplusplus
}
#endif

#endif
