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
 *   its handlers need no SA_ONSTACK. A call that is expected to be short may hold
 *   them up; if it turns out long, they are delivered every few milliseconds,
 *   on the caller's thread or on one that stands in for it. Handlers of SIGSEGV,
 *   SIGBUS and SIGFPE that were there before the first call still get the
 *   program's faults. No function is a cancellation point; do not call one from
 *   a handler, nor leave one by longjmp.
 */
#ifndef OFFLINK_OFFLINK_H
#define OFFLINK_OFFLINK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C89 has no inline functions, and compilers have them under this name. */
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define OFFLINK_INLINE static inline
#else
#define OFFLINK_INLINE static __inline
#endif

/* The outcome of a call. New values may be added at the end. */
typedef enum offlink_status {
  OFFLINK_OK = 0,
  OFFLINK_ERROR_INVALID = 1,    /* an argument of the call is wrong */
  OFFLINK_ERROR_NOT_FOUND = 2,  /* no such device, kernel, function, device global or file */
  OFFLINK_ERROR_UNRESOLVED = 3, /* device code imports what nobody exports, or what two define */
  OFFLINK_ERROR_BUILD = 4,      /* the device could not build the code */
  OFFLINK_ERROR_DEVICE = 5,     /* memory, transfer or kernel run failed */
  OFFLINK_ERROR_RUNTIME = 6,    /* libofflink-core could not be started */
  OFFLINK_ERROR_FORKED = 7,     /* used in a forked child after first use */
  OFFLINK_ERROR_TIMEOUT = 8,    /* the time that the call was given is over */
  OFFLINK_ERROR_ABORTED = 9,    /* stopped by offlink_queue_abort, or its queue was closed */
  OFFLINK_ERROR_UNSUPPORTED = 10 /* the device cannot do that */
} offlink_status;

/* The meaning of a status in a few words: "invalid argument". Static. */
const char *offlink_status_text(offlink_status status);

typedef struct offlink_device offlink_device;
typedef struct offlink_kernel offlink_kernel;
typedef struct offlink_buffer offlink_buffer;
typedef struct offlink_queue offlink_queue;
typedef struct offlink_event offlink_event;
typedef struct offlink_code offlink_code;

/* The version of the library, "0.1.0". Static; never NULL. Starts nothing. */
const char *offlink_version(void);

/* Says in words why the latest failing call of this thread failed; "" before
 * the first failure. The text is UTF-8, may have several lines, and holds until
 * the next failure in this thread. */
const char *offlink_error(void);

/* Has warnings of the library go to a function instead of standard error, a line
 * without its end each: for instance, that two images define a function
 * differently. It is called on the thread whose call caused the warning, before that
 * returns, and may call the library. NULL: nobody is told. */
typedef void offlink_log_function(void *user, const char *message);
void offlink_log_to(offlink_log_function *function, void *user);

/* Lists all devices in order of preference, as selectors of offlink_device_open.
 * One offlink_free(*selectors) frees the array and the strings. */
offlink_status offlink_device_list(char ***selectors, size_t *count);

/* Opens the first device that the selector names: "host", "host:cpu", "*:gpu",
 * "opencl:1" (the second of that back end). NULL or "" is the default device. */
offlink_status offlink_device_open(const char *selector, offlink_device **device);

/* The device's name. It holds until the device is closed. */
const char *offlink_device_name(const offlink_device *device);

/* The abilities of a device: the answers to OpenCL's clGetDeviceInfo and SYCL's
 * info::device. Sizes are in bytes. A member is 0, or an empty string or list,
 * where the driver does not tell. Lists of strings end with NULL.
 *
 * The library owns the struct. Later versions add members at the end: one is
 * there if it lies within the first `size` bytes. */
