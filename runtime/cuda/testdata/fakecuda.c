// A libcuda of our own for tests without a GPU: the functions that the back end
// calls, with NVIDIA's signatures. Work is done when it is submitted, on the
// host. Kernels are C functions below, with the names of the conformance
// suite's; "linking" reads the directives of PTX.
//
// It checks what a GPU would punish: each call that needs a context has one
// current on its thread, handles are alive, and nothing is released twice.
// fake_faults tells what was wrong, fake_live what was not released, and
// fake_hook is asked before each call and can make it fail.
#include <elf.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int CUresult;
typedef struct object object;
enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_PTX = 218, UNSUPPORTED_PTX = 222, INVALID_CONTEXT = 201, NO_BINARY = 209, NOT_FOUND = 500 };
enum kind { CONTEXT, STREAM, EVENT, MODULE, FUNCTION, LINKER, DEVICE_MEMORY, HOST_MEMORY };
static const char *kind_names[] = {"context", "stream", "event", "module", "function", "linker", "device memory", "host memory"};

struct object {
  enum kind kind;
  int alive;
  object *next;
  // memory
  size_t size;
  char *bytes;
  int managed;
  // module, linker: "entry NAME", "global NAME SIZE VALUE" lines; globals
  char *text;
  char *error_log;
  size_t error_size;
  object *globals;
  char name[128];
  // function
  void (*run)(char **);
  int params;
  int timed, recorded;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static object *objects;
static char faults[1 << 16];
static char calls[1 << 20];
static int retained;
static object context = {.kind = CONTEXT, .alive = 1};
static object other_context = {.kind = CONTEXT, .alive = 1}; // of a host program
// The contexts of a thread: the last one is current.
enum { STACK_SIZE = 16 };
static __thread object *stack[STACK_SIZE];
static __thread int pushed;
#define current (pushed ? stack[pushed - 1] : 0)
static int (*hook)(const char *);
static int pageable;      // the device reads the memory of the host's programs
static int ordinal;       // of the device that memory is said to be of
static int most_dynamic;  // the limit of shared memory that was set last
static object other_stream = {.kind = STREAM, .alive = 1};

static void fault(const char *format, ...) {
  va_list list;
  va_start(list, format);
  pthread_mutex_lock(&lock);
  size_t used = strlen(faults);
  vsnprintf(faults + used, sizeof faults - used, format, list);
  used = strlen(faults);
  if (used + 2 < sizeof faults)
    strcpy(faults + used, "\n");
  pthread_mutex_unlock(&lock);
  va_end(list);
}

static int quiet; // for benchmarks: calls are not written down, kernels do not run
static int version = 12040;
static int capability = 80;

// fake_take_signals has two calls replace the actions of signals, as drivers
// and their compilers do: with them a nil pointer of Go ends the process.
static int taking;
static void end_process(int signal) { _exit(3); }
static void take_signals(const char *name) {
  if (!taking || (strcmp(name, "cuInit") && strcmp(name, "cuLinkComplete")))
    return;
  struct sigaction action = {.sa_handler = end_process};
  sigaction(SIGSEGV, &action, 0);
  sigaction(SIGFPE, &action, 0);
}
void fake_take_signals(int on) { taking = on; }


// enter is the begin of each call: 1 if the test has it fail. From 13.0 on calls
// with a stream need no context on their thread (seen with driver 580).
static int enter(const char *name, int needs_context) {
  if (quiet)
    return 0;
  take_signals(name);
  pthread_mutex_lock(&lock);
  size_t used = strlen(calls);
  if (used + strlen(name) + 2 < sizeof calls)
    sprintf(calls + used, "%s\n", name);
  pthread_mutex_unlock(&lock);
  if (needs_context && (current != &context || !retained))
    fault("%s: the context is not current on this thread", name);
  return hook && hook(name) ? 1 : 0;
}

enum { INJECTED = -4711 };
#define ENTER(name) do { if (enter(name, 1)) return INJECTED; } while (0)
#define ENTER_STREAM(name, s) do { if (enter(name, version < 13000 || !(s))) return INJECTED; } while (0)
#define ENTER_FREE(name) do { if (enter(name, 0)) return INJECTED; } while (0)

static object *make(enum kind kind) {
  object *o = calloc(1, sizeof *o);
  o->kind = kind;
  o->alive = 1;
  pthread_mutex_lock(&lock);
  o->next = objects;
  objects = o;
  pthread_mutex_unlock(&lock);
  return o;
}

// check tells whether the object can be used.
static int check(const char *call, object *o, enum kind kind) {
  if (!o && kind == STREAM)
    return 1; // the default stream
  if (!o || o->kind != kind || !o->alive) {
    fault("%s: the %s is %s", call, kind_names[kind], !o ? "null" : o->alive ? "another thing" : "released");
    return 0;
  }
  return 1;
}

static void release(const char *call, object *o, enum kind kind) {
  if (check(call, o, kind))
    o->alive = 0; // the memory stays, so that a later use is seen
}

// range finds the memory of an address, or 0.
static object *range(uintptr_t at) {
  object *found = 0;
  pthread_mutex_lock(&lock);
  for (object *o = objects; o && !found; o = o->next)
    if (o->alive && (o->kind == DEVICE_MEMORY || o->kind == HOST_MEMORY) && at >= (uintptr_t)o->bytes && at < (uintptr_t)o->bytes + o->size)
      found = o;
  pthread_mutex_unlock(&lock);
  return found;
}

static void check_range(const char *call, uintptr_t at, size_t size) {
  object *o = range(at);
  if (o && at + size > (uintptr_t)o->bytes + o->size)
    fault("%s: %zu bytes go beyond an allocation of %zu", call, size, o->size);
}

// For the tests.
void fake_set_quiet(int q) { quiet = q; }
void fake_set_version(int v) { version = v; }
void fake_set_capability(int c) { capability = c; }
void fake_set_hook(int (*f)(const char *)) { hook = f; }
const char *fake_faults(void) { return faults; }
const char *fake_calls(void) { return calls; }
// fake_push_other gives the thread another context, as a host program's own;
// fake_pop_other takes it away, and reports whether it was current.
void fake_push_other(void) { stack[pushed++] = &other_context; }
int fake_pop_other(void) {
  int was = current == &other_context;
  pushed -= was;
  return was;
}
void *fake_stream_of_other(void) { return &other_stream; }
void fake_set_pageable(int on) { pageable = on; }
void fake_set_ordinal(int d) { ordinal = d; }
/* fake_set_devices sets how many devices there are, of which the second fails. */
static int devices = 1;
void fake_set_devices(int n) { devices = n; }
int fake_most_dynamic(void) { return most_dynamic; }
void fake_reset(void) { faults[0] = calls[0] = 0; }
int fake_live(void) {
  int n = retained;
  pthread_mutex_lock(&lock);
  for (object *o = objects; o; o = o->next)
    n += o->alive && o->kind != FUNCTION;
  pthread_mutex_unlock(&lock);
  return n;
}

CUresult cuGetErrorName(CUresult code, const char **name) {
  switch (code) {
  case INJECTED: *name = "INJECTED"; return OK;
  case INVALID_VALUE: *name = "CUDA_ERROR_INVALID_VALUE"; return OK;
  case OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return OK;
  case NO_BINARY: *name = "CUDA_ERROR_NO_BINARY_FOR_GPU"; return OK;
  case INVALID_PTX: *name = "CUDA_ERROR_INVALID_PTX"; return OK;
  case NOT_FOUND: *name = "CUDA_ERROR_NOT_FOUND"; return OK;
  }
  return INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char **text) {
  *text = "the words of the driver";
  return code == NOT_FOUND ? INVALID_VALUE : OK;
}

CUresult cuInit(unsigned flags) { ENTER_FREE("cuInit"); return flags ? INVALID_VALUE : OK; }
CUresult cuDriverGetVersion(int *v) { ENTER_FREE("cuDriverGetVersion"); *v = version; return OK; }
CUresult cuDeviceGetCount(int *n) { ENTER_FREE("cuDeviceGetCount"); *n = devices; return OK; }
CUresult cuDeviceGet(int *d, int i) { ENTER_FREE("cuDeviceGet"); *d = i; return OK; }
CUresult cuDeviceGetName(char *name, int size, int d) {
  ENTER_FREE("cuDeviceGetName");
  snprintf(name, size, "Fake GPU %d", d);
  return OK;
}
CUresult cuDeviceTotalMem_v2(size_t *size, int d) { ENTER_FREE("cuDeviceTotalMem_v2"); *size = 1 << 28; return d == 1 ? 46 : OK; }
CUresult cuDeviceGetAttribute(int *v, int a, int d) {
  ENTER_FREE("cuDeviceGetAttribute");
  switch (a) {
  case 1: *v = 1024; return OK;
  case 2: case 3: *v = 1024; return OK;
  case 4: *v = 64; return OK;
  case 5: *v = 0x7fffffff; return OK;
  case 6: case 7: *v = 65535; return OK;
  case 8: *v = 48 << 10; return OK;
  case 9: *v = 64 << 10; return OK;
  case 10: *v = 32; return OK;
  case 13: *v = 1500000; return OK;
  case 16: *v = 8; return OK;
  case 75: *v = capability / 10; return OK;
  case 76: *v = capability % 10; return OK;
  case 83: *v = 1; return OK;
  case 88: *v = pageable; return OK;
  case 97: *v = 96 << 10; return OK;
  }
  *v = 0;
  return OK;
}

CUresult cuDevicePrimaryCtxRetain(object **c, int d) {
  ENTER_FREE("cuDevicePrimaryCtxRetain");
  pthread_mutex_lock(&lock);
  retained++;
  pthread_mutex_unlock(&lock);
  *c = &context;
  return d;
}
CUresult cuDevicePrimaryCtxRelease_v2(int d) {
  int failed = enter("cuDevicePrimaryCtxRelease_v2", 0);
  pthread_mutex_lock(&lock);
  retained--;
  pthread_mutex_unlock(&lock);
  if (retained < 0)
    fault("the context was released more often than retained");
  return failed ? INJECTED : d;
}
CUresult cuCtxPushCurrent_v2(object *c) {
  ENTER_FREE("cuCtxPushCurrent_v2");
  check("cuCtxPushCurrent_v2", c, CONTEXT);
  if (pushed == STACK_SIZE) {
    fault("cuCtxPushCurrent_v2: the thread has %d contexts already", pushed);
    return INVALID_VALUE;
  }
  stack[pushed++] = c;
  return OK;
}
CUresult cuCtxPopCurrent_v2(object **c) {
  int failed = enter("cuCtxPopCurrent_v2", 0);
  if (!pushed)
    return INVALID_CONTEXT;
  *c = stack[--pushed];
  return failed ? INJECTED : OK;
}

static CUresult allocate(enum kind kind, char **p, size_t size) {
  if (!size || size > 1 << 28)
    return OUT_OF_MEMORY;
  object *o = make(kind);
  o->size = size;
  o->bytes = malloc(size);
  memset(o->bytes, 0xa5, size);
  *p = o->bytes;
  return OK;
}
CUresult cuMemAlloc_v2(char **p, size_t size) { ENTER("cuMemAlloc_v2"); return allocate(DEVICE_MEMORY, p, size); }
CUresult cuMemAllocManaged(char **p, size_t size, unsigned flags) {
  ENTER("cuMemAllocManaged");
  CUresult code = flags == 1 ? allocate(DEVICE_MEMORY, p, size) : INVALID_VALUE;
  if (code == OK)
    range((uintptr_t)*p)->managed = 1;
  return code;
}
CUresult cuMemHostAlloc(char **p, size_t size, unsigned flags) {
  ENTER("cuMemHostAlloc");
  return flags == 3 ? allocate(HOST_MEMORY, p, size) : INVALID_VALUE;
}
static CUresult deallocate(const char *call, enum kind kind, char *p) {
  int failed = enter(call, 1);
  object *o = range((uintptr_t)p);
  if (!o || o->bytes != p || o->kind != kind) {
    fault("%s: no allocation begins there", call);
    return INVALID_VALUE;
  }
  o->alive = 0;
  free(o->bytes);
  return failed ? INJECTED : OK;
}
CUresult cuMemFree_v2(char *p) { return deallocate("cuMemFree_v2", DEVICE_MEMORY, p); }
CUresult cuMemFreeHost(char *p) { return deallocate("cuMemFreeHost", HOST_MEMORY, p); }

CUresult cuPointerGetAttribute(uint64_t *v, int a, char *p) {
  ENTER("cuPointerGetAttribute");
  object *o = range((uintptr_t)p);
  if (!o)
    return INVALID_VALUE;
  switch (a) {
  case 2: *(unsigned *)v = o->kind == HOST_MEMORY ? 1 : 2; return OK;
  case 8: *(unsigned *)v = o->managed; return OK;
  case 9: *(int *)v = ordinal; return OK;
  case 11: *v = (uintptr_t)o->bytes; return OK;
  case 12: *v = o->size; return OK;
  }
  return INVALID_VALUE;
}

CUresult cuMemcpyAsync(char *to, const char *from, size_t size, object *s) {
  ENTER_STREAM("cuMemcpyAsync", s);
  check("cuMemcpyAsync", s, STREAM);
  check_range("cuMemcpyAsync", (uintptr_t)to, size);
  check_range("cuMemcpyAsync", (uintptr_t)from, size);
  memmove(to, from, size);
  return OK;
}
static CUresult set(const char *call, char *to, size_t pitch, unsigned value, int width, size_t count, object *s) {
  ENTER_STREAM(call, s);
  check(call, s, STREAM);
  if (!s)
    fault("%s: the default stream waits for those of a host program", call);
  if ((uintptr_t)to % width || pitch % width)
    fault("%s: the address or the pitch is not aligned", call);
  if (count)
    check_range(call, (uintptr_t)to, pitch * (count - 1) + width);
  for (size_t i = 0; i < count; i++)
    memcpy(to + i * pitch, &value, width);
  return OK;
}
CUresult cuMemsetD8Async(char *to, unsigned char v, size_t n, object *s) { return set("cuMemsetD8Async", to, 1, v, 1, n, s); }
CUresult cuMemsetD16Async(char *to, unsigned short v, size_t n, object *s) { return set("cuMemsetD16Async", to, 2, v, 2, n, s); }
CUresult cuMemsetD32Async(char *to, unsigned v, size_t n, object *s) { return set("cuMemsetD32Async", to, 4, v, 4, n, s); }
CUresult cuMemsetD2D8Async(char *to, size_t pitch, unsigned char v, size_t width, size_t height, object *s) {
  return width == 1 ? set("cuMemsetD2D8Async", to, pitch, v, 1, height, s) : INVALID_VALUE;
}
CUresult cuMemsetD2D32Async(char *to, size_t pitch, unsigned v, size_t width, size_t height, object *s) {
  return width == 1 ? set("cuMemsetD2D32Async", to, pitch, v, 4, height, s) : INVALID_VALUE;
}

CUresult cuStreamCreate(object **s, unsigned flags) {
  ENTER("cuStreamCreate");
  *s = make(STREAM);
  return flags == 1 ? OK : INVALID_VALUE;
}
static CUresult destroy(const char *call, object *o, enum kind kind) {
  int failed = enter(call, 1);
  release(call, o, kind);
  return failed ? INJECTED : OK;
}
CUresult cuStreamDestroy_v2(object *s) { return destroy("cuStreamDestroy_v2", s, STREAM); }
static CUresult use(const char *call, object *o, enum kind kind) {
  ENTER(call);
  return check(call, o, kind) ? OK : INVALID_VALUE;
}
CUresult cuStreamSynchronize(object *s) {
  ENTER_STREAM("cuStreamSynchronize", s);
  return check("cuStreamSynchronize", s, STREAM) ? OK : INVALID_VALUE;
}
CUresult cuStreamQuery(object *s) {
  ENTER_STREAM("cuStreamQuery", s);
  return check("cuStreamQuery", s, STREAM) ? OK : INVALID_VALUE;
}
CUresult cuStreamGetCtx(object *s, object **c) {
  ENTER("cuStreamGetCtx");
  *c = s == &other_stream ? &other_context : &context;
  return check("cuStreamGetCtx", s, STREAM) ? OK : INVALID_VALUE;
}
CUresult cuStreamWaitEvent(object *s, object *e, unsigned flags) {
  ENTER_STREAM("cuStreamWaitEvent", s);
  return check("cuStreamWaitEvent", s, STREAM) && check("cuStreamWaitEvent", e, EVENT) && !flags ? OK : INVALID_VALUE;
}

static uint64_t clock_now;
CUresult cuEventCreate(object **e, unsigned flags) {
  ENTER("cuEventCreate");
  *e = make(EVENT);
  (*e)->timed = flags == 0;
  return OK;
}
CUresult cuEventDestroy_v2(object *e) { return destroy("cuEventDestroy_v2", e, EVENT); }
CUresult cuEventRecord(object *e, object *s) {
  ENTER_STREAM("cuEventRecord", s);
  if (!check("cuEventRecord", e, EVENT) || !check("cuEventRecord", s, STREAM))
    return INVALID_VALUE;
  e->recorded = ++clock_now;
  return OK;
}
CUresult cuEventQuery(object *e) { return use("cuEventQuery", e, EVENT); }
CUresult cuEventSynchronize(object *e) { return use("cuEventSynchronize", e, EVENT); }
CUresult cuEventElapsedTime(float *ms, object *a, object *b) {
  ENTER("cuEventElapsedTime");
  if (!check("cuEventElapsedTime", a, EVENT) || !check("cuEventElapsedTime", b, EVENT))
    return INVALID_VALUE;
  if (!a->timed || !b->timed || !a->recorded || !b->recorded)
    fault("cuEventElapsedTime: an event has no time");
  *ms = (b->recorded - a->recorded) * 0.001f;
  return OK;
}

// --- modules -------------------------------------------------------------

CUresult cuLinkCreate_v2(unsigned n, int *names, void **values, object **linker) {
  ENTER("cuLinkCreate_v2");
  object *l = make(LINKER);
  l->text = strdup("FAKECUBIN\n");
  for (unsigned i = 0; i < n; i++) {
    if (names[i] == 5)
      l->error_log = values[i];
    if (names[i] == 6)
      l->error_size = (size_t)values[i];
  }
  *linker = l;
  return OK;
}

static void add_line(object *o, const char *format, ...) {
  char line[512];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  if (strstr(o->text, line))
    return; // of another module
  o->text = realloc(o->text, strlen(o->text) + strlen(line) + 1);
  strcat(o->text, line);
}

// word copies a name.
static const char *word(const char *s, char *out) {
  while (*s == ' ' || *s == '\t' || *s == '\n')
    s++;
  size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$");
  snprintf(out, 128, "%.*s", (int)n, s);
  return s + n;
}

// read_function reads ".func (...) NAME" from after .func on.
static void read_function(const char *s, char *name) {
  while (*s == ' ' || *s == '\t')
    s++;
  if (*s == '(')
    s = strchr(s, ')') + 1;
  word(s, name);
}

// read_global reads ".align 4 .u32 NAME[24] = 7;".
static void read_global(object *l, const char *s) {
  char name[128], type[128] = "";
  while (*s == ' ' || *s == '\t' || *s == '.') {
    if (*s != '.') {
      s++;
      continue;
    }
    s = word(s + 1, name);
    if (!strcmp(name, "align"))
      s = word(s, name);
    else
      snprintf(type, sizeof type, "%s", name);
  }
  s = word(s, name);
  long count = 1, value = 0;
  sscanf(s, "[%ld]", &count);
  const char *end = strchr(s, ';'), *equals = strchr(s, '=');
  if (equals && equals < end)
    sscanf(equals + 1, "%ld", &value);
  add_line(l, "global %s %ld %ld\n", name, count * atoi(type + 1) / 8, value);
}

// read_spec_constants reads "[8] = {42, 0, 0, 0, ...};", as one number.
static void read_spec_constants(object *l, const char *s) {
  uint64_t value = 0;
  int shift = 0;
  s = strchr(s, '{');
  while (s && *s != '}' && shift < 64) {
    value |= (uint64_t)strtoul(s + 1, (char **)&s, 10) << shift;
    shift += 8;
  }
  add_line(l, "global offlink_spec_constants %d %ld\n", shift / 8, (long)value);
}

// read_cubin reads the symbols of a cubin, which must be one that is made for linking.
static CUresult read_cubin(object *l, const char *data, const char *input) {
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)data;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(data + head->e_shoff);
  if (memcmp(data, ELFMAG, SELFMAG) || head->e_type != ET_REL) {
    fault("cuLinkAddData_v2: %s is no cubin that can be linked", input);
    return INVALID_VALUE;
  }
  for (int i = 0; i < head->e_shnum; i++) {
    if (sections[i].sh_type != SHT_SYMTAB)
      continue;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(data + sections[i].sh_offset);
    const char *names = data + sections[sections[i].sh_link].sh_offset;
    for (size_t n = 0; n < sections[i].sh_size / sizeof *symbols; n++) {
      const char *name = names + symbols[n].st_name;
      int function = ELF64_ST_TYPE(symbols[n].st_info) == STT_FUNC, binding = ELF64_ST_BIND(symbols[n].st_info);
      if (binding != STB_GLOBAL || !function)
        continue;
      const char *what = symbols[n].st_shndx == SHN_UNDEF ? "import" : symbols[n].st_other & 0x10 ? "entry" : "function";
      add_line(l, "%s %s\n", what, name);
    }
  }
  return OK;
}

