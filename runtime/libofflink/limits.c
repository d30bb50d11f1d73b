/* limits.c: whether this process may have the resources that the core takes.
 *
 * The core's Go runtime ends the process where it gets one of them and not the
 * next. So all of them are asked for before it is opened, and given back.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim.h"

/* 1.1 GiB are for tables that stay empty, 64 MiB are taken whenever the heap grows,
 * and each thread takes up to 136 MiB. Of these, 200 MiB are made writable. */
#define ADDRESS_SPACE ((size_t)2304 << 20)
#define WRITABLE ((size_t)256 << 20)

static offlink_status check_memory(void) {
  void *room = mmap(NULL, ADDRESS_SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    return offlink_fail(OFFLINK_ERROR_RUNTIME, "the runtime needs 2.25 GiB of address space, and this process may not have it; raise ulimit -v");
  int failed = mprotect(room, WRITABLE, PROT_READ | PROT_WRITE);
  munmap(room, ADDRESS_SPACE);
  if (failed)
    return offlink_fail(OFFLINK_ERROR_RUNTIME, "the runtime needs 256 MiB of memory that can be written, and this process may not have it; raise ulimit -d");
  return OFFLINK_OK;
}

/* Two stay open. */
enum { DESCRIPTORS = 6 };

static offlink_status check_descriptors(void) {
  int opened[DESCRIPTORS], count = 0, failed = 0;
  while (count < DESCRIPTORS && (opened[count] = eventfd(0, EFD_CLOEXEC)) >= 0)
    count++;
  if (count < DESCRIPTORS)
    failed = errno;
  while (count > 0)
    close(opened[--count]);
  if (failed != EMFILE && failed != ENFILE)
    return OFFLINK_OK;
  return offlink_fail(OFFLINK_ERROR_RUNTIME, "the runtime needs %d descriptors, and this process cannot open them: %s; raise ulimit -n",
                      DESCRIPTORS, strerror(failed));
}

/* One thread is for each processor, and up to seven others are there. On machines of
 * many processors not all of them are tried, as that takes time. */
enum { OTHER_THREADS = 8, TRIED_PROCESSORS = 24 };

static void *wait_at(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

/* 0, or why the process cannot have so many threads more. */
static int try_threads(int count) {
  pthread_t threads[OTHER_THREADS + TRIED_PROCESSORS];
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_attr_t attributes;
  sigset_t all, saved;
  int started = 0, failed = pthread_attr_init(&attributes);
  if (failed)
    return failed;
  pthread_attr_setstacksize(&attributes, 128 << 10);
  pthread_mutex_lock(&gate);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &saved); /* in the threads too */
  while (started < count && !(failed = pthread_create(&threads[started], &attributes, wait_at, &gate)))
    started++;
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
  pthread_sigmask(SIG_SETMASK, &saved, NULL);
  pthread_attr_destroy(&attributes);
  return failed == EINVAL ? 0 : failed; /* the program's thread_local variables need a larger stack */
}

static offlink_status check_threads(void) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  int count = OTHER_THREADS + (processors < 1 ? 1 : processors < TRIED_PROCESSORS ? (int)processors : TRIED_PROCESSORS);
  int failed = try_threads(count);
  if (!failed)
    return OFFLINK_OK;
  return offlink_fail(OFFLINK_ERROR_RUNTIME, "the runtime needs %d threads, and this process cannot start them: %s; raise ulimit -u, or the limit of its container",
                      count, strerror(failed));
}

offlink_status offlink_check_limits(void) {
  offlink_status status = sizeof(void *) > 4 ? check_memory() : OFFLINK_OK;
  if (!status)
    status = check_descriptors();
  return status ? status : check_threads();
}
