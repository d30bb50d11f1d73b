/* An OpenCL library for tests: a driver with one device that runs the kernels
 * of the conformance suite as soon as the events of a command allow it. It
 * counts what it gave out, and refuses handles that it does not know and
 * functions that its version does not have.
 *
 *   -DNO_USM -DNO_SVM            extensions and functions that it lacks: memory is
 *                                then buffers
 *   -DNO_POINTERS -DNO_NAMES     the same of program-scope variables
 *   -DNO_IL                      clCreateProgramWithIL; cl_khr_il_program is there
 *   -DNO_LINKING                 what OpenCL 1.2 brought
 *   -DNO_EXTENSIONS              the function that finds those of extensions
 *
 * Signatures and numbers are those of cl.h, cl_ext.h and the specifications of
 * Intel's extensions. */
#include <pthread.h>
#include <unistd.h>

#include "fakedevice.h"

enum { OK = 0, DEVICE_NOT_FOUND = -1, COMPILER_NOT_AVAILABLE = -3, ALLOCATION_FAILURE = -4, PROFILING_NOT_AVAILABLE = -7, WAIT_LIST_FAILURE = -14,
       COMPILE_FAILURE = -15, LINKER_NOT_AVAILABLE = -16, LINK_FAILURE = -17, ARG_INFO_NOT_AVAILABLE = -19, INVALID_VALUE = -30,
       INVALID_BINARY = -42, INVALID_PROGRAM = -44, INVALID_EXECUTABLE = -45, INVALID_KERNEL_NAME = -46, INVALID_ARG_INDEX = -49, INVALID_ARG_VALUE = -50,
       INVALID_ARG_SIZE = -51, INVALID_KERNEL_ARGS = -52, INVALID_WAIT_LIST = -57, INVALID_OPERATION = -59, PLATFORM_NOT_FOUND = -1001 };

/* What the test sets. */
int fake_next_code;   /* of the next call, once */
int fake_lost_code;   /* of every call but releases: the device is gone */
int fake_null_objects; /* calls that make queues, memory or events succeed without */
int fake_next_status; /* of the next command, which does not run */
int fake_bad_launch;  /* the number of the launch that fails so, counted down from FAKE_BAD_LAUNCH */
__attribute__((constructor)) static void read_environment(void) {
  const char *number = getenv("FAKE_BAD_LAUNCH");
  fake_bad_launch = number ? atoi(number) : 0;
}
int fake_platforms = 1, fake_null_platforms, fake_claimed_platforms;
int fake_devices = 1, fake_null_devices, fake_claimed_devices;
int fake_no_compiler, fake_no_linker;
int fake_fail_builds;
int fake_lazy;        /* commands start when they are flushed, or waited for */
int fake_memory_code; /* of every allocation */
char fake_version[128] = "OpenCL 3.0 fake", fake_platform_version[128] = "OpenCL 3.0 fake", fake_driver_version[128] = "1";
char fake_name[256] = "Fake device", fake_il[128] = "SPIR-V_1.0 SPIR-V_1.4";
char fake_extensions[4096] = "cl_khr_fp64 cl_khr_il_program"
#ifndef NO_USM
                             " cl_intel_unified_shared_memory"
#endif
    ;
char fake_last_options[64];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void lose_commands(void);

static int failure(void) {
  int code = fake_next_code;
  fake_next_code = 0;
  if (fake_lost_code) {
    lose_commands();
    return fake_lost_code;
  }
  return code;
}
#define ENTER              \
  do {                     \
    int code = failure();  \
    if (code)              \
      return code;         \
  } while (0)
#define ENTER_CREATE       \
  do {                     \
    *status = failure();   \
    if (*status)           \
      return NULL;         \
  } while (0)

/* A loader has each function, and calls through a null pointer where the driver
 * below is of an older version. */
static int has_version_of(const char *said, int wanted) {
  int major = 0, minor = 0;
  if (sscanf(said, "OpenCL %1d.%1d", &major, &minor) != 2 || major * 10 + minor >= wanted)
    return 1;
  device_misuses++;
  return 0;
}
static int has_version(int wanted) { return has_version_of(fake_version, wanted); }
#define SINCE(version) if (!has_version(version)) return INVALID_OPERATION
#define KNOWN(o, kind) if (!known(o, kind)) return INVALID_VALUE
#define KNOWN_CREATE(o, kind)  \
  if (!known(o, kind)) {       \
    *status = INVALID_VALUE;   \
    return NULL;               \
  }

int fake_wrong_sizes; /* with an answer comes a size that it cannot have */
static int answer(const void *value, size_t length, size_t room, void *out, size_t *size) {
  if (out && room < length)
    return INVALID_VALUE;
  if (out)
    memcpy(out, value, length);
  if (size)
    *size = out && fake_wrong_sizes ? SIZE_MAX : length;
  return OK;
}
#define QUERY uint32_t what, size_t room, void *out, size_t *size
#define ANSWER(value) return answer(&(value), sizeof(value), room, out, size)
#define TEXT(value) return answer(value, strlen(value) + 1, room, out, size)

