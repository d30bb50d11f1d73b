/* shim.h: the parts of libofflink.so. Each calls only those above it:
 *
 *   error.c     the error text of each thread
 *   limits.c    whether the process may have the resources that the core takes
 *   signals.c   keeps the core's threads and the program's signal handlers apart
 *   recorder.c  remembers images that constructors register; starts nothing
 *   start.c     opens libofflink-core.so on first use
 *   log.c       warnings of the core, for the program
 *   call.c      how the functions of offlink.h call the core (objects.h)
 *   version.c, device.c, kernel.c, buffer.c, queue.c, command.c, global.c
 *               the functions of offlink.h
 */
#ifndef OFFLINK_SHIM_H
#define OFFLINK_SHIM_H

#include <signal.h>

#include "core.h"

#define OFFLINK_EXPORT __attribute__((visibility("default")))

/* error.c */

/* Stores a printf text as this thread's error, and returns status. */
__attribute__((format(printf, 2, 3)))
offlink_status offlink_fail(offlink_status status, const char *format, ...);

/* Makes text, from malloc or NULL, this thread's error, and returns status. */
offlink_status offlink_fail_text(offlink_status status, char *text);

/* limits.c */

/* OFFLINK_OK, or OFFLINK_ERROR_RUNTIME with the resource that the process may not
 * have as its error. Before the core is opened. */
offlink_status offlink_check_limits(void);

/* signals.c */

/* The state to put back after the core was opened. */
struct offlink_signals {
  sigset_t mask;
  struct sigaction actions[NSIG];
};

/* Before the core is opened: blocks signals, as its threads inherit the mask. */
void offlink_signals_block(struct offlink_signals *saved);

/* After that: restores the thread's mask and the program's handlers. */
void offlink_signals_restore(const struct offlink_signals *saved);

/* log.c */

/* Passes on warnings of the core, each ended by a zero, the last by two, from
 * malloc; NULL for none. */
void offlink_log(char *warnings);

/* recorder.c */

/* The core runs: records go to it, and it hears of unregistered ones. */
void offlink_records_begin(offlink_core_function *core);

/* The core must not be called any more. */
void offlink_records_end(void);

/* Hands every pending record to the core. */
void offlink_records_replay(void);

/* Keeps other threads away from the records across a fork. */
void offlink_records_lock(void);
void offlink_records_unlock(void);
void offlink_records_after_fork(void);

/* The load address of the module that holds the address, or NULL. */
void *offlink_module_base(const void *address);

/* start.c */

/* Starts the core if it is not yet, and hands it the images registered since
 * the last call. Where that cannot be, it returns NULL, with *status and the
 * error text set. */
offlink_core_function *offlink_start(offlink_status *status);

/* Keeps the devices from being closed at exit, until offlink_end_use. 0 where
 * the core does not run or has ended. */
int offlink_begin_use(void);
void offlink_end_use(void);

/* Has drivers told of the exit of the process before it comes to the handlers that
 * are registered now. */
void offlink_expect_exit(void);

/* Whether the exit of the process is under way, as far as can be told. */
int offlink_exit_has_begun(void);

/* Whether drivers may have ended: their memory must not be touched. */
int offlink_drivers_ended(void);

/* The core if it runs in this process and may still be called, else NULL. */
offlink_core_function *offlink_running(void);

#endif