typedef struct offlink_device_info {
  size_t size;
  const char *selector; /* "host:0" */
  const char *backend;  /* "host", "opencl", ... */
  const char *type;     /* "cpu", "gpu" or "fpga" */
  const char *name;
  const char *vendor;
  const char *version;
  const char *driver_version;
  const char *platform;
  const char *platform_version;
  const char *const *formats;     /* of images that it takes: "spirv", ... */
  const char *const *il_versions; /* "SPIR-V_1.4", ... */
  const char *const *extensions;  /* OpenCL's names */
  const char *const *aspects;     /* SYCL's names: "fp64", ... */
  uint64_t global_memory, local_memory, max_allocation, constant_memory, cache_size, printf_buffer;
  size_t max_work_group; /* work-items */
  size_t max_work_items[3];
  size_t max_groups[3];
  size_t max_sub_groups; /* of a work-group */
  const size_t *sub_group_sizes;
  size_t sub_group_size_count;
  size_t max_parameters; /* bytes of all arguments */
  size_t memory_alignment, cache_line;
  uint32_t vendor_id;
  uint32_t compute_units, clock_mhz, address_bits;
  uint32_t vector_char, vector_short, vector_int, vector_long, vector_half, vector_float, vector_double;
  uint32_t half_config, single_config, double_config; /* bits of cl_device_fp_config; 0: no such type */
  uint32_t timer_resolution;                          /* nanoseconds */
  uint32_t big_endian, host_unified, local_is_dedicated, error_correction, out_of_order; /* 0 or 1 */
} offlink_device_info;

/* Describes the device, until it is closed; NULL where that fails. */
const offlink_device_info *offlink_device_query(offlink_device *device);

/* 1 if the device has an aspect of SYCL ("fp64") or an extension of OpenCL
 * ("cl_khr_fp64"), else 0. */
int offlink_device_has(offlink_device *device, const char *name);

void offlink_device_close(offlink_device *device);

/* Loads device code from a file: a SPIR-V module (.spv), LLVM IR of device code
 * (.bc, .ll), an object, a program, a shared library or whatever else
 * offload-wrap list reads, but folders and wheels. Its kernels can be opened and its exports are linked
 * from then on, as if a library had been loaded that holds it; its host code is
 * not run. offlink_dlclose_device_code ends that; kernels that were opened stay
 * usable. */
offlink_status offlink_dlopen_device_code(const char *path, offlink_code **code);
void offlink_dlclose_device_code(offlink_code *code);

/* As the module of offlink_kernel_open: the file's own kernels come first. */
const void *offlink_code_module(const offlink_code *code);

/* Lists the kernels of all loaded images: *names becomes an array of *count
 * strings, sorted. One offlink_free(*names) frees the array and the strings. */
offlink_status offlink_kernel_names(char ***names, size_t *count);

/* Frees memory that a function of this header hands out for offlink_free. */
void offlink_free(void *memory);

/* Any address in the calling program or library: "this module". */
#ifdef __cplusplus
#define OFFLINK_HERE (static_cast<const void *>(&offlink_here))
#else
#define OFFLINK_HERE ((const void *)&offlink_here)
#endif
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
  void *reserved; /* NULL */
} offlink_spec_constant;

/* More about the kernel to open. Set size to sizeof(offlink_kernel_options), and
 * unused members to 0. */
typedef struct offlink_kernel_options {
  size_t size;
  /* Constants that are not among them have their defaults, and names that the
   * kernel's images do not have are ignored. */
  const offlink_spec_constant *constants;
  size_t constant_count;
  /* Exported functions to be linked with the kernel, which calls them through
   * pointers (offlink_function_pointer). */
  const char *const *functions;
  size_t function_count;
  unsigned flags; /* of offlink_kernel_flags */
} offlink_kernel_options;

enum offlink_kernel_flags {
  /* Where images define a function differently that the kernel imports, fail
   * with OFFLINK_ERROR_UNRESOLVED; without the flag the first image that was
   * loaded serves, and a warning names both. */
  OFFLINK_KERNEL_REFUSE_DUPLICATES = 1
};

/* offlink_kernel_open with options; NULL: none. */
offlink_status offlink_kernel_open_with(offlink_device *device, const void *module, const char *name,
                                        const offlink_kernel_options *options, offlink_kernel **kernel);

/* The kinds of parameters and of arguments. */
enum offlink_arg_kind {
  OFFLINK_ARG_VALUE = 1,   /* bytes by value */
  OFFLINK_ARG_BUFFER = 2,  /* a pointer to global or constant memory: a buffer */
  OFFLINK_ARG_LOCAL = 3,   /* a pointer to local memory */
  OFFLINK_ARG_POINTER = 4, /* of arguments only: an address, for a parameter of kind BUFFER */
  OFFLINK_ARG_OTHER = 5,   /* of parameters only: an image or the like, which cannot be passed */
  OFFLINK_ARG_UNKNOWN = 6  /* of parameters only: of native code that the driver does not describe */
};