static int retain(object *o, char kind) {
  ENTER;
  KNOWN(o, kind);
  __atomic_add_fetch(&o->uses, 1, __ATOMIC_RELAXED);
  return OK;
}
static int release(object *o, char kind) {
  KNOWN(o, kind);
  drop(o, kind);
  return OK;
}

/* Platforms and devices. */

static object platform = {.kind = 'L', .uses = 1}, device = {.kind = 'V', .uses = 1};

static int list_out(object *it, int there, int nulls, int claimed, uint32_t n, object **list, uint32_t *count) {
  for (uint32_t i = 0; i < n && (int)i < there + nulls; i++)
    list[i] = (int)i < nulls ? NULL : it;
  if (count)
    *count = n == 0 && claimed ? (uint32_t)claimed : (uint32_t)(there + nulls);
  return OK;
}
int clGetPlatformIDs(uint32_t n, object **list, uint32_t *count) {
  ENTER;
  if (fake_platforms + fake_null_platforms == 0)
    return PLATFORM_NOT_FOUND;
  return list_out(&platform, fake_platforms, fake_null_platforms, fake_claimed_platforms, n, list, count);
}
int clGetPlatformInfo(object *p, QUERY) {
  ENTER;
  KNOWN(p, 'L');
  if (what == 0x902)
    TEXT("Fake platform");
  TEXT(fake_platform_version);
}
int clGetDeviceIDs(object *p, uint64_t type, uint32_t n, object **list, uint32_t *count) {
  ENTER;
  KNOWN(p, 'L');
  if (fake_devices + fake_null_devices == 0)
    return DEVICE_NOT_FOUND;
  return list_out(&device, fake_devices, fake_null_devices, fake_claimed_devices, n, list, count);
}
int clGetDeviceInfo(object *d, QUERY) {
  ENTER;
  KNOWN(d, 'V');
  size_t items[3] = {64, 64, 64}, group = 64, parameters = 256;
  intptr_t partitions[1] = {0x1088};
  uint64_t type = 2, usm = 15, svm = 3, memory = 1 << 30, local = 1 << 16, queues = 3;
  uint32_t units = 2, bits = 128 * 8, yes = 1, vendor = 0x1234, address = 64;
  uint32_t compiler = !fake_no_compiler, linker = !fake_no_linker && !fake_no_compiler;
  switch (what) {
  case 0x1000: ANSWER(type);
  case 0x1001: ANSWER(vendor);
  case 0x1002: ANSWER(units);
  case 0x1004: ANSWER(group);
  case 0x1005: ANSWER(items);
  case 0x100D: ANSWER(address);
  case 0x1010: case 0x101F: case 0x1020: ANSWER(memory);
  case 0x1017: ANSWER(parameters);
  case 0x1019: ANSWER(bits);
  case 0x1023: ANSWER(local);
  case 0x1026: ANSWER(yes);
  case 0x1028: ANSWER(compiler);
  case 0x102A: ANSWER(queues);
  case 0x102B: TEXT(fake_name);
  case 0x102C: TEXT("offlink");
  case 0x102D: TEXT(fake_driver_version);
  case 0x102F: TEXT(fake_version);
  case 0x1030: TEXT(fake_extensions);
  case 0x103E: ANSWER(linker);
  case 0x1044: ANSWER(partitions);
#ifndef NO_SVM
  case 0x1053: ANSWER(svm);
#endif
#ifndef NO_IL
  case 0x105B: TEXT(fake_il);
#endif
#ifndef NO_USM
  case 0x4190: case 0x4191: case 0x4192: ANSWER(usm);
#endif
  }
  return INVALID_VALUE;
}
int clCreateSubDevices(object *d, const intptr_t *properties, uint32_t n, object **list, uint32_t *count) {
  SINCE(12);
  ENTER;
  KNOWN(d, 'V');
  for (uint32_t i = 0; i < n && i < 2; i++)
    list[i] = create('V', d);
  if (count)
    *count = 2;
  return OK;
}
int clReleaseDevice(object *d) { return release(d, 'V'); }

object *clCreateContext(const intptr_t *properties, uint32_t n, object **devices, void *notify, void *user, int32_t *status) {
  ENTER_CREATE;
  KNOWN_CREATE(devices[0], 'V');
  return create('C', NULL);
}
int clReleaseContext(object *o) { return release(o, 'C'); }

/* Events. */

typedef struct {
  int status; /* 3 queued, 0 complete, below a failure */
  int profiled;
  uint64_t time;
  struct { void (*call)(object *, int32_t, void *); void *user; } calls[8];
  int count;
} progress;
#define PROGRESS(e) ((progress *)(e)->own)

static object *create_event(int status) {
  object *e = create('E', NULL);
  e->own = calloc(1, sizeof(progress));
  PROGRESS(e)->status = status;
  return e;
}

