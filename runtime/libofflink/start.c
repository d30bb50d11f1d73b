/* start.c: opens libofflink-core.so, which lies next to this library, on
 * first use.
 *
 * The path is taken in a constructor: a program that was linked against a
 * relative path may change its folder before it first calls us.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

#define CORE_NAME "libofflink-core.so"

enum start_state { IDLE, STARTING, RUNNING, FORKED, ENDED };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t started = PTHREAD_COND_INITIALIZER;
static enum start_state state; /* changed under mutex, read without */
static char core_path[PATH_MAX];
static offlink_core_function *core;
static int uses; /* of devices by this library itself */
static int exiting; /* exit handlers of drivers may have run */
static int main_ended; /* the main thread is in exit, or in pthread_exit */

static void find_core(void) {
  Dl_info self;
  char real[PATH_MAX];
  if (!dladdr((void *)&core, &self) || !self.dli_fname || !realpath(self.dli_fname, real))
    return;
  size_t folder = strrchr(real, '/') + 1 - real;
  if (folder + sizeof CORE_NAME > sizeof core_path)
    return;
  memcpy(core_path, real, folder);
  memcpy(core_path + folder, CORE_NAME, sizeof CORE_NAME);
}

static void before_fork(void) {
  pthread_mutex_lock(&mutex);
  offlink_records_lock();
}

static void after_fork_parent(void) {
  offlink_records_unlock();
  pthread_mutex_unlock(&mutex);
}

/* The core's threads do not exist in the child: it must not be called there. */
static void after_fork_child(void) {
  offlink_records_after_fork();
  pthread_mutex_init(&mutex, NULL);
  pthread_cond_init(&started, NULL);
  if (state == STARTING || state == RUNNING)
    __atomic_store_n(&state, FORKED, __ATOMIC_RELEASE);
}

/* The first part of the end. Handlers of exit run in the reverse order of their
 * registration. This one is registered whenever a driver may have registered
 * handlers of its own, and so runs before those: a driver that is called after
 * them crashes. */
static void end_drivers(void) {
  __atomic_store_n(&exiting, 1, __ATOMIC_SEQ_CST);
  offlink_core_function *running = offlink_running();
  if (running)
    running(&(struct offlink_call){.function = OFFLINK_CORE_END_DRIVERS});
}

void offlink_expect_exit(void) { atexit(end_drivers); }

int offlink_drivers_ended(void) { return __atomic_load_n(&exiting, __ATOMIC_SEQ_CST); }

/* Drivers that another runtime has opened end silently. exit begins with the
 * destructors of the main thread's thread_local objects, so one of those tells of
 * it; handlers of exit that are registered before main would run too late, after
 * the destructors of all libraries. glibc alone has the function. */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void main_thread_ends(void *unused) {
  (void)unused;
  __atomic_store_n(&main_ended, 1, __ATOMIC_SEQ_CST);
}

static void watch_main_thread(void) {
  if (__cxa_thread_atexit_impl && syscall(SYS_gettid) == getpid())
    __cxa_thread_atexit_impl(main_thread_ends, NULL, &__dso_handle);
}

/* Whether the main thread is gone for good: pthread_exit ended it, and the process
 * goes on. In exit it still runs. */
static int main_thread_is_gone(void) {
  char line[512], *end;
  FILE *stat = fopen("/proc/self/stat", "re");
  size_t size = stat ? fread(line, 1, sizeof line - 1, stat) : 0;
  if (stat)
    fclose(stat);
  line[size] = 0;
  end = strrchr(line, ')'); /* of the command, which may have any character */
  return end && end[1] == ' ' && end[2] == 'Z';
}

int offlink_exit_has_begun(void) {
  return offlink_drivers_ended() || (__atomic_load_n(&main_ended, __ATOMIC_SEQ_CST) && !main_thread_is_gone());
}

__attribute__((constructor)) static void construct(void) {
  find_core();
  watch_main_thread();
  pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* The second part of the end: caches, programs and the embedded device. Other
 * destructors of this library, which have no number or a higher one, come before.
 * Images that were linked without -lofflink unregister after this: they find
 * no running core. */
__attribute__((destructor(110))) static void destruct(void) {
  offlink_core_function *running = offlink_running();
  if (!running)
    return;
  __atomic_store_n(&state, ENDED, __ATOMIC_SEQ_CST);
  offlink_records_end();
  if (!__atomic_load_n(&uses, __ATOMIC_SEQ_CST))
    running(&(struct offlink_call){.function = OFFLINK_CORE_SHUTDOWN});
}

/* The state is read after the use is counted, and destruct counts the uses after
 * it has changed the state: one of the two sees the other. */
int offlink_begin_use(void) {
  __atomic_add_fetch(&uses, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&state, __ATOMIC_SEQ_CST) == RUNNING)
    return 1;
  offlink_end_use();
  return 0;
}

void offlink_end_use(void) { __atomic_sub_fetch(&uses, 1, __ATOMIC_RELEASE); }

offlink_core_function *offlink_running(void) {
  return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == RUNNING ? core : NULL;
}

/* The library stays open for good: a Go library cannot be closed. */
static void *open_library(void) {
  struct offlink_signals saved;
  offlink_signals_block(&saved);
  void *library = dlopen(core_path, RTLD_NOW | RTLD_LOCAL);
  offlink_signals_restore(&saved);
  return library;
}

static offlink_status open_core(void) {
  offlink_status limits = offlink_check_limits();
  if (limits)
    return limits;
  if (!core_path[0])
    return offlink_fail(OFFLINK_ERROR_RUNTIME, "the path of libofflink.so could not be found out");
  void *library = open_library();
  if (!library)
    return offlink_fail(OFFLINK_ERROR_RUNTIME, "the runtime could not be started: %s; it belongs next to libofflink.so",
                        dlerror());
  const int *abi = dlsym(library, "offlink_core_abi");
  if (!abi || *abi != OFFLINK_CORE_ABI)
    return offlink_fail(OFFLINK_ERROR_RUNTIME, "%s is of another version than libofflink.so; install both together",
                        core_path);
  *(void **)&core = dlsym(library, "offlink_core_call");
  if (!core)
    return offlink_fail(OFFLINK_ERROR_RUNTIME, "%s lacks offlink_core_call; install it again", core_path);
  offlink_records_begin(core);
  return OFFLINK_OK;
}

/* Called with mutex held; lets go of it while the loader works. */
static offlink_status start_locked(void) {
  while (state == STARTING)
    pthread_cond_wait(&started, &mutex);
  if (state == RUNNING)
    return OFFLINK_OK;
  if (state == FORKED)
    return offlink_fail(OFFLINK_ERROR_FORKED,
                        "this process was forked after the runtime had started; start it in the child only, or exec");
  if (state == ENDED)
    return offlink_fail(OFFLINK_ERROR_RUNTIME, "the runtime has ended with the program");
  __atomic_store_n(&state, STARTING, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&mutex);
  offlink_status status = open_core();
  pthread_mutex_lock(&mutex);
  __atomic_store_n(&state, status ? IDLE : RUNNING, __ATOMIC_RELEASE);
  pthread_cond_broadcast(&started);
  return status;
}

offlink_core_function *offlink_start(offlink_status *status) {
  *status = OFFLINK_OK;
  if (!offlink_running()) {
    pthread_mutex_lock(&mutex);
    *status = start_locked();
    pthread_mutex_unlock(&mutex);
  }
  if (*status)
    return NULL;
  offlink_records_replay();
  return core;
}
