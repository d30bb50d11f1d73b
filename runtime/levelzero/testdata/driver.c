// A driver of our own for Level Zero's loader (ZE_ENABLE_ALT_DRIVERS). It checks
// handles and the order of calls; kernels run in the test's process, which gives
// the driver its functions (fake_set_backend). Commands are done when they are
// appended.
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

enum kind { DRIVER, DEVICE, CONTEXT, LIST, POOL, EVENT, MODULE, LOG, KERNEL, MEMORY };
static const char *kind_names[] = {"driver", "device", "context", "list", "pool", "event", "module", "log", "kernel", "memory"};
enum { INJECTED = -4711, MAX_ARGS = 16 };

typedef struct object object;
struct object {
  enum kind kind;
  int alive, done, children;
  object *next, *parent;
  uintptr_t id; // of the test
  uint64_t at, size, time;
  char *text;
  uint32_t group[3], offset[3];
  struct { uint64_t size; char bytes[128]; int set, null; } args[MAX_ARGS];
};

// What the test does. Ids are not 0.
struct backend {
  uintptr_t (*alloc)(uintptr_t kind, uintptr_t size);
  uintptr_t (*release)(uintptr_t address);
  uintptr_t (*module)(const uint8_t *const *codes, const size_t *sizes, uintptr_t count, char *log);
  uintptr_t (*link)(const uintptr_t *ids, uintptr_t count, char *log);
  uintptr_t (*unload)(uintptr_t id);
  uintptr_t (*global)(uintptr_t id, const char *name, size_t *size);
  uintptr_t (*kernel)(uintptr_t id, const char *name, uint32_t *required);
  uintptr_t (*forget)(uintptr_t id);
  uintptr_t (*launch)(uintptr_t id, const uint64_t *sizes, void *const *values, const uint32_t *shape);
};
static struct backend backend;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static object *objects;
static char faults[1 << 16], calls[1 << 20];
static int (*hook)(const char *);
static object driver = {.kind = DRIVER, .alive = 1}, device = {.kind = DEVICE, .alive = 1}, second = {.kind = DEVICE, .alive = 1};
static int without_programs;
static uint64_t clock_now;

static void fault(const char *format, ...) {
  va_list list;
  va_start(list, format);
  pthread_mutex_lock(&lock);
  size_t used = strlen(faults);
  vsnprintf(faults + used, sizeof faults - used - 2, format, list);
  strcat(faults, "\n");
  pthread_mutex_unlock(&lock);
  va_end(list);
}

// fake_take_signals has two calls replace the actions of signals, as drivers
// and their compilers do: with them a nil pointer of Go ends the process.
static int taking;
static void end_process(int signal) { _exit(3); }
static void take_signals(const char *name) {
  if (!taking || (strcmp(name, "zeContextCreate") && strcmp(name, "zeModuleCreate")))
    return;
  struct sigaction action = {.sa_handler = end_process};
  sigaction(SIGSEGV, &action, 0);
  sigaction(SIGFPE, &action, 0);
}
void fake_take_signals(int on) { taking = on; }


// What the test sets: fake_set("lost", code).
static struct {
  const char *name;
  int value;
} settings[] = {{"lost", 0} /* of every call: the device is gone */, {"fail_builds", 0}, {"fail_links", 0}, {"log_size", 0}, {"log_lines", 1},
                {"claimed_handles", 0}, {"null_devices", 0}, {"bad_device", 0}, {"odd_name", 0}, {"huge_binary", 0},
                {"device_type", 0}, {"second_device", 0}, {"module_flags", ZE_DEVICE_MODULE_FLAG_FP16}, {"spirv", ZE_MAKE_VERSION(1, 4)}, {"copy_only", 0}};
static int *setting(const char *name) {
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    if (!strcmp(settings[i].name, name))
      return &settings[i].value;
  abort();
}
// fake_set returns the value from before.
int fake_set(const char *name, int value) {
  int before = *setting(name);
  *setting(name) = value;
  return before;
}

// enter returns the code that a call fails with, 0 if it does not.
static int enter(const char *name) {
  take_signals(name);
  pthread_mutex_lock(&lock);
  size_t used = strlen(calls);
  if (used + strlen(name) + 2 < sizeof calls)
    sprintf(calls + used, "%s\n", name);
  pthread_mutex_unlock(&lock);
  return hook && hook(name) ? INJECTED : *setting("lost");
}
#define ENTER(name) do { int code = enter(name); if (code) return code; } while (0)

static object *make(enum kind kind, object *parent) {
  object *o = calloc(1, sizeof *o);
  o->kind = kind;
  o->alive = 1;
  o->parent = parent;
  pthread_mutex_lock(&lock);
  if (parent)
    parent->children++;
  o->next = objects;
  objects = o;
  pthread_mutex_unlock(&lock);
  return o;
}