struct due { object *event; int32_t status; void (*call)(object *, int32_t, void *); void *user; };
static void *call_back(void *p) {
  struct due *d = p;
  d->call(d->event, d->status, d->user);
  free(d);
  return NULL;
}
/* tell calls back on a thread of the driver's. */
static void tell(object *e, int i) {
  struct due *d = malloc(sizeof *d);
  *d = (struct due){e, PROGRESS(e)->status, PROGRESS(e)->calls[i].call, PROGRESS(e)->calls[i].user};
  pthread_t thread;
  pthread_create(&thread, NULL, call_back, d);
  pthread_detach(thread);
}
static void end_event(object *e, int status) { /* locked */
  static uint64_t now;
  PROGRESS(e)->status = status;
  PROGRESS(e)->time = ++now;
  for (int i = 0; i < PROGRESS(e)->count; i++)
    tell(e, i);
  pthread_cond_broadcast(&changed);
}

/* Queues. */

typedef struct command {
  struct command *next;
  object *event, *waits[16];
  uint32_t count;
  int barrier, status, flushed;
  void (*work)(struct command *);
  object kernel; /* with its arguments of now */
  unsigned char *to, pattern[128];
  const unsigned char *from;
  size_t size, length;
  uint32_t dimensions;
  size_t offset[3], global[3], local[3];
  int has_local;
} command;

typedef struct work { /* of a queue */
  uint64_t properties;
  object *context;
  command *first;
  object *next; /* queue */
} work;
#define WORK(q) ((work *)(q)->own)
static object *queues;

static int is_ready(command *c) {
  for (uint32_t i = 0; i < c->count; i++)
    if (PROGRESS(c->waits[i])->status > 0)
      return 0;
  return 1;
}
static int is_inside(const void *p, const object *m) {
  return (const unsigned char *)p >= m->bytes && (const unsigned char *)p < m->bytes + m->size;
}
/* Whether a command that waits has the memory as a place or as an argument. */
static int is_used(const object *m) { /* locked */
  for (object *q = queues; q; q = WORK(q)->next)
    for (command *c = WORK(q)->first; c; c = c->next) {
      if (is_inside(c->to, m) || is_inside(c->from, m))
        return 1;
      for (int i = 0; i < 4; i++)
        if (is_inside(*(void **)c->kernel.args[i], m))
          return 1;
    }
  return 0;
}
/* Buffers that were released under commands, which keep them. */
static object *left[64];
static void keep_left(object *m) { /* locked */
  int i = 0;
  while (left[i])
    i++;
  left[i] = m;
}
static void drop_left(void) { /* locked */
  for (int i = 0; i < 64; i++)
    if (left[i] && !is_used(left[i])) {
      object *m = left[i];
      left[i] = NULL;
      drop(m, 'M');
    }
}
static void finish_command(command *c, int status) {
  end_event(c->event, status);
  for (uint32_t i = 0; i < c->count; i++)
    drop(c->waits[i], 'E');
  drop(c->event, 'E');
  free(c);
}
static void run_command(command *c) {
  for (uint32_t i = 0; i < c->count; i++)
    if (PROGRESS(c->waits[i])->status < 0) {
      finish_command(c, WAIT_LIST_FAILURE);
      return;
    }
  if (!c->status && c->work)
    c->work(c);
  finish_command(c, c->status);
}
static int step(object *q) {
  int in_order = !(WORK(q)->properties & 1);
  for (command **at = &WORK(q)->first; *at; at = &(*at)->next) {
    command *c = *at;
    int alone = c->barrier && c->count == 0 && at != &WORK(q)->first;
    if (!alone && is_ready(c) && (c->flushed || !fake_lazy)) {
      *at = c->next;
      run_command(c);
      return 1;
    }
    if (in_order || c->barrier)
      return 0;
  }
  return 0;
}
static void pump(void) {
  for (int again = 1; again;) {
    again = 0;
    for (object *q = queues; q; q = WORK(q)->next)
      again |= step(q);
  }
  drop_left();
}
static void flush(object *q) { /* locked; NULL: all queues */
  for (object *each = queues; each; each = WORK(each)->next)
    for (command *c = WORK(each)->first; c && (!q || q == each); c = c->next)
      c->flushed = 1;
  pump();
}
static void lose_commands(void) {
  pthread_mutex_lock(&lock);
  for (object *q = queues; q; q = WORK(q)->next)
    while (WORK(q)->first) {
      command *c = WORK(q)->first;
      WORK(q)->first = c->next;
      finish_command(c, fake_lost_code);
    }
  drop_left();
  pthread_mutex_unlock(&lock);
}