CUresult cuLinkAddData_v2(object *l, int kind, const char *data, size_t size, const char *name, unsigned n, int *o, void **v) {
  ENTER("cuLinkAddData_v2");
  (void)n, (void)o, (void)v;
  if (!check("cuLinkAddData_v2", l, LINKER))
    return INVALID_VALUE;
  if (kind == 0)
    return read_cubin(l, data, name);
  if (kind != 1 || !size || data[size - 1])
    return INVALID_VALUE;
  if (strlen(data) + 1 != size)
    fault("cuLinkAddData_v2: the text of %s has a NUL in it", name);
  for (const char *line = data; line; line = strchr(line, '\n')) {
    while (*line == '\n')
      line++;
    // CUDA 12 came with PTX 8, 13 with 9.
    if (!strncmp(line, ".version ", 9) && atoi(line + 9) > version / 1000 - 4)
      return UNSUPPORTED_PTX;
    char symbol[128];
    if (!strncmp(line, ".visible .entry ", 16)) {
      word(line + 16, symbol);
      add_line(l, "entry %s\n", symbol);
    } else if (!strncmp(line, ".visible .func ", 15)) {
      read_function(line + 15, symbol);
      add_line(l, "function %s\n", symbol);
    } else if (!strncmp(line, ".extern .func ", 14)) {
      read_function(line + 14, symbol);
      add_line(l, "import %s\n", symbol);
    } else if (!strncmp(line, ".global .align 16 .b8 offlink_spec_constants", 44)) {
      read_spec_constants(l, line + 44);
    } else if (!strncmp(line, ".visible .global ", 17)) {
      read_global(l, line + 17);
    } else if (!strncmp(line, ".visible .const ", 16)) {
      read_global(l, line + 16);
    }
  }
  return OK;
}

