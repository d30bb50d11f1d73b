/* core.h: how libofflink.so calls libofflink-core.so. Private to the two.
 *
 * The core exports two symbols: offlink_core_abi and offlink_core_call. A call
 * is a struct that the caller fills in and keeps until the function returns;
 * it runs on a thread of the core while the caller waits in C, or, if it is
 * quick, on the caller's.
 */
#ifndef OFFLINK_CORE_H
#define OFFLINK_CORE_H

#include "offlink/offlink.h"

/* Changes with any change below; both sides compare it. */
#define OFFLINK_CORE_ABI 7

/* A number that the core gave out, never 0. */
typedef uint64_t offlink_handle;

/* The functions of the core, with the fields of struct offlink_call that each
 * reads and, after the arrow, stores on success. */
enum offlink_function {
  /* data (a descriptor), base and text (the module that holds it) -> created.
   * The tree is read now; the bytes of images may be read until
   * OFFLINK_CORE_DROP_IMAGES has returned. created is 0 for a descriptor that
   * could not be read. */
  OFFLINK_CORE_ADD_IMAGES,
  OFFLINK_CORE_DROP_IMAGES,   /* object */
  OFFLINK_CORE_DEVICE_OPEN,   /* text (a selector) -> created, name */
  OFFLINK_CORE_KERNEL_NAMES,  /* -> names, count */
  /* object (a device), base, text (a name), constants, functions, flags
   * -> created, count (of arguments) */
  OFFLINK_CORE_KERNEL_OPEN,
  OFFLINK_CORE_BUFFER_CREATE, /* object (a device), data, size -> created, address where the host reaches it */
  OFFLINK_CORE_BUFFER_READ,   /* object (a buffer), offset, data, size */
  OFFLINK_CORE_BUFFER_WRITE,  /* object (a buffer), offset, data, size */
  OFFLINK_CORE_LAUNCH,        /* object (a kernel), range, args, arg_count, timeout, has_times -> times */
  OFFLINK_CORE_CLOSE,         /* object */
  OFFLINK_CORE_SHUTDOWN,

  OFFLINK_CORE_MEMORY_ALLOC, /* object (a device), flags (a kind), size -> address */
  OFFLINK_CORE_MEMORY_FREE,  /* object (a device), data (the address) */
  OFFLINK_CORE_QUEUE_CREATE, /* object (a device), flags -> created */
  OFFLINK_CORE_QUEUE_FINISH, /* object (a queue), timeout */
  OFFLINK_CORE_QUEUE_ABORT,  /* object (a queue) */
  /* object (a queue) and the fields for events -> created, with event set */
  OFFLINK_CORE_ENQUEUE_LAUNCH,  /* kernel, range, args, arg_count */
  OFFLINK_CORE_ENQUEUE_COPY,    /* data (to), base (from), size */
  OFFLINK_CORE_ENQUEUE_FILL,    /* data (to), size, base (the pattern), pattern_size */
  OFFLINK_CORE_ENQUEUE_BARRIER, /* nothing more */
  OFFLINK_CORE_ENQUEUE_HOST,    /* host, data */
  OFFLINK_CORE_EVENT_WAIT,      /* object (an event), timeout */
  OFFLINK_CORE_EVENT_TIMES,     /* object (an event) -> times */
  OFFLINK_CORE_GLOBAL_READ,     /* object (a device), text (a name) or base (its object), offset, data, size */
  OFFLINK_CORE_GLOBAL_WRITE,    /* the same */

  OFFLINK_CORE_DEVICE_LIST,      /* -> names, count */
  OFFLINK_CORE_DEVICE_QUERY,     /* object (a device) -> address (an offlink_device_info from malloc) */
  OFFLINK_CORE_KERNEL_QUERY,     /* object (a kernel) -> address (an offlink_kernel_info from malloc) */
  OFFLINK_CORE_FUNCTION_POINTER, /* object (a kernel), text (a name) -> number */
  OFFLINK_CORE_NATIVE_HANDLE,    /* object -> number */
  OFFLINK_CORE_BUFFER_IMPORT,    /* object (a device), number, size -> created, address as for BUFFER_CREATE */
  OFFLINK_CORE_QUEUE_IMPORT,     /* object (a device), number -> created */
  OFFLINK_CORE_CODE_OPEN,        /* text (a path) -> created, address (as base of KERNEL_OPEN) */
  OFFLINK_CORE_EVENT_CREATE,     /* object (a device) -> created */
  OFFLINK_CORE_EVENT_COMPLETE,   /* object (an event), flags (a status) */
  OFFLINK_CORE_EVENT_STATUS,     /* object (an event) -> number */
  OFFLINK_CORE_EVENT_ON_DONE,    /* object (an event), on_done, data */
  OFFLINK_CORE_ADD_GLOBAL,       /* base (the host's object), text (a name) */
  OFFLINK_CORE_DROP_GLOBAL,      /* base */