static object *new_queue(object *c, object *d, uint64_t properties, int32_t *status) {
  ENTER_CREATE;
  KNOWN_CREATE(c, 'C');
  KNOWN_CREATE(d, 'V');
  if (fake_null_objects)
    return NULL;
  object *q = create('Q', NULL);
  q->own = calloc(1, sizeof(work));
  WORK(q)->properties = properties, WORK(q)->context = c;
  pthread_mutex_lock(&lock);
  WORK(q)->next = queues, queues = q;
  pthread_mutex_unlock(&lock);
  return q;
}
object *clCreateCommandQueue(object *c, object *d, uint64_t properties, int32_t *status) { return new_queue(c, d, properties, status); }
object *clCreateCommandQueueWithProperties(object *c, object *d, const uint64_t *list, int32_t *status) {
  if (!has_version(20) || list[0] != 0x1093 || list[2] != 0) {
    *status = INVALID_VALUE;
    return NULL;
  }
  return new_queue(c, d, list[1], status);
}
int clRetainCommandQueue(object *q) { return retain(q, 'Q'); }
int clReleaseCommandQueue(object *q) {
  pthread_mutex_lock(&lock);
  flush(q);
  int code = release(q, 'Q');
  pthread_mutex_unlock(&lock);
  return code;
}
int clGetCommandQueueInfo(object *q, QUERY) {
  ENTER;
  KNOWN(q, 'Q');
  switch (what) {
  case 0x1090: ANSWER(WORK(q)->context);
  case 0x1093: ANSWER(WORK(q)->properties);
  }
  return INVALID_VALUE;
}
int clFlush(object *q) {
  ENTER;
  KNOWN(q, 'Q');
  pthread_mutex_lock(&lock);
  flush(q);
  pthread_mutex_unlock(&lock);
  return OK;
}
int fake_slow_finish; /* microseconds before clFinish looks at the queue */
int clFinish(object *q) {
  ENTER;
  KNOWN(q, 'Q');
  usleep(fake_slow_finish);
  pthread_mutex_lock(&lock);
  flush(NULL);
  while (WORK(q)->first)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return fake_lost_code;
}

#define WAITS uint32_t n, object **list, object **event
static int enqueue(object *q, command c, int block, WAITS) {
  KNOWN(q, 'Q');
  if ((n == 0) != (list == NULL) || n > 16)
    return INVALID_WAIT_LIST;
  for (uint32_t i = 0; i < n; i++)
    KNOWN(list[i], 'E');
  command *own = malloc(sizeof *own);
  *own = c;
  own->status = fake_next_status, fake_next_status = 0;
  own->event = create_event(3);
  PROGRESS(own->event)->profiled = (WORK(q)->properties & 2) != 0;
  object *e = own->event;
  e->uses += (event != NULL) + block;
  pthread_mutex_lock(&lock);
  for (own->count = 0; own->count < n; own->count++) {
    own->waits[own->count] = list[own->count];
    __atomic_add_fetch(&list[own->count]->uses, 1, __ATOMIC_RELAXED);
  }
  command **at = &WORK(q)->first;
  while (*at)
    at = &(*at)->next;
  *at = own;
  pump();
  int status = OK;
  if (block) {
    flush(NULL);
    while (PROGRESS(e)->status > 0)
      pthread_cond_wait(&changed, &lock);
    status = PROGRESS(e)->status < 0 ? WAIT_LIST_FAILURE : OK;
    drop(e, 'E');
  }
  pthread_mutex_unlock(&lock);
  if (event)
    *event = fake_null_objects ? NULL : e;
  if (event && fake_null_objects)
    drop(e, 'E');
  return status;
}
#define ENQUEUE(block, ...) return enqueue(q, (command){__VA_ARGS__}, block, n, list, event)

int clEnqueueMarkerWithWaitList(object *q, WAITS) {
  SINCE(12);
  ENTER;
  ENQUEUE(0, .barrier = 1);
}
int clEnqueueBarrierWithWaitList(object *q, WAITS) {
  SINCE(12);
  ENTER;
  ENQUEUE(0, .barrier = 1);
}
int clWaitForEvents(uint32_t n, object **list) {
  ENTER;
  int status = n == 0 ? INVALID_VALUE : OK;
  for (uint32_t i = 0; i < n; i++) {
    KNOWN(list[i], 'E');
    pthread_mutex_lock(&lock);
    flush(NULL);
    while (PROGRESS(list[i])->status > 0)
      pthread_cond_wait(&changed, &lock);
    if (PROGRESS(list[i])->status < 0)
      status = WAIT_LIST_FAILURE;
    pthread_mutex_unlock(&lock);
  }
  return status;
}
int clGetEventInfo(object *e, QUERY) {
  ENTER;
  KNOWN(e, 'E');
  if (what != 0x11D3)
    return INVALID_VALUE;
  pthread_mutex_lock(&lock);
  int32_t status = PROGRESS(e)->status;
  pthread_mutex_unlock(&lock);
  ANSWER(status);
}
int clGetEventProfilingInfo(object *e, QUERY) {
  ENTER;
  KNOWN(e, 'E');
  if (!PROGRESS(e)->profiled || PROGRESS(e)->status != 0)
    return PROFILING_NOT_AVAILABLE;
  ANSWER(PROGRESS(e)->time);
}
int clSetEventCallback(object *e, int32_t type, void (*call)(object *, int32_t, void *), void *user) {
  ENTER;
  KNOWN(e, 'E');
  pthread_mutex_lock(&lock);
  int i = PROGRESS(e)->count;
  int room = i < 8;
  if (room) {
    PROGRESS(e)->calls[i].call = call, PROGRESS(e)->calls[i].user = user;
    PROGRESS(e)->count++;
    if (PROGRESS(e)->status <= 0)
      tell(e, i);
  }
  pthread_mutex_unlock(&lock);
  return room ? OK : -6;
}
int clRetainEvent(object *e) { return retain(e, 'E'); }
int clReleaseEvent(object *e) {
  pthread_mutex_lock(&lock);
  int code = release(e, 'E');
  pthread_mutex_unlock(&lock);
  return code;
}
object *clCreateUserEvent(object *c, int32_t *status) {
  ENTER_CREATE;
  KNOWN_CREATE(c, 'C');
  return create_event(2);
}
int clSetUserEventStatus(object *e, int32_t status) {
  ENTER;
  KNOWN(e, 'E');
  if (PROGRESS(e)->status <= 0 || status > 0)
    return INVALID_OPERATION;
  pthread_mutex_lock(&lock);
  end_event(e, status);
  pump();
  pthread_mutex_unlock(&lock);
  return OK;
}

