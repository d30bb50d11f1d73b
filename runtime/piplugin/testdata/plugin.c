/* A plugin for tests: a device that runs the kernels of the conformance suite,
 * written out in C below, at once when they are queued. It counts what it gave
 * out, and refuses handles that it does not know.
 *
 *   -DPI_TABLE=PI_TABLE_15_47 -DPI_VERSION='"15.47.3"' -DPI_TEXT=20   the version, and the
 *                          length of its text in struct _pi_plugin
 *   -DPI_TAKES='"14.37"'   the one version that it takes; all without it
 *   -DPI_RESULT=-30        the result of piPluginInit
 *   -DPI_NULL=SLOT, -DPI_JUNK=SLOT     an entry that is null, or points nowhere
 *   -DAT_LAUNCH='_exit(0)' a statement at the start of each launch
 *   -DNO_USM, -DNO_POINTERS, -DNO_NAMES, -DNO_BINARIES  functions that it lacks
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fakedevice.h"
#include "pi_tables.h"

/* An entry of the table whose function is not in this file is null. */
#define DECLARE(name) extern int name() __attribute__((weak));
PI_TABLE(DECLARE)

enum { OK = 0, WAIT_LIST_FAILURE = -14, COMPILE_FAILURE = -15, LINK_FAILURE = -17, INVALID_VALUE = -30, INVALID_DEVICE = -33, INVALID_BINARY = -42,
       INVALID_KERNEL_NAME = -46, INVALID_ARG_INDEX = -49, INVALID_ARG_SIZE = -51, INVALID_OPERATION = -59, SPECIFIC = -996 };

/* What the test reads and sets. */
int plugin_torn_down, plugin_live_at_end; /* calls of piTearDown, and the objects there were then */
int plugin_next_code;   /* of the next call, once */
int plugin_lost_code;   /* of every call but releases: the device is gone */
int plugin_next_status; /* of the next command, which does not run; only its event tells */
int plugin_hides_drops; /* events of commands that were dropped tell success */
int plugin_fail_builds; /* 1: compilations, 2: links */
int plugin_platforms = 1, plugin_devices = 1, plugin_claimed; /* claimed: the number that is told first, if not 0 */
int plugin_null_platforms, plugin_null_devices; /* that are listed before the others */
char plugin_name[256] = "Test device";
char plugin_last_options[64];
static char last_error[64];

static int failure(const char *call) {
  int code = plugin_next_code ? plugin_next_code : plugin_lost_code;
  plugin_next_code = 0;
  if (code)
    snprintf(last_error, sizeof last_error, "%s failed on purpose", call);
  return code;
}
#define ENTER                     \
  do {                            \
    int code = failure(__func__); \
    if (code)                     \
      return code;                \
  } while (0)

static int release(object *o, char kind) {
  if (plugin_next_code)
    ENTER;
  if (!known(o, kind))
    return INVALID_VALUE;
  drop(o, kind);
  return OK;
}

#define KNOWN(o, kind) if (!known(o, kind)) return INVALID_VALUE

int plugin_wrong_sizes; /* with an answer comes a size that it cannot have */
static int answer(const void *value, size_t length, size_t room, void *out, size_t *size) {
  if (out && room != length) /* as the OpenCL plugin of 15.47, which aborts */
    return INVALID_VALUE;
  if (out)
    memcpy(out, value, length);
  if (size)
    *size = out && plugin_wrong_sizes ? SIZE_MAX : length;
  return OK;
}
#define ANSWER(value) return answer(&(value), sizeof(value), room, out, size)
#define TEXT(value) return answer(value, strlen(value) + 1, room, out, size)

static object platform = {.kind = 'L', .uses = 1}, device = {.kind = 'V', .uses = 1};

static int list_out(object *it, int nulls, int there, uint32_t n, object **list, uint32_t *count) {
  there += nulls;
  for (int i = 0; i < there && (uint32_t)i < n; i++)
    list[i] = i < nulls ? NULL : it;
  if (count)
    *count = n == 0 && plugin_claimed ? (uint32_t)plugin_claimed : (uint32_t)there;
  return OK;
}
int piPlatformsGet(uint32_t n, object **list, uint32_t *count) {
  ENTER;
  return list_out(&platform, plugin_null_platforms, plugin_platforms, n, list, count);
}

