/* direct.h: the structs of direct.c, which Go fills in (direct.go). */
#ifndef OFFLINK_DIRECT_H
#define OFFLINK_DIRECT_H

#include "core.h"

/* Functions with the signatures of OpenCL's (driver.DirectCalls); they return 0 for
 * success. */
typedef int offlink_set_value(void *kernel, unsigned index, size_t size, const void *value);
typedef int offlink_set_address(void *kernel, unsigned index, uint64_t address);
typedef int offlink_native_launch(void *queue, void *kernel, unsigned dimensions, const size_t *offset,
                                  const size_t *global, const size_t *local, unsigned after_count,
                                  void *const *after, void **event);
typedef int offlink_native_copy(void *queue, unsigned block, void *to, const void *from, size_t size,
                                unsigned after_count, void *const *after, void **event);
typedef int offlink_native_wait(unsigned count, void *const *events);
typedef int offlink_native_object(void *object);

/* A launch whose result nobody has asked for: driver.UntoldLaunch. */
struct offlink_direct_untold {
  __attribute__((aligned(8))) uint64_t event; /* 0: free, 1: someone works at it */
  __attribute__((aligned(8))) uint64_t number;
};
enum { OFFLINK_UNTOLD = 32 };

/* The state of a queue: driver.QueueState. */
struct offlink_direct_state {
  uint32_t allowed, padding;
  __attribute__((aligned(8))) uint64_t submitted; /* counted after the driver's call */
  __attribute__((aligned(8))) uint64_t ended;     /* of those, from the first on */
  struct offlink_direct_untold untold[OFFLINK_UNTOLD];
};

/* Queues for calls that wait, one call at a time each; a call that finds none idle
 * goes through Go. */
enum { OFFLINK_LANES = 4 };

struct offlink_direct_device {
  offlink_set_value *set_value;
  offlink_set_address *set_address; /* NULL where memory has no addresses */
  offlink_native_launch *launch;
  offlink_native_copy *copy; /* NULL as set_address */
  offlink_native_wait *wait;
  offlink_native_object *release, *finish;
  unsigned lanes; /* grows */
  struct {
    uint32_t busy;
    void *queue;
    struct offlink_direct_state state;
  } lane[OFFLINK_LANES];
};

enum offlink_direct_kind {
  OFFLINK_DIRECT_DROPPED, /* the device code does not have the parameter */
  OFFLINK_DIRECT_VALUE,
  OFFLINK_DIRECT_LOCAL,
  OFFLINK_DIRECT_BUFFER
};

/* A parameter with the argument that the driver's kernel has. */
struct offlink_direct_parameter {
  int kind;
  unsigned index;       /* in the device code */
  size_t size;          /* of a value */
  unsigned char *value; /* the present one: size bytes */
  uint64_t present;     /* the address, or the bytes of local memory */
  int set;              /* there is a present one */
};

/* Ranges that Go has found to fit the kernel. */
enum { OFFLINK_RANGES = 4 };

struct offlink_direct_kernel {
  uint32_t lock, epoch; /* driver.ArgumentGuard; the lock guards the rest too */
  uint32_t seen_epoch;  /* epoch when the present arguments were set */
  uint64_t seen_freed;  /* offlink_direct_freed when memories were last set */
  struct offlink_direct_device *device;
  void *kernel;
  unsigned ranges, next_range;
  offlink_range range[OFFLINK_RANGES];
  size_t count;
  struct offlink_direct_parameter parameters[];
};

struct offlink_direct_queue {
  struct offlink_direct_state state;
  struct offlink_direct_device *device;
  void *queue;
};
enum { OFFLINK_DIRECT_LAUNCHES = 1, OFFLINK_DIRECT_FINISH = 2 };

/* Counts the memories that the program has given back: drivers give their addresses
 * to later ones, which must be set again. */
extern uint64_t offlink_direct_freed;

/* Make no call from now on. Returns whether none is under way. */
int offlink_direct_end(void);

/* Notes that the range fits the kernel. */
void offlink_direct_allow(struct offlink_direct_kernel *kernel, const offlink_range *range);

/* Makes the call, or returns OFFLINK_CALL_ELSEWHERE, with nothing done; or with
 * another call in its place, which tells how it failed. */
int offlink_serve_direct(struct offlink_call *call);

#endif
