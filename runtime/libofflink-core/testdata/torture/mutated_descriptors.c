/* Descriptors that are almost right: the program's own with bytes and pointers
 * changed, in its property sets and its code too. Their kernels may run or not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/mman.h>
#include "torture.h"

enum { ARENA = 1 << 15, DESCRIPTORS = 150 };

/* The structs of wrapper/abi, record 2; record 3 lacks the manifest. */
struct property {
  char *name;
  void *value;
  uint32_t type;
  uint64_t size;
};
struct property_set {
  char *name;
  struct property *begin, *end;
};
struct entry {
  void *address;
  char *name;
  size_t size;
  int32_t flags, reserved;
};
struct image_start {
  uint16_t version;
  uint8_t kind, format;
  char *texts[3];
};
struct image_end {
  char *code_begin, *code_end;
  struct entry *entries_begin, *entries_end;
  struct property_set *sets_begin, *sets_end;
};
struct image {
  struct image_start start;
  char *manifest[2];
  struct image_end end;
};
struct descriptor {
  uint16_t version, count;
  void *images;
  struct entry *host[2];
};

static struct descriptor *own; /* of app.o */
extern char __executable_start, end;

/* In place of libofflink's, which gets those of the libraries. */
void __sycl_register_lib(void *descriptor) {
  void (*next)(void *) = dlsym(RTLD_NEXT, "__sycl_register_lib");
  if ((char *)descriptor >= &__executable_start && (char *)descriptor < &end)
    own = descriptor;
  else
    next(descriptor);
}

static char *arena; /* the page after it is not readable */
static size_t used;

static void *put(const void *from, size_t size) {
  size_t at = (used + 7) & ~(size_t)7;
  if (at + size > ARENA)
    _exit(7);
  used = at + size;
  return memcpy(arena + at, from, size);
}

static char *put_text(const char *text) { return text ? put(text, strlen(text) + 1) : NULL; }

static void put_sets(struct image_end *to) {
  size_t count = (size_t)(to->sets_end - to->sets_begin);
  to->sets_begin = put(to->sets_begin, count * sizeof *to->sets_begin);
  to->sets_end = to->sets_begin + count;
  for (struct property_set *s = to->sets_begin; s < to->sets_end; s++) {
    size_t properties = (size_t)(s->end - s->begin);
    s->name = put_text(s->name);
    s->begin = put(s->begin, properties * sizeof *s->begin);
    s->end = s->begin + properties;
    for (struct property *p = s->begin; p < s->end; p++) {
      p->name = put_text(p->name);
      p->value = p->value ? put(p->value, p->size) : NULL;
    }
  }
}

/* A copy of the program's descriptor in the arena. */
static struct descriptor *copy_descriptor(void) {
  const struct image_start *start = own->images;
  const char *rest = (const char *)(start + 1) + (start->version == 2 ? sizeof(char *[2]) : 0);
  used = 0;
  struct descriptor *d = put(own, sizeof *d);
  struct image image = {*start, {NULL, NULL}, {0}};
  image.start.version = 2;
  memcpy(&image.end, rest, sizeof image.end);
  struct image *i = d->images = put(&image, sizeof image);
  for (int text = 0; text < 3; text++)
    i->start.texts[text] = put_text(i->start.texts[text]);
  size_t count = (size_t)(i->end.entries_end - i->end.entries_begin);
  i->end.entries_begin = put(i->end.entries_begin, count * sizeof(struct entry));
  i->end.entries_end = i->end.entries_begin + count;
  for (struct entry *e = i->end.entries_begin; e < i->end.entries_end; e++)
    e->name = put_text(e->name);
  put_sets(&i->end);
  size_t size = (size_t)(i->end.code_end - i->end.code_begin);
  i->end.code_begin = put(i->end.code_begin, size);
  i->end.code_end = i->end.code_begin + size;
  return d;
}

static uint32_t state;
static uint32_t number_below(uint32_t limit) {
  state = state * 1664525 + 1013904223;
  return (uint32_t)((uint64_t)state * limit >> 32);
}

/* Changes a byte, or a word: to a pointer into the arena, to its end, to nowhere, or
 * to one near the old. */
static void mutate(void) {
  if (number_below(2)) {
    arena[number_below((uint32_t)used)] ^= (char)(1 << number_below(8));
    return;
  }
  uint64_t *word = (uint64_t *)arena + number_below((uint32_t)used / 8);
  uint64_t choices[] = {(uint64_t)(uintptr_t)arena + number_below(ARENA), (uint64_t)(uintptr_t)arena + ARENA - number_below(9),
                        number_below(9), UINT64_MAX - number_below(9), *word + number_below(64) - 32, *word + ((uint64_t)1 << 40)};
  *word = choices[number_below(sizeof choices / sizeof *choices)];
}

int main(void) {
  extern void __sycl_unregister_lib(void *);
  void (*register_lib)(void *) = dlsym(RTLD_NEXT, "__sycl_register_lib");
  int ran = 0;
  state = (uint32_t)getpid();
  fprintf(stderr, "seed %u\n", state);
  arena = mmap(NULL, ARENA + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(arena + ARENA, 4096, PROT_NONE);
  register_lib(copy_descriptor());
  must_run("with an equal descriptor");
  __sycl_unregister_lib(arena);
  for (int i = 0; i < DESCRIPTORS; i++) {
    struct descriptor *d = copy_descriptor();
    for (uint32_t changes = 1 + number_below(4); changes; changes--)
      mutate();
    register_lib(d);
    ran += !run();
    __sycl_unregister_lib(d);
  }
  fprintf(stderr, "%d ran\n", ran);
  register_lib(own);
  must_run("afterwards");
  __sycl_unregister_lib(own);
  return 0;
}