/* Memory. */

static object *buffers[256]; /* and allocations, by their bytes */

static object *remember(object *m) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 256; i++)
    if (!buffers[i]) {
      buffers[i] = m;
      break;
    }
  pthread_mutex_unlock(&lock);
  return m;
}
static object *find_buffer(const void *p, int by_bytes, int forget) {
  object *found = NULL;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 256 && !found; i++) {
    object *m = buffers[i];
    if (m && (by_bytes ? (const unsigned char *)p >= m->bytes && (const unsigned char *)p < m->bytes + m->size : m == p)) {
      found = m;
      if (forget)
        buffers[i] = NULL;
    }
  }
  pthread_mutex_unlock(&lock);
  return found;
}

object *clCreateBuffer(object *c, uint64_t flags, size_t size, void *host, int32_t *status) {
  ENTER_CREATE;
  KNOWN_CREATE(c, 'C');
  if ((*status = fake_memory_code))
    return NULL;
  object *m = remember(allocate(size));
  m->own = c;
  return m;
}
object *clCreateSubBuffer(object *m, uint64_t flags, uint32_t type, size_t *region, int32_t *status) {
  ENTER_CREATE;
  KNOWN_CREATE(m, 'M');
  if (type != 0x1220 || region[0] + region[1] > m->size || region[0] % 128) {
    *status = -13;
    return NULL;
  }
  object *part = create('M', m);
  part->bytes = m->bytes + region[0], part->size = region[1], part->own = m->own;
  return remember(part);
}
int clRetainMemObject(object *m) { return retain(m, 'M'); }
int clReleaseMemObject(object *m) {
  KNOWN(m, 'M');
  if (m->uses > 1)
    return release(m, 'M');
  find_buffer(m, 0, 1);
  pthread_mutex_lock(&lock);
  if (is_used(m))
    keep_left(m);
  else
    drop(m, 'M');
  pthread_mutex_unlock(&lock);
  return OK;
}
int clGetMemObjectInfo(object *m, QUERY) {
  ENTER;
  KNOWN(m, 'M');
  switch (what) {
  case 0x1102: ANSWER(m->size);
  case 0x1106: ANSWER(m->own);
  }
  return INVALID_VALUE;
}

static int free_address(void *p) {
  object *m = find_buffer(p, 1, 1);
  if (!m || m->bytes != p) {
    device_misuses++;
    return INVALID_VALUE;
  }
  pthread_mutex_lock(&lock);
  device_misuses += is_used(m); /* nobody waits for its commands */
  pthread_mutex_unlock(&lock);
  return release(m, 'M');
}
#ifndef NO_USM
static void *usm(object *c, size_t size, int32_t *status) {
  ENTER_CREATE;
  KNOWN_CREATE(c, 'C');
  if ((*status = fake_memory_code))
    return NULL;
  return remember(allocate(size))->bytes;
}
void *clHostMemAllocINTEL(object *c, void *properties, size_t size, uint32_t align, int32_t *status) { return usm(c, size, status); }
void *clDeviceMemAllocINTEL(object *c, object *d, void *properties, size_t size, uint32_t align, int32_t *status) { return usm(c, size, status); }
void *clSharedMemAllocINTEL(object *c, object *d, void *properties, size_t size, uint32_t align, int32_t *status) { return usm(c, size, status); }
int clMemFreeINTEL(object *c, void *p) {
  KNOWN(c, 'C');
  return free_address(p);
}
int clMemBlockingFreeINTEL(object *c, void *p) { return clMemFreeINTEL(c, p); }
int clGetMemAllocInfoINTEL(object *c, const void *p, QUERY) {
  ENTER;
  KNOWN(c, 'C');
  uint32_t kind = 0x4198, unknown = 0x4196;
  object *m = find_buffer(p, 1, 0);
  if (!m && what == 0x419A)
    ANSWER(unknown);
  if (!m)
    return INVALID_VALUE;
  switch (what) {
  case 0x419A: ANSWER(kind);
  case 0x419B: ANSWER(m->bytes);
  case 0x419C: ANSWER(m->size);
  }
  return INVALID_VALUE;
}
#endif
#ifndef NO_SVM
void *clSVMAlloc(object *c, uint64_t flags, size_t size, uint32_t align) {
  if (failure() || fake_memory_code || !known(c, 'C') || !has_version(20))
    return NULL;
  return remember(allocate(size))->bytes;
}
void clSVMFree(object *c, void *p) {
  if (known(c, 'C'))
    free_address(p);
}
#endif