CUresult cuLinkComplete(object *l, void **code, size_t *size) {
  ENTER("cuLinkComplete");
  if (!check("cuLinkComplete", l, LINKER))
    return INVALID_VALUE;
  for (const char *line = l->text; (line = strstr(line, "import ")); line++) {
    char symbol[128], defined[160];
    word(line + 7, symbol);
    snprintf(defined, sizeof defined, "function %s\n", symbol);
    if (!strstr(l->text, defined)) {
      snprintf(l->error_log, l->error_size, "error   : Undefined reference to '%s' in 'app'\n", symbol);
      return NO_BINARY;
    }
  }
  *code = l->text;
  *size = strlen(l->text);
  return OK;
}
CUresult cuLinkDestroy(object *l) { return destroy("cuLinkDestroy", l, LINKER); }

CUresult cuModuleLoadDataEx(object **m, const char *data, unsigned n, int *names, void **values) {
  ENTER("cuModuleLoadDataEx");
  (void)n, (void)names, (void)values;
  if (strncmp(data, "FAKECUBIN\n", 10))
    return INVALID_PTX;
  object *o = make(MODULE);
  o->text = strdup(data);
  object **last = &o->globals;
  for (const char *line = data; (line = strstr(line, "\nglobal ")); line++) {
    object *g = calloc(1, sizeof *g);
    long size = 0, value = 0;
    sscanf(line, "\nglobal %127s %ld %ld", g->name, &size, &value);
    g->size = size;
    g->bytes = calloc(1, size);
    memcpy(g->bytes, &value, size < 8 ? size : 8);
    *last = g;
    last = &g->next;
  }
  *m = o;
  return OK;
}
CUresult cuModuleUnload(object *m) { return destroy("cuModuleUnload", m, MODULE); }