int piPlatformGetInfo(object *p, uint32_t what, size_t room, void *out, size_t *size) {
  ENTER;
  KNOWN(p, 'L');
  if (what == 0x902)
    TEXT("Test platform");
  TEXT("PI " PI_VERSION);
}

int piDevicesGet(object *p, uint64_t type, uint32_t n, object **list, uint32_t *count) {
  ENTER;
  KNOWN(p, 'L');
  return list_out(&device, plugin_null_devices, plugin_devices, n, list, count);
}

int piDeviceGetInfo(object *d, uint32_t what, size_t room, void *out, size_t *size) {
  ENTER;
  KNOWN(d, 'V');
  size_t items[3] = {64, 64, 64}, group = 64;
  uint64_t type = 4, usm = 15, memory = 1 << 30, local = 1 << 16;
  uint32_t units = 2, bits = 128 * 8, little = 1;
  intptr_t partitions[1] = {0x1088};
  switch (what) {
  case 0x1000: ANSWER(type);
  case 0x1002: ANSWER(units);
  case 0x1004: ANSWER(group);
  case 0x1005: ANSWER(items);
  case 0x1010: case 0x101F: ANSWER(memory);
  case 0x1019: ANSWER(bits);
  case 0x1023: ANSWER(local);
  case 0x1026: ANSWER(little);
  case 0x102B: TEXT(plugin_name);
  case 0x102C: TEXT("offlink");
  case 0x102D: TEXT("1");
  case 0x102F: TEXT("OpenCL 3.0 test");
  case 0x1044: ANSWER(partitions);
  case 0x105B: TEXT("SPIR-V_1.0 SPIR-V_1.4");
  case 0x1030: TEXT("cl_khr_fp64");
  case 0x4190: case 0x4191: case 0x4192: ANSWER(usm);
  }
  return INVALID_VALUE;
}

int piDevicePartition(object *d, const intptr_t *properties, uint32_t n, object **list, uint32_t *count) {
  ENTER;
  KNOWN(d, 'V');
  for (uint32_t i = 0; i < n && i < 2; i++)
    list[i] = create('V', d);
  if (count)
    *count = 2;
  return OK;
}
int piDeviceRelease(object *o) { return release(o, 'V'); }

#ifndef PI_PLUGIN_H /* a test compiles this file with the header */
struct pi_image {
  uint16_t version;
  uint8_t kind, format;
  const char *target;
};
#endif

int piextDeviceSelectBinary(object *d, struct pi_image **list, uint32_t n, uint32_t *index) {
  ENTER;
  KNOWN(d, 'V');
  for (uint32_t i = 0; i < n; i++)
    if (!strcmp(list[i]->target, "spir64") || !strcmp(list[i]->target, "spir64_gen")) {
      *index = i;
      return OK;
    }
  return INVALID_BINARY;
}

int piContextCreate(const void *properties, uint32_t n, object **devices, void *notify, void *user, object **out) {
  ENTER;
  KNOWN(devices[0], 'V');
  *out = create('C', NULL);
  return OK;
}
int piContextRelease(object *o) { return release(o, 'C'); }

int piQueueCreate(object *c, object *d, uint64_t flags, object **out) {
  ENTER;
  KNOWN(c, 'C');
  KNOWN(d, 'V');
  *out = create('Q', NULL);
  return OK;
}
int piextQueueCreate(object *c, object *d, uint64_t *properties, object **out) {
  if (properties[0] != ~(uint64_t)0 || properties[2] != 0)
    return INVALID_VALUE;
  return piQueueCreate(c, d, properties[1], out);
}
int piQueueRelease(object *o) { return release(o, 'Q'); }
int piQueueFinish(object *q) {
  ENTER;
  KNOWN(q, 'Q');
  return OK;
}
int piQueueFlush(object *q) { return piQueueFinish(q); }

/* Memory. */