/* Transfers. */

static void move(command *c) { memmove(c->to, c->from, c->size); }
static void repeat(command *c) {
  for (size_t i = 0; i < c->size; i++)
    c->to[i] = c->pattern[i % c->length];
}
static int fill(object *q, unsigned char *to, size_t at, const void *pattern, size_t length, size_t size, WAITS) {
  if (length < 1 || length > 128 || length & (length - 1) || at % length || size % length)
    return INVALID_VALUE;
  command c = {.work = repeat, .to = to, .size = size, .length = length};
  memcpy(c.pattern, pattern, length);
  return enqueue(q, c, 0, n, list, event);
}
#define INSIDE(m, offset, size) if ((offset) > (m)->size || (size) > (m)->size - (offset) || (size) == 0) return INVALID_VALUE

int clEnqueueReadBuffer(object *q, object *m, uint32_t block, size_t offset, size_t size, void *to, WAITS) {
  ENTER;
  KNOWN(m, 'M');
  INSIDE(m, offset, size);
  ENQUEUE(block, .work = move, .to = to, .from = m->bytes + offset, .size = size);
}
int clEnqueueWriteBuffer(object *q, object *m, uint32_t block, size_t offset, size_t size, const void *from, WAITS) {
  ENTER;
  KNOWN(m, 'M');
  INSIDE(m, offset, size);
  ENQUEUE(block, .work = move, .to = m->bytes + offset, .from = from, .size = size);
}
int clEnqueueCopyBuffer(object *q, object *from, object *to, size_t from_offset, size_t to_offset, size_t size, WAITS) {
  ENTER;
  KNOWN(from, 'M');
  KNOWN(to, 'M');
  INSIDE(from, from_offset, size);
  INSIDE(to, to_offset, size);
  ENQUEUE(0, .work = move, .to = to->bytes + to_offset, .from = from->bytes + from_offset, .size = size);
}
int clEnqueueFillBuffer(object *q, object *m, const void *pattern, size_t length, size_t offset, size_t size, WAITS) {
  SINCE(12);
  ENTER;
  KNOWN(m, 'M');
  INSIDE(m, offset, size);
  return fill(q, m->bytes + offset, offset, pattern, length, size, n, list, event);
}
#ifndef NO_USM
int clEnqueueMemcpyINTEL(object *q, uint32_t block, void *to, const void *from, size_t size, WAITS) {
  ENTER;
  ENQUEUE(block, .work = move, .to = to, .from = from, .size = size);
}
int clEnqueueMemFillINTEL(object *q, void *to, const void *pattern, size_t length, size_t size, WAITS) {
  ENTER;
  return fill(q, to, (size_t)to, pattern, length, size, n, list, event);
}
#endif
#ifndef NO_SVM
int clEnqueueSVMMemcpy(object *q, uint32_t block, void *to, const void *from, size_t size, WAITS) {
  SINCE(20);
  ENTER;
  ENQUEUE(block, .work = move, .to = to, .from = from, .size = size);
}
int clEnqueueSVMMemFill(object *q, void *to, const void *pattern, size_t length, size_t size, WAITS) {
  SINCE(20);
  ENTER;
  return fill(q, to, (size_t)to, pattern, length, size, n, list, event);
}
#endif

/* Programs. */

static object *program_of(object *c, const void *il, size_t length, int32_t *status) {
  ENTER_CREATE;
  KNOWN_CREATE(c, 'C');
  object *p = create_program();
  read_constants(p, il, length / 4);
  return p;
}
#ifndef NO_IL
object *clCreateProgramWithIL(object *c, const void *il, size_t length, int32_t *status) {
  if (!has_version(21)) {
    *status = INVALID_OPERATION;
    return NULL;
  }
  return program_of(c, il, length, status);
}
int clSetProgramSpecializationConstant(object *p, uint32_t id, size_t size, const int *value) {
  SINCE(22);
  ENTER;
  KNOWN(p, 'P');
  if (p->compiled || id < 3 || id > 4 || size != 4)
    return INVALID_VALUE;
  p->constants[id - 3] = *value;
  return OK;
}
#endif
object *clCreateProgramWithILKHR(object *c, const void *il, size_t length, int32_t *status) { return program_of(c, il, length, status); }

