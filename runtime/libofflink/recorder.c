/* recorder.c: __sycl_register_lib and __sycl_unregister_lib, which the
 * constructors and destructors of wrapped objects call.
 *
 * Registering only records: constructors run in many orders, some before this
 * library's own, some while the loader's lock is held, and code of the core
 * or of a driver may not run there. The records are handed to the core on the
 * next use of it.
 *
 * Unregistering is followed by the unmapping of the images. It returns only
 * when nobody will read them any more.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

enum record_state {
  RECORD_PENDING,   /* the core does not know of it */
  RECORD_REPLAYING, /* a thread is handing it over */
  RECORD_KNOWN      /* the core has it, under handle */
};

struct record {
  struct record *previous, *next;
  enum record_state state;
  offlink_handle handle;
  void *descriptor;
  void *base;  /* load address of the module that holds the descriptor */
  char file[]; /* and its path */
};

/* Statically initialised, as constructors may come before ours. Nothing that
 * could register or unregister is called while mutex is held. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t replayed = PTHREAD_COND_INITIALIZER;
static struct record *first, *last;
/* The oldest record that is pending; all later ones are pending too. */
static struct record *pending;
static size_t replaying;
/* The core that has the known records; NULL while it must not be called. */
static offlink_core_function *core;

void offlink_records_lock(void) { pthread_mutex_lock(&mutex); }
void offlink_records_unlock(void) { pthread_mutex_unlock(&mutex); }

/* In the child only the forking thread is left, so nobody is replaying. */
void offlink_records_after_fork(void) {
  pthread_mutex_init(&mutex, NULL);
  pthread_cond_init(&replayed, NULL);
  for (struct record *r = first; r; r = r->next)
    if (r->state == RECORD_REPLAYING)
      r->state = RECORD_KNOWN;
  replaying = 0;
  offlink_records_end();
}

void offlink_records_begin(offlink_core_function *running) { __atomic_store_n(&core, running, __ATOMIC_RELEASE); }
void offlink_records_end(void) { __atomic_store_n(&core, NULL, __ATOMIC_RELEASE); }

void *offlink_module_base(const void *address) {
  Dl_info module;
  return address && dladdr(address, &module) ? module.dli_fbase : NULL;
}

static struct record *new_record(void *descriptor) {
  Dl_info module = {0};
  if (!dladdr(descriptor, &module) || !module.dli_fname)
    module.dli_fname = "unknown module";
  size_t length = strlen(module.dli_fname) + 1;
  struct record *r = calloc(1, sizeof *r + length);
  if (!r)
    return NULL;
  r->descriptor = descriptor;
  r->base = module.dli_fbase;
  memcpy(r->file, module.dli_fname, length);
  return r;
}

static void append(struct record *r) {
  r->previous = last;
  *(last ? &last->next : &first) = r;
  last = r;
  if (!pending)
    pending = r;
}

static void detach(struct record *r) {
  *(r->previous ? &r->previous->next : &first) = r->next;
  *(r->next ? &r->next->previous : &last) = r->previous;
  if (r == pending)
    pending = r->next;
}

/* From the end: at exit, the latest goes first. */
static struct record *find(void *descriptor) {
  struct record *r = last;
  while (r && r->descriptor != descriptor)
    r = r->previous;
  return r;
}

OFFLINK_EXPORT void __sycl_register_lib(void *descriptor) {
  struct record *r = descriptor ? new_record(descriptor) : NULL;
  if (!r)
    return;
  pthread_mutex_lock(&mutex);
  append(r);
  pthread_mutex_unlock(&mutex);
}

OFFLINK_EXPORT void __sycl_unregister_lib(void *descriptor) {
  pthread_mutex_lock(&mutex);
  struct record *r = find(descriptor);
  while (r && r->state == RECORD_REPLAYING) {
    /* The core is reading the tree; it needs no lock of the loader for that,
     * so this wait ends even inside dlclose. */
    pthread_cond_wait(&replayed, &mutex);
    r = find(descriptor);
  }
  if (r)
    detach(r);
  pthread_mutex_unlock(&mutex);
  offlink_core_function *running = __atomic_load_n(&core, __ATOMIC_ACQUIRE);
  if (running && r && r->state == RECORD_KNOWN)
    running(&(struct offlink_call){.function = OFFLINK_CORE_DROP_IMAGES, .object = r->handle});
  free(r);
}

/* Tells the core of one record, without the mutex. */
static void hand_over(struct record *r, offlink_core_function *to) {
  struct offlink_call call = {
      .function = OFFLINK_CORE_ADD_IMAGES, .data = r->descriptor, .base = r->base, .text = r->file};
  if (to(&call))
    free(call.error);
  r->handle = call.created;
}

void offlink_records_replay(void) {
  offlink_core_function *running = __atomic_load_n(&core, __ATOMIC_ACQUIRE);
  pthread_mutex_lock(&mutex);
  while (running && pending) {
    struct record *r = pending;
    pending = r->next;
    r->state = RECORD_REPLAYING;
    replaying++;
    pthread_mutex_unlock(&mutex);
    hand_over(r, running);
    pthread_mutex_lock(&mutex);
    r->state = RECORD_KNOWN;
    replaying--;
    pthread_cond_broadcast(&replayed);
  }
  while (replaying) /* by another thread: what it hands over counts too */
    pthread_cond_wait(&replayed, &mutex);
  pthread_mutex_unlock(&mutex);
}