int piMemBufferCreate(object *c, uint64_t flags, size_t size, void *host, object **out, void *properties) {
  ENTER;
  KNOWN(c, 'C');
  *out = allocate(size);
  return OK;
}
int piMemRelease(object *o) { return release(o, 'M'); }

int piMemBufferPartition(object *m, uint64_t flags, uint32_t type, size_t *region, object **out) {
  ENTER;
  KNOWN(m, 'M');
  if (type != 0x1220 || region[0] + region[1] > m->size || region[0] % 128)
    return INVALID_VALUE;
  object *part = create('M', m);
  part->bytes = m->bytes + region[0], part->size = region[1];
  *out = part;
  return OK;
}

#ifndef NO_USM
static object *allocations[256];

static int usm(void **out, object *c, size_t size) {
  ENTER;
  KNOWN(c, 'C');
  object *m = allocate(size);
  *out = m->bytes;
  for (int i = 0; i < 256; i++) { /* several threads allocate */
    object *none = NULL;
    if (__atomic_compare_exchange_n(&allocations[i], &none, m, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return OK;
  }
  drop(m, 'M');
  return -5;
}
int piextUSMHostAlloc(void **out, object *c, void *properties, size_t size, uint32_t align) { return usm(out, c, size); }
int piextUSMDeviceAlloc(void **out, object *c, object *d, void *properties, size_t size, uint32_t align) {
  KNOWN(d, 'V');
  return usm(out, c, size);
}
int piextUSMSharedAlloc(void **out, object *c, object *d, void *properties, size_t size, uint32_t align) {
  KNOWN(d, 'V');
  return usm(out, c, size);
}
int piextUSMFree(object *c, void *p) {
  ENTER;
  KNOWN(c, 'C');
  for (int i = 0; i < 256; i++)
    if (allocations[i] && allocations[i]->bytes == p) {
      object *m = allocations[i];
      allocations[i] = NULL;
      return release(m, 'M');
    }
  device_misuses++;
  return INVALID_VALUE;
}
int piextUSMGetMemAllocInfo(object *c, unsigned char *p, uint32_t what, size_t room, void *out, size_t *size) {
  ENTER;
  KNOWN(c, 'C');
  uint32_t device_memory = 0x4198, unknown = 0x4196;
  for (int i = 0; i < 256; i++)
    if (allocations[i] && p >= allocations[i]->bytes && p < allocations[i]->bytes + allocations[i]->size)
      switch (what) {
      case 0x419A: ANSWER(device_memory);
      case 0x419B: ANSWER(allocations[i]->bytes);
      case 0x419C: ANSWER(allocations[i]->size);
      }
  if (what == 0x419A)
    ANSWER(unknown);
  return INVALID_VALUE;
}
#endif

/* Events: everything has ended. The status is in the field set. */

static int64_t now;

/* begin checks the events that a command waits for, and returns its status: below 0
 * it does not run. */
static int begin(uint32_t n, object **list) {
  int status = plugin_next_status;
  plugin_next_status = 0;
  for (uint32_t i = 0; i < n; i++)
    if (known(list[i], 'E') && list[i]->set < 0)
      status = WAIT_LIST_FAILURE;
  return status;
}
static int done(object *q, object **event, int status) {
  KNOWN(q, 'Q');
  if (event) {
    *event = create('E', NULL);
    (*event)->size = (size_t)__atomic_add_fetch(&now, 1, __ATOMIC_RELAXED);
    (*event)->set = plugin_hides_drops && status == WAIT_LIST_FAILURE ? 0 : status;
  }
  return OK;
}
#define WAITS uint32_t n, object **list, object **event
int piEnqueueEventsWait(object *q, WAITS) {
  ENTER;
  int status = n > 0 ? begin(n, list) : 0; /* a marker ends after commands that failed too */
  return done(q, event, status);
}
int piEnqueueEventsWaitWithBarrier(object *q, WAITS) { return piEnqueueEventsWait(q, n, list, event); }
int piEventsWait(uint32_t n, object **list) {
  ENTER;
  return begin(n, list);
}
int piEventGetInfo(object *e, uint32_t what, size_t room, void *out, size_t *size) {
  ENTER;
  KNOWN(e, 'E');
  if (what == 0x11D3)
    ANSWER(e->set);
  return INVALID_VALUE;
}
int piEventGetProfilingInfo(object *e, uint32_t what, size_t room, void *out, size_t *size) {
  ENTER;
  KNOWN(e, 'E');
  uint64_t time = e->size * 1000;
  ANSWER(time);
}
int piEventRelease(object *o) { return release(o, 'E'); }

/* Transfers. */

#ifndef NO_USM
int piextUSMEnqueueMemcpy(object *q, uint32_t block, void *to, const void *from, size_t size, WAITS) {
  ENTER;
  int status = begin(n, list);
  if (!status)
    memmove(to, from, size);
  return done(q, event, status);
}
int piextUSMEnqueueMemset(object *q, void *to, int32_t value, size_t size, WAITS) {
  ENTER;
  int status = begin(n, list);
  if (!status)
    memset(to, value, size);
  return done(q, event, status);
}
#endif
int piEnqueueMemBufferRead(object *q, object *m, uint32_t block, size_t offset, size_t size, void *to, WAITS) {
  ENTER;
  KNOWN(m, 'M');
  int status = begin(n, list);
  if (!status)
    memcpy(to, m->bytes + offset, size);
  return done(q, event, status);
}
int piEnqueueMemBufferWrite(object *q, object *m, uint32_t block, size_t offset, size_t size, const void *from, WAITS) {
  ENTER;
  KNOWN(m, 'M');
  int status = begin(n, list);
  if (!status)
    memcpy(m->bytes + offset, from, size);
  return done(q, event, status);
}
int piEnqueueMemBufferCopy(object *q, object *from, object *to, size_t from_offset, size_t to_offset, size_t size, WAITS) {
  ENTER;
  KNOWN(from, 'M');
  KNOWN(to, 'M');
  int status = begin(n, list);
  if (!status)
    memmove(to->bytes + to_offset, from->bytes + from_offset, size);
  return done(q, event, status);
}
int piEnqueueMemBufferFill(object *q, object *m, const unsigned char *pattern, size_t length, size_t offset, size_t size, WAITS) {
  ENTER;
  KNOWN(m, 'M');
  int status = begin(n, list);
  for (size_t i = 0; i < size && !status; i++)
    m->bytes[offset + i] = pattern[i % length];
  return done(q, event, status);
}

/* Programs. */

int piProgramCreate(object *c, const void *il, size_t length, object **out) {
  ENTER;
  KNOWN(c, 'C');
  *out = create_program();
  read_constants(*out, il, length / 4);
  return OK;
}
int piextProgramSetSpecializationConstant(object *p, uint32_t id, size_t size, const int *value) {
  ENTER;
  KNOWN(p, 'P');
  if (p->compiled || id < 3 || id > 4 || size != 4)
    return INVALID_VALUE;
  p->constants[id - 3] = *value;
  return OK;
}
int piProgramCompile(object *p, uint32_t n, object **devices, const char *options, uint32_t headers, void *programs, void *names, void *notify, void *user) {
  ENTER;
  KNOWN(p, 'P');
  snprintf(plugin_last_options, sizeof plugin_last_options, "%s", options);
  if (!strcmp(options, "-fail") || plugin_fail_builds == 1)
    return COMPILE_FAILURE;
  p->compiled = 1;
  return OK;
}
int piProgramBuild(object *p, uint32_t n, object **devices, const char *options, void *notify, void *user) {
  ENTER;
  KNOWN(p, 'P');
  p->compiled = p->linked = 1;
  return OK;
}
int piProgramLink(object *c, uint32_t n, object **devices, const char *options, uint32_t count, object **list, void *notify, void *user, object **out) {
  ENTER;
  KNOWN(c, 'C');
  object *p = create_program();
  *out = p;
  for (uint32_t i = 0; i < count; i++) {
    KNOWN(list[i], 'P');
    merge_constants(p, list[i]);
  }
  if (!strcmp(options, "-fail") || plugin_fail_builds == 2)
    return LINK_FAILURE; /* with a program that has the log */
  p->linked = 1;
  return OK;
}
int piProgramGetBuildInfo(object *p, object *d, uint32_t what, size_t room, void *out, size_t *size) {
  ENTER;
  KNOWN(p, 'P');
  if (!plugin_fail_builds)
    TEXT("error: options asked for a failure");
  char *log = build_log();
  int code = answer(log, strlen(log) + 1, room, out, size);
  free(log);
  return code;
}
int piProgramRelease(object *o) { return release(o, 'P'); }

#ifndef NO_BINARIES
struct stored {
  char magic[8];
  int constants[2];
};
int piProgramGetInfo(object *p, uint32_t what, size_t room, void *out, size_t *size) {
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
static int load(object *c, const size_t *lengths, const unsigned char **code, int32_t *status, object **out) {
  ENTER;
  KNOWN(c, 'C');
  struct stored s;
  if (lengths[0] != sizeof s || memcmp(code[0], "binary", 7))
    return INVALID_BINARY;
  memcpy(&s, code[0], sizeof s);
  object *p = create('P', NULL);
  p->variable = 7;
  memcpy(p->constants, s.constants, sizeof s.constants);
  *status = OK;
  *out = p;
  return OK;
}
#ifdef OLD_BINARIES /* before 9.11 */
int piProgramCreateWithBinary(object *c, uint32_t n, object **d, const size_t *lengths, const unsigned char **code, int32_t *status, object **out) {
  return load(c, lengths, code, status, out);
}
#else
int piProgramCreateWithBinary(object *c, uint32_t n, object **d, const size_t *lengths, const unsigned char **code, size_t entries, const void *metadata,
                              int32_t *status, object **out) {
  return entries || metadata ? INVALID_VALUE : load(c, lengths, code, status, out);
}
#endif
#endif

#ifndef NO_POINTERS
int piextGetGlobalVariablePointer(object *d, object *p, const char *name, size_t *size, void **out) {
  ENTER;
  KNOWN(p, 'P');
  if (strcmp(name, "variable"))
    return INVALID_VALUE;
  *size = sizeof p->variable;
  *out = &p->variable;
  return OK;
}
#endif
#ifndef NO_NAMES
int piextEnqueueDeviceGlobalVariableWrite(object *q, object *p, const char *name, uint32_t block, size_t count, size_t offset, const void *from, WAITS) {
  ENTER;
  KNOWN(p, 'P');
  int status = begin(n, list);
  if (!status)
    memcpy((char *)&p->variable + offset, from, count);
  return strcmp(name, "variable") ? INVALID_VALUE : done(q, event, status);
}
int piextEnqueueDeviceGlobalVariableRead(object *q, object *p, const char *name, uint32_t block, size_t count, size_t offset, void *to, WAITS) {
  ENTER;
  KNOWN(p, 'P');
  int status = begin(n, list);
  if (!status)
    memcpy(to, (char *)&p->variable + offset, count);
  return strcmp(name, "variable") ? INVALID_VALUE : done(q, event, status);
}
#endif

int piextGetDeviceFunctionPointer(object *d, object *p, const char *name, uint64_t *out) {
  ENTER;
  KNOWN(p, 'P');
  *out = function_address(p, name);
  return *out && strcmp(name, "LibDeviceFunc") ? OK : INVALID_KERNEL_NAME; /* one without an address */
}

/* Kernels. */

int piKernelCreate(object *p, const char *name, object **out) {
  ENTER;
  KNOWN(p, 'P');
  *out = create_kernel(p, name);
  return *out ? OK : INVALID_KERNEL_NAME;
}
int piKernelRelease(object *k) {
  object *p = k->parent;
  int code = release(k, 'K');
  return code ? code : release(p, 'P');
}
int piKernelSetExecInfo(object *k, uint32_t what, size_t size, const uint32_t *value) {
  ENTER;
  KNOWN(k, 'K');
  return what == 0 && size == 4 && *value == 1 ? OK : INVALID_VALUE;
}
int piKernelSetArg(object *k, uint32_t i, size_t size, const void *value) {
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
int piextKernelSetArgPointer(object *k, uint32_t i, size_t size, const void *value) {
  return size == sizeof(void *) ? piKernelSetArg(k, i, size, value) : INVALID_ARG_SIZE;
}
#ifdef OLD_BUFFER_ARGS /* before 14.33 */
int piextKernelSetArgMemObj(object *k, uint32_t i, object **m) {
#else
int piextKernelSetArgMemObj(object *k, uint32_t i, const uint32_t *property, object **m) {
  if (!property || property[0] != 27)
    return INVALID_VALUE;
#endif
  KNOWN(*m, 'M');
  return piKernelSetArg(k, i, sizeof(void *), &(*m)->bytes);
}
int piKernelGetInfo(object *k, uint32_t what, size_t room, void *out, size_t *size) {
  ENTER;
  KNOWN(k, 'K');
  uint32_t count = 1;
  ANSWER(count);
}
int piKernelGetGroupInfo(object *k, object *d, uint32_t what, size_t room, void *out, size_t *size) {
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

int piEnqueueKernelLaunch(object *q, object *k, uint32_t dimensions, const size_t *offset, const size_t *global, const size_t *local, WAITS) {
  ENTER;
  KNOWN(k, 'K');
#ifdef AT_LAUNCH
  AT_LAUNCH;
#endif
  if (dimensions < 1 || dimensions > 3)
    return INVALID_VALUE;
  int status = begin(n, list);
  if (!status)
    run_range(k, dimensions, offset, global, local);
  return done(q, event, status);
}

/* Native handles: the object's address and one. */

int piextDeviceGetNativeHandle(object *o, uintptr_t *out) {
  ENTER;
  *out = (uintptr_t)o + 1;
  return OK;
}
int piextProgramGetNativeHandle(object *o, uintptr_t *out) { return piextDeviceGetNativeHandle(o, out); }
int piextKernelGetNativeHandle(object *o, uintptr_t *out) { return piextDeviceGetNativeHandle(o, out); }
int piextEventGetNativeHandle(object *o, uintptr_t *out) { return piextDeviceGetNativeHandle(o, out); }
int piextQueueGetNativeHandle(object *o, uintptr_t *out, int32_t *description) { return piextDeviceGetNativeHandle(o, out); }

static int adopt(uintptr_t native, object *c, object **out) {
  ENTER;
  KNOWN(c, 'C');
  object *q = (object *)(native - 1);
  KNOWN(q, 'Q');
  *out = create('Q', NULL);
  return OK;
}
#ifdef OLD_QUEUE_IMPORTS /* before 13.32 */
int piextQueueCreateWithNativeHandle(uintptr_t native, object *c, object *d, int own, object **out) { return own ? INVALID_VALUE : adopt(native, c, out); }
#else
int piextQueueCreateWithNativeHandle(uintptr_t native, int32_t description, object *c, object *d, int own, uint64_t *properties, object **out) {
  return own || properties[0] != ~(uint64_t)0 || properties[2] ? INVALID_VALUE : adopt(native, c, out);
}
#endif

int piPluginGetLastError(char **message) {
  *message = last_error;
  return SPECIFIC;
}

int piTearDown(void *parameter) {
  plugin_torn_down++, plugin_live_at_end = device_live;
  if (parameter)
    *(char *)parameter = 1;
  return OK;
}

typedef struct {
  char version[PI_TEXT], plugin[PI_TEXT];
  const char *targets;
  void *table[256];
} record;

int piPluginInit(record *r) {
#ifdef PI_RESULT
  return PI_RESULT;
#endif
#ifdef PI_TAKES
  if (strcmp(r->version, PI_TAKES))
    return INVALID_OPERATION;
#endif
#define ENTRY(name) (void *)name,
  void *table[] = {PI_TABLE(ENTRY)};
#ifdef PI_NULL
  table[PI_NULL] = NULL;
#endif
#ifdef PI_JUNK
  table[PI_JUNK] = (void *)0x1234;
#endif
  memset(r->plugin, 0, sizeof r->plugin);
  strncpy(r->plugin, PI_VERSION, sizeof r->plugin);
  r->targets = "";
  memcpy(r->table, table, sizeof table);
  return OK;
}