static int check(const char *call, void *handle, enum kind kind) {
  object *o = handle;
  if (!o || o->kind != kind || !o->alive) {
    fault("%s: the %s is %s", call, kind_names[kind], !o ? "null" : o->alive ? "another thing" : "released");
    return 0;
  }
  return 1;
}
#define CHECK(call, handle, kind) do { if (!check(call, handle, kind)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE; } while (0)

// destroy releases, also where the test has the call fail.
static ze_result_t destroy(const char *call, void *handle, enum kind kind) {
  int injected = enter(call) == INJECTED;
  object *o = handle;
  CHECK(call, o, kind);
  if (o->children)
    fault("%s: %d things of the %s are left", call, o->children, kind_names[kind]);
  pthread_mutex_lock(&lock);
  o->alive = 0;
  if (o->parent)
    o->parent->children--;
  pthread_mutex_unlock(&lock);
  return injected ? INJECTED : ZE_RESULT_SUCCESS;
}

void fake_set_backend(const struct backend *b) { backend = *b; }
void fake_set_hook(int (*f)(const char *)) { hook = f; }
void fake_set_programs(int has) { without_programs = !has; }
const char *fake_faults(void) { return faults; }
const char *fake_calls(void) { return calls; }
void fake_reset(void) { faults[0] = calls[0] = 0; }
int fake_live(void) {
  int n = 0;
  pthread_mutex_lock(&lock);
  for (object *o = objects; o; o = o->next)
    n += o->alive;
  pthread_mutex_unlock(&lock);
  return n;
}

