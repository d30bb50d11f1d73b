/* The device behind the fake drivers of tests: objects that are counted, and the
 * kernels of the conformance suite, written out in C. Each driver's file has
 * the functions of its interface. */
#ifndef OFFLINK_FAKEDEVICE_H
#define OFFLINK_FAKEDEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Objects that were given out and not taken back; handles that nobody was given,
 * or that were taken back already. */
int device_live, device_misuses;
/* The last misuse, for the messages of tests. */
char device_misuse[64];

typedef struct object {
  uint32_t kind; /* 'C'ontext, 'Q'ueue, 'M'emory, 'P'rogram, 'K'ernel, 'E'vent, 'D'ead */
  int uses;
  struct object *parent;
  /* memory */
  unsigned char *bytes;
  size_t size;
  /* program */
  int compiled, linked, variable, constants[2];
  /* kernel */
  char name[64];
  unsigned char args[4][64];
  size_t sizes[4];
  int set;
  void *own; /* of the driver's file */
} object;

static inline object *create(char kind, object *parent) {
  object *o = calloc(1, sizeof *o);
  o->kind = kind, o->uses = 1, o->parent = parent;
  __atomic_add_fetch(&device_live, 1, __ATOMIC_RELAXED);
  return o;
}

static inline int known(const object *o, char kind) {
  if (o && o->kind == (uint32_t)kind)
    return 1;
  device_misuses++;
  snprintf(device_misuse, sizeof device_misuse, "%c was given for %c", o ? (char)o->kind : '0', kind);
  return 0;
}

/* drop ends a use of a known object. The struct stays, so that a second release
 * of it is seen. It tells whether that was the last use. */
static inline int drop(object *o, char kind) {
  if (__atomic_sub_fetch(&o->uses, 1, __ATOMIC_RELAXED) > 0)
    return 0;
  if (kind == 'M' && o->parent == NULL)
    free(o->bytes);
  o->kind = 'D';
  __atomic_sub_fetch(&device_live, 1, __ATOMIC_RELAXED);
  return 1;
}

static inline object *allocate(size_t size) {
  object *m = create('M', NULL);
  m->bytes = aligned_alloc(128, (size + 127) / 128 * 128);
  memset(m->bytes, 0xa5, size); /* drivers do not clear memory */
  m->size = size;
  return m;
}

/* Programs. Of the code, the values of the specialization constants 3 and 4
 * are read; every program has every kernel, and one variable. */

static inline object *create_program(void) {
  object *p = create('P', NULL);
  p->variable = 7, p->constants[0] = 42, p->constants[1] = 43;
  return p;
}

static inline void read_constants(object *p, const uint32_t *words, size_t count) {
  enum { DECORATE = 71, SPEC_ID = 1, SPEC_CONSTANT = 50 };
  uint32_t ids[2] = {0};
  for (size_t i = 5; i < count && words[i] >> 16; i += words[i] >> 16) {
    const uint32_t *in = words + i;
    if ((in[0] & 0xffff) == DECORATE && in[2] == SPEC_ID && in[3] >= 3 && in[3] <= 4)
      ids[in[3] - 3] = in[1];
    for (int k = 0; k < 2; k++)
      if ((in[0] & 0xffff) == SPEC_CONSTANT && in[2] == ids[k])
        p->constants[k] = (int)in[3];
  }
}

/* merge_constants has a linked program take the values that one of its parts
 * was compiled with. */
static inline void merge_constants(object *p, const object *part) {
  for (int k = 0; k < 2; k++)
    if (part->constants[k] != 42 + k)
      p->constants[k] = part->constants[k];
}

/* build_log is a log of lines of one length that add up to device_log_size bytes;
 * the caller frees it. */
int device_log_size, device_log_lines = 1;

static inline char *build_log(void) {
  size_t length = (size_t)device_log_size, each = length / (size_t)device_log_lines;
  char *log = malloc(length + 64);
  memset(log, '.', length + 64);
  for (int i = 1; i <= device_log_lines && each > 0; i++)
    log[(size_t)i * each - 1] = '\n';
  if (length > 64)
    memcpy(log, "error: the first of many", strlen("error: the first of many"));
  log[length] = 0;
  return log;
}

