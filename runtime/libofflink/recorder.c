/* recorder.c: __sycl_register_lib and __sycl_unregister_lib, which the
 * constructors and destructors of wrapped objects call, and the registration of
 * device globals by DPC++'s host code.
 *
 * Registering only records: constructors run in many orders, some before this
 * library's own, some while the loader's lock is held, and code of the core
 * or of a driver may not run there. The records are handed to the core on the
 * next use of it.
 *
 * In a program that has loaded this library before libsycl the same calls of
 * SYCL's objects come here. They are passed on, so that both have the images.
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

enum record_kind { RECORD_IMAGES, RECORD_GLOBAL };

struct record {
  struct record *previous, *next;
  enum record_kind kind;
  enum record_state state;
  offlink_handle handle;
  void *object; /* the descriptor, or the host's object of a device global */
  void *base;   /* load address of the module that holds it */
  char text[];  /* the module's path; the unique name of a device global */
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
  if ((uintptr_t)address >> 63) /* stands for a file (offlink_code_module) */
    return (void *)address;
  return address && dladdr(address, &module) ? module.dli_fbase : NULL;
}

/* text is NULL for the path of the module. */
static struct record *new_record(enum record_kind kind, void *object, const char *text) {
  Dl_info module = {0};
  if (!dladdr(object, &module) || !module.dli_fname)
    module.dli_fname = "unknown module";
  if (!text)
    text = module.dli_fname;
  size_t length = strlen(text) + 1;
  struct record *r = calloc(1, sizeof *r + length);
  if (!r)
    return NULL;
  r->kind = kind;
  r->object = object;
  r->base = module.dli_fbase;
  memcpy(r->text, text, length);
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
static struct record *find(enum record_kind kind, const void *object) {
  struct record *r = last;
  while (r && (r->object != object || r->kind != kind))
    r = r->previous;
  return r;
}

static struct record *global_of_module(const void *base) {
  struct record *r = last;
  while (r && (r->kind != RECORD_GLOBAL || r->base != base))
    r = r->previous;
  return r;
}

static void add_record(enum record_kind kind, void *object, const char *text) {
  struct record *r = object ? new_record(kind, object, text) : NULL;
  if (!r)
    return;
  pthread_mutex_lock(&mutex);
  append(r);
  pthread_mutex_unlock(&mutex);
}

/* Takes a record out, if there is one, and tells the core. Called with the mutex
 * held, and lets go of it. */
static void drop_record(struct record *r) {
  if (r)
    detach(r);
  pthread_mutex_unlock(&mutex);
  offlink_core_function *running = __atomic_load_n(&core, __ATOMIC_ACQUIRE);
  if (running && r && r->state == RECORD_KNOWN) {
    struct offlink_call call = {.function = OFFLINK_CORE_DROP_IMAGES, .object = r->handle};
    if (r->kind == RECORD_GLOBAL)
      call = (struct offlink_call){.function = OFFLINK_CORE_DROP_GLOBAL, .base = r->object};
    running(&call);
  }
  free(r);
}

/* The core is reading the tree; it needs no lock of the loader for that, so this
 * wait ends even inside dlclose. Returns with the mutex held. */
static struct record *find_still(enum record_kind kind, const void *object) {
  pthread_mutex_lock(&mutex);
  struct record *r = find(kind, object);
  while (r && r->state == RECORD_REPLAYING) {
    pthread_cond_wait(&replayed, &mutex);
    r = find(kind, object);
  }
  return r;
}

/* A module's device globals have no call that takes them out: they go with its
 * images. */
static void drop_globals_of(const void *base) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    struct record *r = base ? global_of_module(base) : NULL;
    const void *object = r ? r->object : NULL;
    pthread_mutex_unlock(&mutex);
    if (!object)
      return;
    drop_record(find_still(RECORD_GLOBAL, object));
  }
}

typedef void pass_on_function(void *);

/* The function of that name in the library after this one: libsycl's. A program
 * that asks dlerror about its own dlopen must not find that there is none. */
static void *next_function(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function)
    dlerror();
  return function;
}

OFFLINK_EXPORT void __sycl_register_lib(void *descriptor) {
  add_record(RECORD_IMAGES, descriptor, NULL);
  pass_on_function *next = (pass_on_function *)next_function("__sycl_register_lib");
  if (next)
    next(descriptor);
}

OFFLINK_EXPORT void __sycl_unregister_lib(void *descriptor) {
  pass_on_function *next = (pass_on_function *)next_function("__sycl_unregister_lib");
  if (next)
    next(descriptor);
  drop_record(find_still(RECORD_IMAGES, descriptor));
  drop_globals_of(offlink_module_base(descriptor));
}

OFFLINK_EXPORT void offlink_global_register(const void *object, const char *name) {
  if (name)
    add_record(RECORD_GLOBAL, (void *)object, name);
}

OFFLINK_EXPORT void offlink_global_unregister(const void *object) { drop_record(find_still(RECORD_GLOBAL, object)); }

/* sycl::_V1::detail::device_global_map::add(const void *, const char *), which
 * the host code of DPC++ calls before main for each device_global. */
#define DEVICE_GLOBAL_ADD "_ZN4sycl3_V16detail17device_global_map3addEPKvPKc"
OFFLINK_EXPORT void offlink_device_global_add(const void *object, const char *name) __asm__(DEVICE_GLOBAL_ADD);
void offlink_device_global_add(const void *object, const char *name) {
  offlink_global_register(object, name);
  void (*next)(const void *, const char *) = (void (*)(const void *, const char *))next_function(DEVICE_GLOBAL_ADD);
  if (next)
    next(object, name);
}

/* Tells the core of one record, without the mutex. */
static void hand_over(struct record *r, offlink_core_function *to) {
  struct offlink_call call = {
      .function = OFFLINK_CORE_ADD_IMAGES, .data = r->object, .base = r->base, .text = r->text};
  if (r->kind == RECORD_GLOBAL)
    call = (struct offlink_call){.function = OFFLINK_CORE_ADD_GLOBAL, .base = r->object, .text = r->text};
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