CUresult cuModuleGetGlobal_v2(char **p, size_t *size, object *m, const char *name) {
  ENTER("cuModuleGetGlobal_v2");
  if (!check("cuModuleGetGlobal_v2", m, MODULE))
    return INVALID_VALUE;
  for (object *g = m->globals; g; g = g->next)
    if (!strcmp(g->name, name)) {
      *p = g->bytes;
      *size = g->size;
      return OK;
    }
  return NOT_FOUND;
}

// --- kernels ---------------------------------------------------------------

static __thread unsigned grid[3], block[3], group[3], item[3];
static __thread object *running;
static __thread pthread_barrier_t *group_barrier;
enum { SHARED_BASE = 1024 };
static __thread char *shared; // of the block, from SHARED_BASE on

static char *variable(const char *name) {
  for (object *g = running->globals; g; g = g->next)
    if (!strcmp(g->name, name))
      return g->bytes;
  return 0;
}
static uint64_t offset(int d) {
  char *v = variable("offlink_global_offset");
  return v ? ((uint64_t *)v)[d] : 0;
}
static uint64_t id(int d) { return (uint64_t)group[d] * block[d] + item[d] + offset(d); }
static uint64_t width(int d) { return (uint64_t)grid[d] * block[d]; }
#define ARG(i, type) (*(type *)a[i])
#define LOCAL(i, type) ((type *)(shared + ARG(i, uint64_t) - SHARED_BASE))