/* Kernels. */

static const char *names[] = {"app", "fill", "ids", "sums", "count", "local_size", "follow", "last", "special", "endless", "required",
                              "call", "add_variable", "offlink.read.variable", "offlink.write.variable"};

/* create_kernel returns NULL for a name that the program does not have. */
static inline object *create_kernel(object *p, const char *name) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (p->linked && !strcmp(name, names[i])) {
      object *k = create('K', p);
      snprintf(k->name, sizeof k->name, "%s", name);
      __atomic_add_fetch(&p->uses, 1, __ATOMIC_RELAXED);
      return k;
    }
  return NULL;
}

/* The addresses of functions are the program's and a number; 0 is none. */
static inline uint64_t function_address(const object *p, const char *name) {
  static const char *functions[] = {"LibDeviceFunc", "twice", "square", "own"};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(name, functions[i]))
      return (uint64_t)(uintptr_t)p + i;
  return 0;
}
static inline int call_function(uint64_t number, int i) { return number == 1 ? 2 * i : number == 2 ? i * i : i - 1; }

#define POINTER(type, i) (*(type **)k->args[i])

static inline void run(object *k, const size_t *id, const size_t *global, const size_t *offset, size_t local) {
  int *out = POINTER(int, 0);
  size_t x = id[0] + offset[0], y = id[1] + offset[1], z = id[2] + offset[2];
  object *p = k->parent;
  if (!strcmp(k->name, "app"))
    out[x] = 2 * (int)x;
  else if (!strcmp(k->name, "fill"))
    ((float *)out)[x] = *(float *)k->args[1] + *(signed char *)k->args[2];
  else if (!strcmp(k->name, "ids"))
    out[id[0] + global[0] * (id[1] + global[1] * id[2])] = (int)(x + 100 * y + 10000 * z);
  else if (!strcmp(k->name, "sums"))
    POINTER(int, 1)[x / local] = (x % local ? POINTER(int, 1)[x / local] : 0) + out[x];
  else if (!strcmp(k->name, "count"))
    ++*out;
  else if (!strcmp(k->name, "local_size"))
    out[x] = 1;
  else if (!strcmp(k->name, "follow"))
    ((int **)k->args[0])[1][x] = ((int **)k->args[0])[0][x] + 1;
  else if (!strcmp(k->name, "special"))
    memcpy(out, p->constants, sizeof p->constants);
  else if (!strcmp(k->name, "call"))
    POINTER(int, 1)[x] = call_function(*(uint64_t *)k->args[0] - (uintptr_t)p, (int)x);
  else if (!strcmp(k->name, "required"))
    out[x] = 1;
  else if (!strcmp(k->name, "add_variable"))
    out[x] += p->variable++;
  else if (!strcmp(k->name, "offlink.read.variable"))
    memcpy(out, (char *)&p->variable + *(uint64_t *)k->args[1], *(uint64_t *)k->args[2]);
  else if (!strcmp(k->name, "offlink.write.variable"))
    memcpy((char *)&p->variable + *(uint64_t *)k->args[1], out, *(uint64_t *)k->args[2]);
  else if (!strcmp(k->name, "last")) {
    uint64_t *list = POINTER(uint64_t, 0);
    while (list[1])
      list = (uint64_t *)list[1];
    *POINTER(int, 1) = (int)list[0];
  }
}

/* run_range runs one kernel at a time, as the suite calls from several threads.
 * offset and local may be NULL. */
static inline void run_range(object *k, uint32_t dimensions, const size_t *offset, const size_t *global, const size_t *local) {
  static int busy;
  size_t whole[3] = {1, 1, 1}, from[3] = {0}, id[3];
  for (uint32_t i = 0; i < dimensions; i++)
    whole[i] = global[i], from[i] = offset ? offset[i] : 0;
  while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
    ;
  for (id[2] = 0; id[2] < whole[2]; id[2]++)
    for (id[1] = 0; id[1] < whole[1]; id[1]++)
      for (id[0] = 0; id[0] < whole[0]; id[0]++)
        run(k, id, whole, from, local ? local[0] : 1);
  __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

#endif
