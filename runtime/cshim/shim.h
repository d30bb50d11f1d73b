/* shim.h: the parts of libofflink.so among themselves.
 *
 *   recorder.c  remembers what constructors register; starts nothing
 *   start.c     opens libofflink-core.so on first use
 *   api.c       the functions of offlink.h
 */
#ifndef OFFLINK_SHIM_H
#define OFFLINK_SHIM_H

#include "core.h"

#define OFFLINK_EXPORT __attribute__((visibility("default")))

/* The functions of the core. */
struct core {
#define OFFLINK_FIELD(result, name, parameters) result(*name) parameters;
  OFFLINK_CORE_FUNCTIONS(OFFLINK_FIELD)
#undef OFFLINK_FIELD
};

/* Starts the core if it is not yet, and hands it what was registered since
 * the last call. Returns NULL with *status and the error text set where that
 * cannot be. */
const struct core *offlink_start(offlink_status *status);

/* The core if it runs in this process and may still be called, else NULL. */
const struct core *offlink_running(void);

/* Hands every pending record to the core. */
void offlink_replay(const struct core *core);

/* The load address of the module that holds the address, or NULL. */
void *offlink_module_base(const void *address);

/* Keeps other threads away from the records across a fork. */
void offlink_records_lock(void);
void offlink_records_unlock(void);
void offlink_records_after_fork(void);

/* Stores a printf text as this thread's error, and returns status. */
__attribute__((format(printf, 2, 3)))
offlink_status offlink_fail(offlink_status status, const char *format, ...);

/* Passes on what a function of the core returned. Where that failed, *text, from
 * malloc, becomes this thread's error. (It is passed by address, as it is set
 * while the arguments of this call are evaluated.) */
offlink_status offlink_result(int status, char **text);

#endif