static void k_app(char **a) { ARG(0, int *)[id(0)] = (int)id(0) * 2; }
static void k_fill(char **a) { ARG(0, float *)[id(0)] = ARG(1, float) + ARG(2, signed char); }
static void k_ids(char **a) {
  uint64_t x = id(0), y = id(1), z = id(2);
  ARG(0, int *)[x - offset(0) + width(0) * (y - offset(1) + width(1) * (z - offset(2)))] = (int)(x + 100 * y + 10000 * z);
}
static void k_sums(char **a) {
  int *part = LOCAL(2, int);
  unsigned i = item[0];
  part[i] = ARG(0, int *)[id(0)];
  for (unsigned step = block[0] / 2; step > 0; step /= 2) {
    if (group_barrier)
      pthread_barrier_wait(group_barrier);
    if (i < step)
      part[i] += part[i + step];
  }
  if (i == 0)
    ARG(1, int *)[group[0]] = part[0];
}
static void k_count(char **a) { __atomic_fetch_add(ARG(0, int *), 1, __ATOMIC_SEQ_CST); }
static void k_local_size(char **a) { ARG(0, int *)[id(0)] = block[0]; }
static void k_follow(char **a) {
  struct { int *from, *to; } s = *(__typeof__(s) *)a[0];
  s.to[id(0)] = s.from[id(0)] + 1;
}
static void k_last(char **a) {
  uint64_t *list = ARG(0, uint64_t *);
  while (list[1])
    list = (uint64_t *)list[1];
  *ARG(1, int *) = (int)list[0];
}
static void k_special(char **a) { ARG(0, int *)[0] = 42, ARG(0, int *)[1] = 43; }
static void k_special_buffer(char **a) { memcpy(ARG(0, int *), variable("offlink_spec_constants"), 8); }
static void k_required(char **a) { ARG(0, int *)[id(0)] = 1; }
static void k_add_variable(char **a) { ARG(0, int *)[id(0)] += (*(int *)variable("variable"))++; }
static void k_nothing(char **a) {}
static void k_probe(char **a) { *ARG(0, uint64_t *) = SHARED_BASE; }