/* One parameter of a kernel. */
typedef struct offlink_parameter {
  int kind;         /* of offlink_arg_kind */
  int removed;      /* 1: the compiler dropped it; any argument is accepted and ignored */
  size_t size;      /* of a value, in bytes; 0: not known */
  const char *type; /* as the source spells it, where known */
  const char *name; /* in the source, where known */
} offlink_parameter;

/* A kernel on its device. Sizes are in bytes; 0 is not known. The library owns
 * it, and later versions add members at the end, as for offlink_device_info. */
typedef struct offlink_kernel_info {
  size_t size;
  const char *name;
  size_t parameter_count;
  const offlink_parameter *const *parameters; /* as the source has them */
  size_t required_group[3];                   /* the local size that the code asks for; 0: any */
  size_t max_group;                           /* work-items of a work-group */
  size_t preferred_multiple;                  /* of the work-items of a work-group */
  uint64_t local_memory;                      /* of a work-group, without arguments */
  uint64_t private_memory;                    /* of a work-item */
  size_t sub_group, required_sub_group;       /* work-items */
} offlink_kernel_info;

/* Describes the kernel, until it is closed; NULL where that fails. */
const offlink_kernel_info *offlink_kernel_query(offlink_kernel *kernel);

/* Stores the pointer to a function of the kernel's images, for arguments and
 * memory of this kernel, which calls it there. OFFLINK_ERROR_UNSUPPORTED where the
 * device has no function pointers, OFFLINK_ERROR_NOT_FOUND for a function without one:
 * functions have pointers if their image exports them and is linked with the kernel
 * (offlink_kernel_options.functions), and the code declares function pointers: on the
 * embedded device the kernel must call through a pointer; OpenCL's drivers want the
 * decoration ReferencedIndirectlyINTEL, which compilers write for functions with the
 * attribute "referenced-indirectly". */
offlink_status offlink_function_pointer(offlink_kernel *kernel, const char *function, uint64_t *pointer);

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

/* Gives the host a view of size bytes of the buffer at offset: the memory
 * itself where the host reaches it, else a copy. flags tell its purpose.
 * Kernels must not use these bytes until offlink_buffer_unmap. */
enum offlink_map_flags { OFFLINK_MAP_READ = 1, OFFLINK_MAP_WRITE = 2 };
offlink_status offlink_buffer_map(offlink_buffer *buffer, size_t offset, size_t size, unsigned flags, void **view);

/* Ends a view, once; bytes written to it reach the buffer. */
offlink_status offlink_buffer_unmap(offlink_buffer *buffer, void *view);

/* Makes a buffer of native memory of the device, by a handle of the kind that
 * offlink_buffer_native gives on it: a CUdeviceptr; on OpenCL an address of unified
 * shared memory (Intel's devices), one of memory that was allocated here (shared
 * virtual memory), or a cl_mem where the device has neither. It stays the
 * caller's, until after the buffer was closed. */
offlink_status offlink_buffer_import(offlink_device *device, uint64_t handle, size_t size, offlink_buffer **buffer);

/* Does not wait: the memory stays until the commands from before have ended. */
void offlink_buffer_close(offlink_buffer *buffer);

/* Store the handle that the native interface has for the object, which keeps
 * owning it. OFFLINK_ERROR_UNSUPPORTED where there is none. */
offlink_status offlink_device_native(offlink_device *device, uint64_t *handle);
offlink_status offlink_kernel_native(offlink_kernel *kernel, uint64_t *handle);
offlink_status offlink_buffer_native(offlink_buffer *buffer, uint64_t *handle);
offlink_status offlink_queue_native(offlink_queue *queue, uint64_t *handle);
offlink_status offlink_event_native(offlink_event *event, uint64_t *handle);

/* One kernel argument; make it with one of the functions below. */
typedef struct offlink_arg {
  int kind; /* one of offlink_arg_kind */
  unsigned reserved;
  const void *value;
  offlink_buffer *buffer;
  size_t size;
  void *reserved_too;
} offlink_arg;

/* An argument passed by value: the size bytes at value, which must stay there
 * until the launch returns. OFFLINK_VALUE(x) passes the variable x. */