static int build(object *p, const char *options, int link) {
  ENTER;
  KNOWN(p, 'P');
  if (fake_no_compiler)
    return COMPILER_NOT_AVAILABLE;
  snprintf(fake_last_options, sizeof fake_last_options, "%s", options);
  if (fake_fail_builds)
    return link ? -11 : COMPILE_FAILURE;
  p->compiled = 1, p->linked = link;
  return OK;
}
#ifndef NO_LINKING
int clCompileProgram(object *p, uint32_t n, object **devices, const char *options, uint32_t headers, void *programs, void *texts, void *notify, void *user) {
  SINCE(12);
  return build(p, options, 0);
}
object *clLinkProgram(object *c, uint32_t n, object **devices, const char *options, uint32_t count, object **list, void *notify, void *user, int32_t *status) {
  if (!has_version(12)) {
    *status = INVALID_OPERATION;
    return NULL;
  }
  ENTER_CREATE;
  KNOWN_CREATE(c, 'C');
  if (fake_no_linker) {
    *status = LINKER_NOT_AVAILABLE;
    return NULL;
  }
  object *p = create_program();
  for (uint32_t i = 0; i < count; i++) {
    KNOWN_CREATE(list[i], 'P');
    merge_constants(p, list[i]);
  }
  if (fake_fail_builds > 1)
    *status = LINK_FAILURE; /* with a program that has the log */
  p->compiled = p->linked = !*status;
  return p;
}
#endif
int clBuildProgram(object *p, uint32_t n, object **devices, const char *options, void *notify, void *user) { return build(p, options, 1); }

int clGetProgramBuildInfo(object *p, object *d, QUERY) {
  ENTER;
  KNOWN(p, 'P');
  KNOWN(d, 'V');
  if (what != 0x1183)
    return INVALID_VALUE;
  char *log = build_log();
  int code = answer(log, strlen(log) + 1, room, out, size);
  free(log);
  return code;
}
int clReleaseProgram(object *o) { return release(o, 'P'); }

struct stored {
  char magic[8];
  int constants[2];
};
int clGetProgramInfo(object *p, QUERY) {
  ENTER;
  KNOWN(p, 'P');
  size_t length = sizeof(struct stored);
  if (what == 0x1165)
    ANSWER(length);
  if (what != 0x1166 || room != sizeof(void *))
    return INVALID_VALUE;
  struct stored s = {"binary", {p->constants[0], p->constants[1]}};
  memcpy(*(void **)out, &s, sizeof s);
  return OK;
}
object *clCreateProgramWithBinary(object *c, uint32_t n, object **d, const size_t *lengths, const unsigned char **code, int32_t *of_device, int32_t *status) {
  ENTER_CREATE;
  KNOWN_CREATE(c, 'C');
  struct stored s;
  *of_device = *status = lengths[0] != sizeof s || memcmp(code[0], "binary", 7) ? INVALID_BINARY : OK;
  if (*status)
    return NULL;
  memcpy(&s, code[0], sizeof s);
  object *p = create_program();
  memcpy(p->constants, s.constants, sizeof s.constants);
  return p;
}

#ifndef NO_POINTERS
int clGetDeviceGlobalVariablePointerINTEL(object *d, object *p, const char *name, size_t *size, void **out) {
  ENTER;
  KNOWN(p, 'P');
  if (strcmp(name, "variable"))
    return INVALID_ARG_VALUE;
  *size = sizeof p->variable;
  *out = &p->variable;
  return OK;
}
#endif
#ifndef NO_NAMES
int clEnqueueWriteGlobalVariableINTEL(object *q, object *p, const char *name, uint32_t block, size_t count, size_t offset, const void *from, WAITS) {
  ENTER;
  KNOWN(p, 'P');
  if (strcmp(name, "variable"))
    return INVALID_VALUE;
  ENQUEUE(block, .work = move, .to = (unsigned char *)&p->variable + offset, .from = from, .size = count);
}
int clEnqueueReadGlobalVariableINTEL(object *q, object *p, const char *name, uint32_t block, size_t count, size_t offset, void *to, WAITS) {
  ENTER;
  KNOWN(p, 'P');
  if (strcmp(name, "variable"))
    return INVALID_VALUE;
  ENQUEUE(block, .work = move, .to = to, .from = (unsigned char *)&p->variable + offset, .size = count);
}
#endif
int clGetDeviceFunctionPointerINTEL(object *d, object *p, const char *name, uint64_t *out) {
  ENTER;
  KNOWN(p, 'P');
  *out = function_address(p, name);
  return *out ? OK : INVALID_ARG_VALUE;
}

/* Kernels. */