  /* The exit of the process is under way: drivers are not called any more, as
   * their own exit handlers come next. The embedded device goes on. */
  OFFLINK_CORE_END_DRIVERS,

  /* The core's own: object (a kernel), number (its native event), flags (the driver's
   * status of the wait for it) */
  OFFLINK_CORE_LAUNCH_FAILED
};

/* The core's means to call a driver from C (direct.c of the core). libofflink.so
 * keeps them with its objects and passes them on; NULL where there are none. */
struct offlink_direct_device;
struct offlink_direct_kernel;
struct offlink_direct_queue;

/* Where the memory of a buffer lies on its device. */
struct offlink_direct_memory {
  struct offlink_direct_device *device;
  uint64_t address; /* or the driver's object, where memory has no addresses */
};

/* offlink_arg with the buffer's handle, memory and size. */
struct offlink_core_arg {
  int kind;
  const void *value;
  offlink_handle buffer;
  size_t size;
  struct offlink_direct_memory memory;
  size_t length;
};

struct offlink_call {
  int function; /* one of enum offlink_function */

  /* The call is expected to take microseconds: it may run on the caller's
   * thread. OFFLINK_CORE_LAUNCH, OFFLINK_CORE_QUEUE_FINISH and
   * OFFLINK_CORE_DEVICE_OPEN store the expectation for the next launch of the
   * kernel, for the next wait for the queue, and for commands of the device. */
  int quick;
  int watched; /* it may enter a driver, where it can stay */
  int here;    /* the core's: it does run there */

  offlink_handle object;
  const void *base; /* the load address of a module, or NULL */
  const char *text;
  size_t length; /* of the buffer, for OFFLINK_CORE_BUFFER_READ and _WRITE */
  void *data; /* memory of the host program, written to by OFFLINK_CORE_BUFFER_READ only */
  size_t offset, size;
  offlink_range range;
  const struct offlink_core_arg *args;
  size_t arg_count;
  const offlink_spec_constant *constants;
  size_t constant_count;
  const char *const *functions;
  size_t function_count;
  uint64_t number; /* in and out */

  int has_timeout;
  uint64_t timeout; /* nanoseconds */
  int has_times;
  offlink_host_function *host;
  offlink_event_function *on_done;

  /* The fields for events: those that the command waits for, whether it gives
   * one, and whether the call waits for its end. */
  const offlink_handle *after;
  size_t after_count;
  int event, block;
  offlink_handle kernel;
  /* The command takes a moment: it may run on the caller's thread if the queue
   * is idle. OFFLINK_CORE_ENQUEUE_LAUNCH stores the expectation for the next. */
  int short_command;
  unsigned flags;
  size_t pattern_size;

  int exit_begun; /* of DEVICE_OPEN and DEVICE_LIST: drivers of others may have ended */
  /* Stored: the call may have had a driver load libraries, whose exit handlers
   * run before those that the program has registered up to now. */
  int driver_grew;

  /* In: of the object, or of the kernel and the queue. Out: LAUNCH and ENQUEUE_LAUNCH
   * store the kernel's, QUEUE_CREATE and QUEUE_IMPORT the queue's, BUFFER_CREATE and
   * BUFFER_IMPORT the memory. */
  struct offlink_direct_kernel *direct_kernel;
  struct offlink_direct_queue *direct_queue;
  struct offlink_direct_memory memory;

  void *address;
  uint64_t times[4];
  offlink_handle created;
  char *name;   /* from malloc; the caller's */
  char **names; /* one block from malloc; the caller's */
  size_t count;
  char *error;    /* where the call failed: the text, from malloc; the caller's */
  char *warnings; /* each ended by a zero, the last by two, from malloc; the caller's */
};

/* Makes a call and waits for its end. Returns its offlink_status. It is not a
 * cancellation point. */
typedef int offlink_core_function(struct offlink_call *call);

#endif