static ze_result_t f_init(ze_init_flags_t flags) { (void)flags; return ZE_RESULT_SUCCESS; }
static ze_result_t one(uint32_t *count, void **list, void *handle) {
  if (*count == 0 || !list) {
    *count = *setting("claimed_handles") ? (uint32_t)*setting("claimed_handles") : 1;
    return ZE_RESULT_SUCCESS;
  }
  *count = 1;
  list[0] = handle;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_driver_get(uint32_t *n, ze_driver_handle_t *l) { ENTER("zeDriverGet"); return one(n, (void **)l, &driver); }
static ze_result_t f_version(ze_driver_handle_t d, ze_api_version_t *v) {
  ENTER("zeDriverGetApiVersion");
  CHECK("zeDriverGetApiVersion", d, DRIVER);
  *v = ZE_MAKE_VERSION(1, 4);
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_driver_properties(ze_driver_handle_t d, ze_driver_properties_t *p) {
  ENTER("zeDriverGetProperties");
  CHECK("zeDriverGetProperties", d, DRIVER);
  if (p->stype != ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES)
    fault("zeDriverGetProperties: stype");
  p->driverVersion = 17;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_extensions(ze_driver_handle_t d, uint32_t *n, ze_driver_extension_properties_t *list) {
  ENTER("zeDriverGetExtensionProperties");
  CHECK("zeDriverGetExtensionProperties", d, DRIVER);
  const char *names[] = {"ZE_experimental_global_offset", "ZE_experimental_module_program"};
  uint32_t has = without_programs ? 1 : 2;
  for (uint32_t i = 0; list && i < *n && i < has; i++)
    strcpy(list[i].name, names[i]);
  *n = has;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_device_get(ze_driver_handle_t d, uint32_t *n, ze_device_handle_t *l) {
  ENTER("zeDeviceGet");
  CHECK("zeDeviceGet", d, DRIVER);
  if (!*setting("second_device"))
    return one(n, (void **)l, *setting("null_devices") ? NULL : &device);
  if (l)
    l[0] = (void *)&device, l[1] = (void *)&second;
  *n = 2;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_device_properties(ze_device_handle_t d, ze_device_properties_t *p) {
  ENTER("zeDeviceGetProperties");
  if (*setting("bad_device") && d == (void *)&device)
    return *setting("bad_device");
  CHECK("zeDeviceGetProperties", d, DEVICE);
  if (p->stype != ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES)
    fault("zeDeviceGetProperties: stype");
  p->type = *setting("device_type") && d == (void *)&device ? *setting("device_type") : ZE_DEVICE_TYPE_GPU;
  p->vendorId = 0x8086;
  p->deviceId = 0x1234;
  p->coreClockRate = 1000;
  p->maxMemAllocSize = 1 << 28;
  p->numEUsPerSubslice = 8;
  p->numSubslicesPerSlice = 2;
  p->numSlices = 1;
  p->timerResolution = 100;
  p->timestampValidBits = p->kernelTimestampValidBits = 32;
  strcpy(p->name, *setting("odd_name") ? "Fake\x1b[2JGPU\r\n\xff" : "Fake Level Zero GPU");
  if (*setting("odd_name")) {
    p->maxMemAllocSize = ~(uint64_t)0;
    memset(p->name + strlen(p->name), 'x', ZE_MAX_DEVICE_NAME - strlen(p->name)); // no end
  }
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_compute(ze_device_handle_t d, ze_device_compute_properties_t *p) {
  ENTER("zeDeviceGetComputeProperties");
  CHECK("zeDeviceGetComputeProperties", d, DEVICE);
  if (p->stype != ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES)
    fault("zeDeviceGetComputeProperties: stype");
  p->maxTotalGroupSize = p->maxGroupSizeX = p->maxGroupSizeY = p->maxGroupSizeZ = 512;
  p->maxGroupCountX = p->maxGroupCountY = p->maxGroupCountZ = 0x7fffffff;
  p->maxSharedLocalMemory = 64 << 10;
  p->numSubGroupSizes = 2;
  p->subGroupSizes[0] = 8;
  p->subGroupSizes[1] = 16;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_modules(ze_device_handle_t d, ze_device_module_properties_t *p) {
  ENTER("zeDeviceGetModuleProperties");
  CHECK("zeDeviceGetModuleProperties", d, DEVICE);
  if (p->stype != ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES)
    fault("zeDeviceGetModuleProperties: stype");
  p->spirvVersionSupported = *setting("spirv");
  p->flags = *setting("module_flags");
  p->fp32flags = ZE_DEVICE_FP_FLAG_INF_NAN | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST | ZE_DEVICE_FP_FLAG_FMA;
  p->fp16flags = p->flags & ZE_DEVICE_MODULE_FLAG_FP16 ? ZE_DEVICE_FP_FLAG_SOFT_FLOAT : 0;
  p->fp64flags = p->flags & ZE_DEVICE_MODULE_FLAG_FP64 ? ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT : 0;
  p->maxArgumentsSize = 2048;
  p->printfBufferSize = 4096;
  return ZE_RESULT_SUCCESS;
}
// Two groups of queues, of which the first cannot run kernels.
enum { COPY_GROUP, COMPUTE_GROUP, GROUPS };
static ze_result_t f_groups(ze_device_handle_t d, uint32_t *n, ze_command_queue_group_properties_t *list) {
  ENTER("zeDeviceGetCommandQueueGroupProperties");
  CHECK("zeDeviceGetCommandQueueGroupProperties", d, DEVICE);
  for (uint32_t i = 0; list && i < *n && i < GROUPS; i++) {
    if (list[i].stype != ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES)
      fault("zeDeviceGetCommandQueueGroupProperties: stype");
    list[i].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
    if (i == COMPUTE_GROUP && !*setting("copy_only"))
      list[i].flags |= ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
    list[i].maxMemoryFillPatternSize = i == COMPUTE_GROUP ? 128 : 1;
    list[i].numQueues = 1;
  }
  *n = GROUPS;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_memory(ze_device_handle_t d, uint32_t *n, ze_device_memory_properties_t *list) {
  ENTER("zeDeviceGetMemoryProperties");
  CHECK("zeDeviceGetMemoryProperties", d, DEVICE);
  if (list && *n) {
    if (list->stype != ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES)
      fault("zeDeviceGetMemoryProperties: stype");
    list->totalSize = 1 << 28;
  }
  *n = 1;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_context(ze_driver_handle_t d, const ze_context_desc_t *desc, ze_context_handle_t *c) {
  ENTER("zeContextCreate");
  CHECK("zeContextCreate", d, DRIVER);
  if (desc->stype != ZE_STRUCTURE_TYPE_CONTEXT_DESC)
    fault("zeContextCreate: stype");
  *c = (void *)make(CONTEXT, 0);
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_context_destroy(ze_context_handle_t c) { return destroy("zeContextDestroy", c, CONTEXT); }

static ze_result_t f_list(ze_context_handle_t c, ze_device_handle_t d, const ze_command_queue_desc_t *desc, ze_command_list_handle_t *l) {
  ENTER("zeCommandListCreateImmediate");
  CHECK("zeCommandListCreateImmediate", c, CONTEXT);
  CHECK("zeCommandListCreateImmediate", d, DEVICE);
  if (desc->stype != ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC || desc->mode != ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS)
    fault("zeCommandListCreateImmediate: the descriptor");
  if (desc->ordinal != COMPUTE_GROUP)
    fault("zeCommandListCreateImmediate: the group %u runs no kernels", desc->ordinal);
  *l = (void *)make(LIST, (object *)c);
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_list_destroy(ze_command_list_handle_t l) { return destroy("zeCommandListDestroy", l, LIST); }
static ze_result_t f_barrier(ze_command_list_handle_t l, ze_event_handle_t s, uint32_t n, ze_event_handle_t *w) {
  ENTER("zeCommandListAppendBarrier");
  (void)s, (void)n, (void)w;
  CHECK("zeCommandListAppendBarrier", l, LIST);
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_signal(ze_command_list_handle_t l, ze_event_handle_t e) {
  ENTER("zeCommandListAppendSignalEvent");
  CHECK("zeCommandListAppendSignalEvent", l, LIST);
  CHECK("zeCommandListAppendSignalEvent", e, EVENT);
  object *o = (object *)e;
  if (o->done)
    fault("zeCommandListAppendSignalEvent: the event was set and not reset");
  o->done = 1;
  o->time = ++clock_now;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_wait(ze_command_list_handle_t l, uint32_t n, ze_event_handle_t *e) {
  ENTER("zeCommandListAppendWaitOnEvents");
  CHECK("zeCommandListAppendWaitOnEvents", l, LIST);
  for (uint32_t i = 0; i < n; i++) {
    CHECK("zeCommandListAppendWaitOnEvents", e[i], EVENT);
    if (!((object *)e[i])->done)
      fault("zeCommandListAppendWaitOnEvents: nothing sets the event");
  }
  return ZE_RESULT_SUCCESS;
}

// in_range tells faults of transfers that begin in an allocation and leave it.
static void in_range(const char *call, const void *p, size_t size) {
  uint64_t at = (uintptr_t)p;
  pthread_mutex_lock(&lock);
  object *o = objects;
  while (o && !(o->kind == MEMORY && o->alive && at >= o->at && at < o->at + o->size))
    o = o->next;
  pthread_mutex_unlock(&lock);
  if (o && at + size > o->at + o->size)
    fault("%s: %zu bytes leave an allocation of %zu", call, size, (size_t)o->size);
}
static ze_result_t f_copy(ze_command_list_handle_t l, void *to, const void *from, size_t size, ze_event_handle_t s, uint32_t n, ze_event_handle_t *w) {
  ENTER("zeCommandListAppendMemoryCopy");
  (void)s, (void)n, (void)w;
  CHECK("zeCommandListAppendMemoryCopy", l, LIST);
  in_range("zeCommandListAppendMemoryCopy", to, size);
  in_range("zeCommandListAppendMemoryCopy", from, size);
  memmove(to, from, size);
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_fill(ze_command_list_handle_t l, void *to, const void *pattern, size_t width, size_t size, ze_event_handle_t s, uint32_t n, ze_event_handle_t *w) {
  ENTER("zeCommandListAppendMemoryFill");
  (void)s, (void)n, (void)w;
  CHECK("zeCommandListAppendMemoryFill", l, LIST);
  in_range("zeCommandListAppendMemoryFill", to, size);
  for (size_t i = 0; i < size; i++)
    ((char *)to)[i] = ((const char *)pattern)[i % width];
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_launch(ze_command_list_handle_t l, ze_kernel_handle_t k, const ze_group_count_t *g, ze_event_handle_t s, uint32_t n, ze_event_handle_t *w) {
  ENTER("zeCommandListAppendLaunchKernel");
  (void)s, (void)n, (void)w;
  CHECK("zeCommandListAppendLaunchKernel", l, LIST);
  CHECK("zeCommandListAppendLaunchKernel", k, KERNEL);
  object *o = (object *)k;
  uint64_t sizes[MAX_ARGS + 1] = {0};
  void *values[MAX_ARGS] = {0};
  for (int i = 0; i < MAX_ARGS && o->args[i].set; i++) {
    sizes[i] = o->args[i].size;
    values[i] = o->args[i].null ? 0 : o->args[i].bytes;
  }
  if (!o->group[0])
    fault("zeCommandListAppendLaunchKernel: no group size was set");
  uint32_t shape[] = {o->group[0], o->group[1], o->group[2], g->groupCountX, g->groupCountY, g->groupCountZ, o->offset[0], o->offset[1], o->offset[2]};
  return backend.launch(o->id, sizes, values, shape) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNKNOWN;
}

static ze_result_t f_pool(ze_context_handle_t c, const ze_event_pool_desc_t *desc, uint32_t n, ze_device_handle_t *d, ze_event_pool_handle_t *p) {
  ENTER("zeEventPoolCreate");
  CHECK("zeEventPoolCreate", c, CONTEXT);
  if (desc->stype != ZE_STRUCTURE_TYPE_EVENT_POOL_DESC || desc->count != 1 || n != 1)
    fault("zeEventPoolCreate: the descriptor");
  CHECK("zeEventPoolCreate", d[0], DEVICE);
  object *o = make(POOL, (object *)c);
  o->size = desc->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
  *p = (void *)o;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_pool_destroy(ze_event_pool_handle_t p) { return destroy("zeEventPoolDestroy", p, POOL); }
static ze_result_t f_event(ze_event_pool_handle_t p, const ze_event_desc_t *desc, ze_event_handle_t *e) {
  ENTER("zeEventCreate");
  CHECK("zeEventCreate", p, POOL);
  if (desc->stype != ZE_STRUCTURE_TYPE_EVENT_DESC || desc->index)
    fault("zeEventCreate: the descriptor");
  object *o = make(EVENT, (object *)p);
  o->size = o->parent->size;
  *e = (void *)o;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_event_destroy(ze_event_handle_t e) { return destroy("zeEventDestroy", e, EVENT); }
static ze_result_t f_event_wait(ze_event_handle_t e, uint64_t timeout) {
  ENTER("zeEventHostSynchronize");
  (void)timeout;
  CHECK("zeEventHostSynchronize", e, EVENT);
  if (!((object *)e)->done)
    fault("zeEventHostSynchronize: nothing sets the event");
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_event_query(ze_event_handle_t e) {
  ENTER("zeEventQueryStatus");
  CHECK("zeEventQueryStatus", e, EVENT);
  return ((object *)e)->done ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}
static ze_result_t f_event_time(ze_event_handle_t e, ze_kernel_timestamp_result_t *r) {
  ENTER("zeEventQueryKernelTimestamp");
  CHECK("zeEventQueryKernelTimestamp", e, EVENT);
  object *o = (object *)e;
  if (!o->size || !o->done)
    fault("zeEventQueryKernelTimestamp: the event has no time");
  r->global.kernelStart = r->global.kernelEnd = r->context.kernelStart = r->context.kernelEnd = o->time;
  return ZE_RESULT_SUCCESS;
}

static ze_result_t allocate(ze_context_handle_t c, int kind, size_t size, void **p) {
  uintptr_t at = backend.alloc(kind, size);
  if (!at)
    return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
  object *o = make(MEMORY, (object *)c);
  o->at = at;
  o->size = size;
  *p = (void *)at;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_alloc_device(ze_context_handle_t c, const ze_device_mem_alloc_desc_t *desc, size_t size, size_t align, ze_device_handle_t d, void **p) {
  ENTER("zeMemAllocDevice");
  CHECK("zeMemAllocDevice", c, CONTEXT);
  CHECK("zeMemAllocDevice", d, DEVICE);
  if (desc->stype != ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC || (align & (align - 1)))
    fault("zeMemAllocDevice: the descriptor");
  return allocate(c, 1, size, p);
}
static ze_result_t f_alloc_host(ze_context_handle_t c, const ze_host_mem_alloc_desc_t *desc, size_t size, size_t align, void **p) {
  ENTER("zeMemAllocHost");
  CHECK("zeMemAllocHost", c, CONTEXT);
  if (desc->stype != ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC || (align & (align - 1)))
    fault("zeMemAllocHost: the descriptor");
  return allocate(c, 2, size, p);
}
static ze_result_t f_alloc_shared(ze_context_handle_t c, const ze_device_mem_alloc_desc_t *dd, const ze_host_mem_alloc_desc_t *hd, size_t size, size_t align, ze_device_handle_t d, void **p) {
  ENTER("zeMemAllocShared");
  CHECK("zeMemAllocShared", c, CONTEXT);
  CHECK("zeMemAllocShared", d, DEVICE);
  if (dd->stype != ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC || hd->stype != ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC || (align & (align - 1)))
    fault("zeMemAllocShared: the descriptors");
  return allocate(c, 3, size, p);
}
static object *memory_at(void *p, int inside) {
  uint64_t at = (uintptr_t)p;
  pthread_mutex_lock(&lock);
  object *o = objects;
  while (o && !(o->kind == MEMORY && o->alive && (inside ? at >= o->at && at < o->at + o->size : at == o->at)))
    o = o->next;
  pthread_mutex_unlock(&lock);
  return o;
}
static ze_result_t f_free(ze_context_handle_t c, void *p) {
  CHECK("zeMemFree", c, CONTEXT);
  object *o = memory_at(p, 0);
  ze_result_t r = destroy("zeMemFree", o, MEMORY);
  if (o)
    backend.release(o->at);
  return r;
}
static ze_result_t f_range(ze_context_handle_t c, const void *p, void **base, size_t *size) {
  ENTER("zeMemGetAddressRange");
  CHECK("zeMemGetAddressRange", c, CONTEXT);
  object *o = memory_at((void *)p, 1);
  if (!o)
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  *base = (void *)o->at;
  *size = o->size;
  return ZE_RESULT_SUCCESS;
}

// The binary of a module is its sources, each after its size, after a word that
// tells it from SPIR-V.
static const uint64_t binary_magic = 0x79726e6962657a66;

static void keep_binary(object *o, const uint8_t *const *codes, const size_t *sizes, uintptr_t count) {
  size_t room = sizeof binary_magic;
  for (uintptr_t i = 0; i < count; i++)
    room += sizeof(size_t) + sizes[i];
  char *at = malloc(room);
  o->text = at;
  o->size = room;
  memcpy(at, &binary_magic, sizeof binary_magic);
  at += sizeof binary_magic;
  for (uintptr_t i = 0; i < count; i++) {
    memcpy(at, &sizes[i], sizeof(size_t));
    memcpy(at + sizeof(size_t), codes[i], sizes[i]);
    at += sizeof(size_t) + sizes[i];
  }
}

enum { MAX_SOURCES = 64 };

// read_binary finds the sources; 0 for bytes that are no binary.
static uintptr_t read_binary(const uint8_t *code, size_t size, const uint8_t **codes, size_t *sizes) {
  if (size < sizeof binary_magic || memcmp(code, &binary_magic, sizeof binary_magic))
    return 0;
  uintptr_t count = 0;
  for (size_t at = sizeof binary_magic; at < size && count < MAX_SOURCES; count++) {
    memcpy(&sizes[count], code + at, sizeof(size_t));
    codes[count] = code + at + sizeof(size_t);
    at += sizeof(size_t) + sizes[count];
  }
  return count;
}

static ze_result_t f_native_binary(ze_module_handle_t m, size_t *size, uint8_t *binary) {
  ENTER("zeModuleGetNativeBinary");
  CHECK("zeModuleGetNativeBinary", m, MODULE);
  object *o = (object *)m;
  if (binary)
    memcpy(binary, o->text, *size < o->size ? *size : o->size);
  *size = *setting("huge_binary") ? ~(size_t)0 >> 1 : o->size;
  return ZE_RESULT_SUCCESS;
}

// long_log is log_lines lines that add up to log_size bytes.
static char *long_log(void) {
  size_t length = (size_t)*setting("log_size"), lines = (size_t)*setting("log_lines");
  char *log = malloc(length + 1);
  memset(log, '.', length);
  for (size_t i = 1; i <= lines; i++)
    log[i * (length / lines) - 1] = '\n';
  memcpy(log, "error: the first of many", strlen("error: the first of many"));
  log[length] = 0;
  return log;
}

static ze_result_t f_module(ze_context_handle_t c, ze_device_handle_t d, const ze_module_desc_t *desc, ze_module_handle_t *m, ze_module_build_log_handle_t *log) {
  ENTER("zeModuleCreate");
  CHECK("zeModuleCreate", c, CONTEXT);
  CHECK("zeModuleCreate", d, DEVICE);
  if (desc->stype != ZE_STRUCTURE_TYPE_MODULE_DESC)
    fault("zeModuleCreate: the descriptor");
  const uint8_t *code = desc->pInputModule;
  const uint8_t *const *codes = &code;
  const size_t *sizes = &desc->inputSize;
  uintptr_t count = 1;
  const ze_module_program_exp_desc_t *program = desc->pNext;
  if (program) {
    if (program->stype != ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC || without_programs)
      fault("zeModuleCreate: the program's descriptor");
    codes = (const uint8_t *const *)program->pInputModules;
    sizes = program->inputSizes;
    count = program->count;
  }
  const uint8_t *stored[MAX_SOURCES];
  size_t stored_sizes[MAX_SOURCES];
  if (desc->format == ZE_MODULE_FORMAT_NATIVE) {
    count = read_binary(desc->pInputModule, desc->inputSize, stored, stored_sizes);
    codes = stored, sizes = stored_sizes;
    if (!count)
      return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
  }
  char text[4096] = "";
  uintptr_t id = *setting("fail_builds") ? 0 : backend.module(codes, sizes, count, text);
  object *l = make(LOG, 0);
  l->text = *setting("log_size") ? long_log() : strdup(text);
  *log = (void *)l;
  if (!id)
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
  object *o = make(MODULE, (object *)c);
  o->id = id;
  keep_binary(o, codes, sizes, count);
  *m = (void *)o;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_module_destroy(ze_module_handle_t m) {
  object *o = (object *)m;
  ze_result_t r = destroy("zeModuleDestroy", m, MODULE);
  backend.unload(o->id);
  return r;
}
static ze_result_t f_link(uint32_t n, ze_module_handle_t *list, ze_module_build_log_handle_t *log) {
  ENTER("zeModuleDynamicLink");
  uintptr_t ids[64];
  for (uint32_t i = 0; i < n && i < 64; i++) {
    CHECK("zeModuleDynamicLink", list[i], MODULE);
    ids[i] = ((object *)list[i])->id;
  }
  char text[4096] = "";
  uintptr_t ok = *setting("fail_links") ? 0 : backend.link(ids, n, text);
  object *l = make(LOG, 0);
  l->text = *setting("log_size") ? long_log() : strdup(text);
  *log = (void *)l;
  return ok ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_MODULE_LINK_FAILURE;
}
static ze_result_t f_log_text(ze_module_build_log_handle_t log, size_t *size, char *text) {
  ENTER("zeModuleBuildLogGetString");
  CHECK("zeModuleBuildLogGetString", log, LOG);
  object *o = (object *)log;
  if (text)
    snprintf(text, *size, "%s", o->text);
  *size = strlen(o->text) + 1;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_log_destroy(ze_module_build_log_handle_t log) { return destroy("zeModuleBuildLogDestroy", log, LOG); }
static ze_result_t f_global(ze_module_handle_t m, const char *name, size_t *size, void **p) {
  ENTER("zeModuleGetGlobalPointer");
  CHECK("zeModuleGetGlobalPointer", m, MODULE);
  *p = (void *)backend.global(((object *)m)->id, name, size);
  return *p ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
}

static ze_result_t f_kernel(ze_module_handle_t m, const ze_kernel_desc_t *desc, ze_kernel_handle_t *k) {
  ENTER("zeKernelCreate");
  CHECK("zeKernelCreate", m, MODULE);
  if (desc->stype != ZE_STRUCTURE_TYPE_KERNEL_DESC)
    fault("zeKernelCreate: stype");
  uint32_t required[3] = {0};
  uintptr_t id = backend.kernel(((object *)m)->id, desc->pKernelName, required);
  if (!id)
    return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
  object *o = make(KERNEL, (object *)m);
  o->id = id;
  o->at = required[0] | (uint64_t)required[1] << 16 | (uint64_t)required[2] << 32;
  *k = (void *)o;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_kernel_destroy(ze_kernel_handle_t k) {
  object *o = (object *)k;
  ze_result_t r = destroy("zeKernelDestroy", k, KERNEL);
  backend.forget(o->id);
  return r;
}
static ze_result_t f_argument(ze_kernel_handle_t k, uint32_t i, size_t size, const void *value) {
  ENTER("zeKernelSetArgumentValue");
  CHECK("zeKernelSetArgumentValue", k, KERNEL);
  object *o = (object *)k;
  if (i >= MAX_ARGS || size > sizeof o->args[i].bytes * (value ? 1 : 1024))
    return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
  o->args[i].set = 1;
  o->args[i].size = size;
  o->args[i].null = !value;
  if (value)
    memcpy(o->args[i].bytes, value, size);
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_group(ze_kernel_handle_t k, uint32_t x, uint32_t y, uint32_t z) {
  ENTER("zeKernelSetGroupSize");
  CHECK("zeKernelSetGroupSize", k, KERNEL);
  object *o = (object *)k;
  o->group[0] = x, o->group[1] = y, o->group[2] = z;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_offset(ze_kernel_handle_t k, uint32_t x, uint32_t y, uint32_t z) {
  ENTER("zeKernelSetGlobalOffsetExp");
  CHECK("zeKernelSetGlobalOffsetExp", k, KERNEL);
  object *o = (object *)k;
  o->offset[0] = x, o->offset[1] = y, o->offset[2] = z;
  return ZE_RESULT_SUCCESS;
}
static ze_result_t f_indirect(ze_kernel_handle_t k, ze_kernel_indirect_access_flags_t flags) {
  ENTER("zeKernelSetIndirectAccess");
  CHECK("zeKernelSetIndirectAccess", k, KERNEL);
  return flags == 7 ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ENUMERATION;
}
static ze_result_t f_kernel_properties(ze_kernel_handle_t k, ze_kernel_properties_t *p) {
  ENTER("zeKernelGetProperties");
  CHECK("zeKernelGetProperties", k, KERNEL);
  if (p->stype != ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES)
    fault("zeKernelGetProperties: stype");
  uint64_t required = ((object *)k)->at;
  p->requiredGroupSizeX = required & 0xffff;
  p->requiredGroupSizeY = required >> 16 & 0xffff;
  p->requiredGroupSizeZ = required >> 32 & 0xffff;
  p->maxSubgroupSize = 16;
  return ZE_RESULT_SUCCESS;
}

#define TABLE(name, type, ...) \
  ZE_DLLEXPORT ze_result_t ZE_APICALL zeGet##name##ProcAddrTable(ze_api_version_t version, type *t) { \
    (void)version; \
    (void)t; \
    __VA_ARGS__; \
    return ZE_RESULT_SUCCESS; \
  }
TABLE(Global, ze_global_dditable_t, t->pfnInit = f_init)
TABLE(Driver, ze_driver_dditable_t, t->pfnGet = f_driver_get; t->pfnGetApiVersion = f_version; t->pfnGetProperties = f_driver_properties;
      t->pfnGetExtensionProperties = f_extensions)
TABLE(Device, ze_device_dditable_t, t->pfnGet = f_device_get; t->pfnGetProperties = f_device_properties;
      t->pfnGetComputeProperties = f_compute; t->pfnGetModuleProperties = f_modules; t->pfnGetCommandQueueGroupProperties = f_groups;
      t->pfnGetMemoryProperties = f_memory)
TABLE(DeviceExp, ze_device_exp_dditable_t, )
TABLE(Context, ze_context_dditable_t, t->pfnCreate = f_context; t->pfnDestroy = f_context_destroy)
TABLE(CommandQueue, ze_command_queue_dditable_t, )
TABLE(CommandList, ze_command_list_dditable_t, t->pfnCreateImmediate = f_list; t->pfnDestroy = f_list_destroy; t->pfnAppendBarrier = f_barrier;
      t->pfnAppendSignalEvent = f_signal; t->pfnAppendWaitOnEvents = f_wait; t->pfnAppendMemoryCopy = f_copy;
      t->pfnAppendMemoryFill = f_fill; t->pfnAppendLaunchKernel = f_launch)
TABLE(Image, ze_image_dditable_t, )
TABLE(ImageExp, ze_image_exp_dditable_t, )
TABLE(Fence, ze_fence_dditable_t, )
TABLE(EventPool, ze_event_pool_dditable_t, t->pfnCreate = f_pool; t->pfnDestroy = f_pool_destroy)
TABLE(Event, ze_event_dditable_t, t->pfnCreate = f_event; t->pfnDestroy = f_event_destroy; t->pfnHostSynchronize = f_event_wait;
      t->pfnQueryStatus = f_event_query; t->pfnQueryKernelTimestamp = f_event_time)
TABLE(EventExp, ze_event_exp_dditable_t, )
TABLE(Module, ze_module_dditable_t, t->pfnCreate = f_module; t->pfnDestroy = f_module_destroy; t->pfnDynamicLink = f_link;
      t->pfnGetGlobalPointer = f_global; t->pfnGetNativeBinary = f_native_binary)
TABLE(ModuleBuildLog, ze_module_build_log_dditable_t, t->pfnGetString = f_log_text; t->pfnDestroy = f_log_destroy)
TABLE(Kernel, ze_kernel_dditable_t, t->pfnCreate = f_kernel; t->pfnDestroy = f_kernel_destroy; t->pfnSetArgumentValue = f_argument;
      t->pfnSetGroupSize = f_group; t->pfnSetIndirectAccess = f_indirect; t->pfnGetProperties = f_kernel_properties)
TABLE(KernelExp, ze_kernel_exp_dditable_t, t->pfnSetGlobalOffsetExp = f_offset)
TABLE(Sampler, ze_sampler_dditable_t, )
TABLE(PhysicalMem, ze_physical_mem_dditable_t, )
TABLE(Mem, ze_mem_dditable_t, t->pfnAllocDevice = f_alloc_device; t->pfnAllocHost = f_alloc_host; t->pfnAllocShared = f_alloc_shared;
      t->pfnFree = f_free; t->pfnGetAddressRange = f_range)
TABLE(VirtualMem, ze_virtual_mem_dditable_t, )
TABLE(FabricVertexExp, ze_fabric_vertex_exp_dditable_t, )
TABLE(FabricEdgeExp, ze_fabric_edge_exp_dditable_t, )

// The loader wants the tables of tools and of system management too.
#define EMPTY(name) \
  ZE_DLLEXPORT ze_result_t ZE_APICALL name(ze_api_version_t version, void *t) { \
    (void)version; \
    (void)t; \
    return ZE_RESULT_SUCCESS; \
  }
EMPTY(zetGetCommandListProcAddrTable)
EMPTY(zetGetContextProcAddrTable)
EMPTY(zetGetDebugProcAddrTable)
EMPTY(zetGetDeviceProcAddrTable)
EMPTY(zetGetKernelProcAddrTable)
EMPTY(zetGetMetricGroupExpProcAddrTable)
EMPTY(zetGetMetricGroupProcAddrTable)
EMPTY(zetGetMetricProcAddrTable)
EMPTY(zetGetMetricQueryPoolProcAddrTable)
EMPTY(zetGetMetricQueryProcAddrTable)
EMPTY(zetGetMetricStreamerProcAddrTable)
EMPTY(zetGetModuleProcAddrTable)
EMPTY(zetGetTracerExpProcAddrTable)
EMPTY(zesGetDeviceProcAddrTable)
EMPTY(zesGetDiagnosticsProcAddrTable)
EMPTY(zesGetDriverProcAddrTable)
EMPTY(zesGetEngineProcAddrTable)
EMPTY(zesGetFabricPortProcAddrTable)
EMPTY(zesGetFanProcAddrTable)
EMPTY(zesGetFirmwareProcAddrTable)
EMPTY(zesGetFrequencyProcAddrTable)
EMPTY(zesGetLedProcAddrTable)
EMPTY(zesGetMemoryProcAddrTable)
EMPTY(zesGetPerformanceFactorProcAddrTable)
EMPTY(zesGetPowerProcAddrTable)
EMPTY(zesGetPsuProcAddrTable)
EMPTY(zesGetRasProcAddrTable)
EMPTY(zesGetSchedulerProcAddrTable)
EMPTY(zesGetStandbyProcAddrTable)
EMPTY(zesGetTemperatureProcAddrTable)