object *clCreateKernel(object *p, const char *name, int32_t *status) {
  ENTER_CREATE;
  KNOWN_CREATE(p, 'P');
  object *k = create_kernel(p, name);
  *status = k ? OK : p->linked ? INVALID_KERNEL_NAME : INVALID_EXECUTABLE;
  return k;
}
int clReleaseKernel(object *k) {
  KNOWN(k, 'K');
  object *p = k->parent;
  drop(k, 'K');
  return release(p, 'P');
}
int clSetKernelExecInfo(object *k, uint32_t what, size_t size, const uint32_t *value) {
  SINCE(20);
  ENTER;
  KNOWN(k, 'K');
  return what >= 0x4200 && what <= 0x4202 && size == 4 && *value == 1 ? OK : INVALID_VALUE;
}
static int set_arg(object *k, uint32_t i, size_t size, const void *value) {
  ENTER;
  KNOWN(k, 'K');
  if (i >= 4)
    return INVALID_ARG_INDEX;
  if (value && size > sizeof k->args[i])
    return INVALID_ARG_SIZE;
  if (value)
    memcpy(k->args[i], value, size);
  k->sizes[i] = size;
  k->set |= 1 << i;
  return OK;
}
int clSetKernelArg(object *k, uint32_t i, size_t size, const void *value) {
  object *m = value && size == sizeof m ? find_buffer(*(object *const *)value, 0, 0) : NULL;
  return m ? set_arg(k, i, sizeof(void *), &m->bytes) : set_arg(k, i, size, value);
}
#ifndef NO_USM
int clSetKernelArgMemPointerINTEL(object *k, uint32_t i, const void *p) { return set_arg(k, i, sizeof p, &p); }
#endif
#ifndef NO_SVM
int clSetKernelArgSVMPointer(object *k, uint32_t i, const void *p) {
  SINCE(20);
  return set_arg(k, i, sizeof p, &p);
}
#endif
int clGetKernelInfo(object *k, QUERY) {
  ENTER;
  KNOWN(k, 'K');
  uint32_t count = 1;
  ANSWER(count);
}
int clGetKernelArgInfo(object *k, uint32_t i, QUERY) {
  SINCE(12);
  return ARG_INFO_NOT_AVAILABLE;
}
int clGetKernelWorkGroupInfo(object *k, object *d, QUERY) {
  ENTER;
  KNOWN(k, 'K');
  size_t group = 64, required[3] = {0};
  if (!strcmp(k->name, "required"))
    required[0] = 4, required[1] = 2, required[2] = 1;
  if (what == 0x11B0)
    ANSWER(group);
  if (what == 0x11B1)
    ANSWER(required);
  return INVALID_VALUE;
}
static void launch(command *c) { run_range(&c->kernel, c->dimensions, c->offset, c->global, c->has_local ? c->local : NULL); }

int clEnqueueNDRangeKernel(object *q, object *k, uint32_t dimensions, const size_t *offset, const size_t *global, const size_t *local, WAITS) {
  ENTER;
  KNOWN(k, 'K');
  if (dimensions < 1 || dimensions > 3)
    return -53;
  if (k->set == 0)
    return INVALID_KERNEL_ARGS;
  command c = {.work = launch, .kernel = *k, .dimensions = dimensions, .has_local = local != NULL};
  for (uint32_t i = 0; i < dimensions; i++)
    c.global[i] = global[i], c.offset[i] = offset ? offset[i] : 0, c.local[i] = local ? local[i] : 1;
  if (fake_bad_launch > 0 && --fake_bad_launch == 0)
    fake_next_status = -5;
  return enqueue(q, c, 0, n, list, event);
}

/* The functions of extensions are found by their names; those that are not in
 * this file are null. */
#ifndef NO_EXTENSIONS
#define EXTENSIONS(X)                                                                                                       \
  X(clCreateProgramWithILKHR) X(clHostMemAllocINTEL) X(clDeviceMemAllocINTEL) X(clSharedMemAllocINTEL)                      \
  X(clMemFreeINTEL) X(clMemBlockingFreeINTEL) X(clGetMemAllocInfoINTEL) X(clSetKernelArgMemPointerINTEL) X(clEnqueueMemFillINTEL)             \
  X(clEnqueueMemcpyINTEL) X(clGetDeviceGlobalVariablePointerINTEL) X(clGetDeviceFunctionPointerINTEL)                       \
  X(clEnqueueReadGlobalVariableINTEL) X(clEnqueueWriteGlobalVariableINTEL)
#define WEAK(name) extern __typeof__(name) name __attribute__((weak));
#ifdef NO_USM
extern int clHostMemAllocINTEL(), clDeviceMemAllocINTEL(), clSharedMemAllocINTEL(), clMemFreeINTEL(), clMemBlockingFreeINTEL(), clGetMemAllocInfoINTEL(),
    clSetKernelArgMemPointerINTEL(), clEnqueueMemFillINTEL(), clEnqueueMemcpyINTEL();
#endif
#ifdef NO_POINTERS
extern int clGetDeviceGlobalVariablePointerINTEL();
#endif
#ifdef NO_NAMES
extern int clEnqueueReadGlobalVariableINTEL(), clEnqueueWriteGlobalVariableINTEL();
#endif
EXTENSIONS(WEAK)

void *clGetExtensionFunctionAddressForPlatform(object *p, const char *name) {
  if (!has_version_of(fake_platform_version, 12))
    return NULL;
#define FIND(function)           \
  if (!strcmp(name, #function))  \
    return (void *)function;
  EXTENSIONS(FIND)
  return NULL;
}
#endif