static const struct {
  const char *name;
  void (*run)(char **);
  int params;
  int offsets[4];
} kernels[] = {
    {"app", k_app, 1, {0}}, {"fill", k_fill, 3, {0, 8, 12}}, {"ids", k_ids, 1, {0}}, {"sums", k_sums, 3, {0, 8, 16}},
    {"count", k_count, 1, {0}}, {"local_size", k_local_size, 1, {0}}, {"follow", k_follow, 1, {0}},
    {"last", k_last, 2, {0, 8}}, {"special", k_special, 1, {0}}, {"required", k_required, 1, {0}},
    {"special_buffer", k_special_buffer, 1, {0}},
    {"add_variable", k_add_variable, 1, {0}}, {"offlink_probe", k_probe, 1, {0}}, {"nothing", k_nothing, 0, {0}},
    {"nothing_with_offset", k_nothing, 0, {0}},
};

CUresult cuModuleGetFunction(object **f, object *m, const char *name) {
  ENTER("cuModuleGetFunction");
  if (!check("cuModuleGetFunction", m, MODULE))
    return INVALID_VALUE;
  char line[160];
  snprintf(line, sizeof line, "\nentry %s\n", name);
  for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
    if (!strcmp(kernels[i].name, name) && strstr(m->text, line)) {
      object *o = make(FUNCTION);
      o->run = kernels[i].run;
      o->params = i;
      o->globals = m->globals;
      *f = o;
      return OK;
    }
  return NOT_FOUND;
}
CUresult cuFuncGetAttribute(int *v, int a, object *f) {
  ENTER("cuFuncGetAttribute");
  *v = a == 0 ? 1024 : 0;
  return check("cuFuncGetAttribute", f, FUNCTION) ? OK : INVALID_VALUE;
}
CUresult cuFuncSetAttribute(object *f, int a, int v) {
  ENTER("cuFuncSetAttribute");
  if (!check("cuFuncSetAttribute", f, FUNCTION) || a != 8 || v > 96 << 10)
    return INVALID_VALUE;
  most_dynamic = v;
  return OK;
}