OFFLINK_INLINE offlink_arg offlink_arg_value(const void *value, size_t size) {
  offlink_arg arg = {OFFLINK_ARG_VALUE, 0, NULL, NULL, 0, NULL};
  arg.value = value;
  arg.size = size;
  return arg;
}
#define OFFLINK_VALUE(variable) offlink_arg_value(&(variable), sizeof(variable))

/* A pointer to the byte of the buffer at offset. */
OFFLINK_INLINE offlink_arg offlink_arg_buffer_at(offlink_buffer *buffer, size_t offset) {
  offlink_arg arg = {OFFLINK_ARG_BUFFER, 0, NULL, NULL, 0, NULL};
  arg.buffer = buffer;
  arg.size = offset;
  return arg;
}

/* A pointer to the start of the buffer. */
OFFLINK_INLINE offlink_arg offlink_arg_buffer(offlink_buffer *buffer) { return offlink_arg_buffer_at(buffer, 0); }

/* An address of memory from offlink_memory_alloc, or NULL. */
OFFLINK_INLINE offlink_arg offlink_arg_pointer(const void *pointer) {
  offlink_arg arg = {OFFLINK_ARG_POINTER, 0, NULL, NULL, 0, NULL};
  arg.value = pointer;
  return arg;
}

/* A pointer to size bytes of local memory, shared by a work-group. 0 is as good as 1. */
OFFLINK_INLINE offlink_arg offlink_arg_local(size_t size) {
  offlink_arg arg = {OFFLINK_ARG_LOCAL, 0, NULL, NULL, 0, NULL};
  arg.size = size;
  return arg;
}

/* The work-items of a launch, in 1 to 3 dimensions. A size of 0 runs nothing. */
typedef struct offlink_range {
  unsigned dimensions;
  unsigned reserved;
  size_t global[3];
  size_t local[3];  /* divides global, except for kernels of OpenCL C 2.0 and later; all 0: the device chooses */
  size_t offset[3]; /* the first global id */
} offlink_range;