struct thread {
  object *f;
  char **args;
  unsigned grid[3], block[3], group[3], item[3];
  pthread_barrier_t *barrier;
  char *shared;
};

static void *run_item(void *p) {
  struct thread *t = p;
  memcpy(grid, t->grid, sizeof grid);
  memcpy(block, t->block, sizeof block);
  memcpy(group, t->group, sizeof group);
  memcpy(item, t->item, sizeof item);
  running = t->f;
  group_barrier = t->barrier;
  shared = t->shared;
  t->f->run(t->args);
  return 0;
}

// run_block runs the threads of a block: side by side where they wait for each
// other.
static void run_block(struct thread *base, unsigned dynamic) {
  unsigned n = base->block[0] * base->block[1] * base->block[2];
  struct thread list[n];
  pthread_t ids[n];
  pthread_barrier_t barrier;
  int side_by_side = base->f->run == k_sums;
  pthread_barrier_init(&barrier, 0, n);
  base->shared = calloc(1, dynamic + 1);
  base->barrier = side_by_side ? &barrier : 0;
  for (unsigned i = 0; i < n; i++) {
    list[i] = *base;
    list[i].item[0] = i % base->block[0];
    list[i].item[1] = i / base->block[0] % base->block[1];
    list[i].item[2] = i / base->block[0] / base->block[1];
    if (side_by_side)
      pthread_create(&ids[i], 0, run_item, &list[i]);
    else
      run_item(&list[i]);
  }
  for (unsigned i = 0; side_by_side && i < n; i++)
    pthread_join(ids[i], 0);
  pthread_barrier_destroy(&barrier);
  free(base->shared);
}

CUresult cuLaunchKernel(object *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned dynamic,
                        object *s, void **params, void **extra) {
  ENTER_STREAM("cuLaunchKernel", s);
  if (quiet)
    return OK;
  if (!check("cuLaunchKernel", f, FUNCTION) || !check("cuLaunchKernel", s, STREAM) || params)
    return INVALID_VALUE;
  if (extra && ((uintptr_t)extra[0] != 1 || !extra[1] || (uintptr_t)extra[2] != 2 || extra[4]))
    return INVALID_VALUE;
  if (bx * by * bz > 1024 || !gx || !gy || !gz || dynamic > 96 << 10)
    return INVALID_VALUE;
  char *args[4];
  for (int i = 0; i < kernels[f->params].params; i++)
    args[i] = (char *)extra[1] + kernels[f->params].offsets[i];
  for (unsigned z = 0; z < gz; z++)
    for (unsigned y = 0; y < gy; y++)
      for (unsigned x = 0; x < gx; x++) {
        struct thread base = {.f = f, .args = args, .grid = {gx, gy, gz}, .block = {bx, by, bz}, .group = {x, y, z}};
        run_block(&base, dynamic);
      }
  return OK;
}