OFFLINK_INLINE offlink_range offlink_range_3d(size_t global0, size_t global1, size_t global2) {
  offlink_range range = {3, 0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  range.global[0] = global0;
  range.global[1] = global1;
  range.global[2] = global2;
  return range;
}

OFFLINK_INLINE offlink_range offlink_range_2d(size_t global0, size_t global1) {
  offlink_range range = offlink_range_3d(global0, global1, 0);
  range.dimensions = 2;
  return range;
}

OFFLINK_INLINE offlink_range offlink_range_1d(size_t global) {
  offlink_range range = offlink_range_3d(global, 0, 0);
  range.dimensions = 1;
  return range;
}

/* Runs the kernel over the range and waits for it. args has arg_count
 * elements, one for each argument in the source. */
offlink_status offlink_launch(offlink_kernel *kernel, offlink_range range, const offlink_arg *args,
                              size_t arg_count);

/* More about a launch. Set size to sizeof(offlink_launch_options), and
 * unused members to 0. */
typedef struct offlink_launch_options {
  size_t size;
  uint64_t timeout; /* nanoseconds, after which the kernel is stopped: OFFLINK_ERROR_TIMEOUT,
                       and offlink_error() names a work-item that ran */
  uint64_t *times;  /* receives the 4 times of offlink_event_times */
} offlink_launch_options;

/* offlink_launch with options; NULL: none. */
offlink_status offlink_launch_with(offlink_kernel *kernel, offlink_range range, const offlink_arg *args,
                                   size_t arg_count, const offlink_launch_options *options);

/* Memory by address. An address may stand in structs and in memory, and kernels
 * may follow it; it is the host's address too for host and shared memory. */
enum offlink_memory_kind { OFFLINK_MEMORY_DEVICE = 1, OFFLINK_MEMORY_HOST = 2, OFFLINK_MEMORY_SHARED = 3 };

/* Allocates size zeroed bytes. */
offlink_status offlink_memory_alloc(offlink_device *device, int kind, size_t size, void **pointer);

/* Frees memory of offlink_memory_alloc when the commands from before have ended;
 * it does not wait for them. NULL does nothing. */
offlink_status offlink_memory_free(offlink_device *device, void *pointer);

/* A queue takes commands and returns. An in-order queue runs them one after
 * another; after a failure, also of a command that blocked and returned it, the
 * commands that follow fail too, up to offlink_queue_finish. */
enum offlink_queue_flags { OFFLINK_QUEUE_OUT_OF_ORDER = 1, OFFLINK_QUEUE_PROFILING = 2 };

offlink_status offlink_queue_create(offlink_device *device, unsigned flags, offlink_queue **queue);

/* Makes a queue of a native one of the device (a cl_command_queue, a CUstream),
 * which stays the caller's. A cl_command_queue must be of the context that the
 * device's own objects have: CL_QUEUE_CONTEXT of offlink_queue_native. */
offlink_status offlink_queue_import(offlink_device *device, uint64_t handle, offlink_queue **queue);

/* Waits for all commands and returns the first failure since the last time. */
offlink_status offlink_queue_finish(offlink_queue *queue);

/* The same for at most so many nanoseconds: OFFLINK_ERROR_TIMEOUT after that. */
offlink_status offlink_queue_finish_for(offlink_queue *queue, uint64_t timeout);

/* Stops the running commands and drops the others; the queue takes no more. */
offlink_status offlink_queue_abort(offlink_queue *queue);

/* Drops everything that has not ended. Drivers that cannot stop commands (those of
 * OpenCL) run them to their end. */
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

/* Queues a launch. Values are copied. Buffers, memory and the kernel may be closed
 * before it has ended, and the library that the kernel is from may be unloaded: they
 * stay for it. */
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

/* Calls a function of the program when the commands before it have ended, on a
 * thread of the library; the commands after it wait for its end. It must not
 * wait for them. It is not called where the call fails without sync->block. */
typedef void offlink_host_function(void *user);
offlink_status offlink_enqueue_host(offlink_queue *queue, offlink_host_function *function, void *user,
                                    const offlink_sync *sync);

/* Makes an event that the program ends, by offlink_event_complete with the
 * outcome, one of offlink_status. A second end does nothing; offlink_event_close
 * without an end fails the event, and so the commands that wait for it. */
offlink_status offlink_event_create(offlink_device *device, offlink_event **event);
offlink_status offlink_event_complete(offlink_event *event, offlink_status outcome);

/* Waits for the command and returns its outcome. */
offlink_status offlink_event_wait(offlink_event *event);

/* The same for at most so many nanoseconds: OFFLINK_ERROR_TIMEOUT after that. */
offlink_status offlink_event_wait_for(offlink_event *event, uint64_t timeout);

/* How far a command is. */
enum offlink_event_state {
  OFFLINK_EVENT_QUEUED = 0,
  OFFLINK_EVENT_SUBMITTED = 1,
  OFFLINK_EVENT_RUNNING = 2,
  OFFLINK_EVENT_COMPLETE = 3,
  OFFLINK_EVENT_FAILED = 4
};
offlink_status offlink_event_status(offlink_event *event, int *state);

/* Has a function called once when the command has ended, on a thread of the
 * library, one call at a time. outcome is the command's and text its error, ""
 * for none. */
typedef void offlink_event_function(void *user, offlink_status outcome, const char *text);
offlink_status offlink_event_on_done(offlink_event *event, offlink_event_function *function, void *user);

/* When the command was queued, submitted, started and ended, in nanoseconds on
 * the device's clock. Its queue needs OFFLINK_QUEUE_PROFILING. */
offlink_status offlink_event_times(offlink_event *event, uint64_t times[4]);

void offlink_event_close(offlink_event *event);

/* Copies between host memory and a device global, by its unique name, at
 * offset. Done when the call returns. */
offlink_status offlink_global_read(offlink_device *device, const char *name, size_t offset, void *data, size_t size);
offlink_status offlink_global_write(offlink_device *device, const char *name, size_t offset, const void *data,
                                    size_t size);

/* The same by the address of the host's object, for device globals that DPC++'s
 * host code registered. */
offlink_status offlink_global_read_host(offlink_device *device, const void *object, size_t offset, void *data,
                                        size_t size);
offlink_status offlink_global_write_host(offlink_device *device, const void *object, size_t offset, const void *data,
                                         size_t size);

/* Makes the object of the program at an address stand for the device global of
 * a unique name, as the host code of DPC++ does. Before or after the images. */
void offlink_global_register(const void *object, const char *name);
void offlink_global_unregister(const void *object);

#ifdef __cplusplus
}
#endif

#endif
