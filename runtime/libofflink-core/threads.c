/* threads.c: makes Go's threads block the signals that they are told to block.
 *
 * They inherit a mask (signals.c of libofflink), but Go's runtime unblocks in
 * each of its threads the signals that runtime.sigtable marks _SigUnblock. For
 * faults that is as it must be. It also marks some that the kernel gives to any
 * thread of the process: SIGPROF, SIGCHLD, SIGSTKFLT and, for musl's sake,
 * signal 34, which is SIGRTMIN with glibc. A handler of the host program for
 * one of them would run on a goroutine's stack, and a program that waits for
 * them in sigwait or signalfd would miss some. Go has no setting for that, so
 * the marks are taken out of the table, before the runtime reads it.
 *
 * The table has no symbol here; it is found by its texts. A release of Go in
 * which it looks different keeps its behaviour, and a test fails.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

/* sigTabT of Go's runtime/signal_unix.go: flags, and a string. */
struct entry {
  int32_t flags;
  const char *name;
  intptr_t length;
};

/* Flags of Go's runtime/runtime2.go. */
enum { FLAG_NOTIFY = 1, FLAG_THROW = 4, FLAG_SET_STACK = 64, FLAG_UNBLOCK = 128, FLAG_IGN = 256 };

/* The entries to change, as they must be found. */
static const struct unblocked {
  int sig;
  const char *name;
  int32_t flags;
} unblocked[] = {
    {16, "SIGSTKFLT: stack fault", FLAG_THROW | FLAG_UNBLOCK},
    {17, "SIGCHLD: child status has changed", FLAG_NOTIFY | FLAG_UNBLOCK | FLAG_IGN},
    {27, "SIGPROF: profiling alarm clock", FLAG_NOTIFY | FLAG_UNBLOCK},
#if defined(__GLIBC__)
    {34, "signal 34", FLAG_SET_STACK | FLAG_UNBLOCK},
#endif
};
enum { UNBLOCKED = sizeof unblocked / sizeof *unblocked, LAST_SIGNAL = 34 };

static const char first_name[] = "SIGNONE: no trap";

/* One loaded segment of this library that can be written to. */
struct segment {
  uintptr_t start, end;
};

/* AddressSanitizer keeps bytes between variables that a search must not read. */
#define SEARCHES_SEGMENT __attribute__((no_sanitize_address))

/* The texts lie in other segments, so their address is checked against the
 * whole library. */
SEARCHES_SEGMENT static int has_name(const struct entry *e, const struct segment *library, const char *name) {
  uintptr_t at = (uintptr_t)e->name;
  size_t length = strlen(name);
  return e->length == (intptr_t)length && at >= library->start && at < library->end && length <= library->end - at &&
         !memcmp(e->name, name, length);
}

SEARCHES_SEGMENT static int is_table(const struct entry *table, const struct segment *library) {
  for (int i = 0; i < UNBLOCKED; i++) {
    const struct entry *e = &table[unblocked[i].sig];
    if (e->flags != unblocked[i].flags || !has_name(e, library, unblocked[i].name))
      return 0;
  }
  return 1;
}

SEARCHES_SEGMENT static struct entry *find_table(const struct segment *data, const struct segment *library) {
  const uintptr_t size = (LAST_SIGNAL + 1) * sizeof(struct entry);
  for (uintptr_t at = data->start; at + size <= data->end; at += _Alignof(struct entry)) {
    struct entry *table = (struct entry *)at;
    if (has_name(table, library, first_name) && is_table(table, library))
      return table;
  }
  return NULL;
}

static struct segment segment_of(const struct dl_phdr_info *module, const ElfW(Phdr) * header) {
  uintptr_t start = module->dlpi_addr + header->p_vaddr;
  return (struct segment){start, start + header->p_filesz};
}

/* From the first loaded segment to the end of the last. */
static struct segment whole_library(const struct dl_phdr_info *module) {
  struct segment library = {UINTPTR_MAX, 0};
  for (int i = 0; i < module->dlpi_phnum; i++) {
    struct segment s = segment_of(module, &module->dlpi_phdr[i]);
    if (module->dlpi_phdr[i].p_type != PT_LOAD)
      continue;
    library.start = s.start < library.start ? s.start : library.start;
    library.end = s.end > library.end ? s.end : library.end;
  }
  return library;
}

static int visit_module(struct dl_phdr_info *module, size_t size, void *unused) {
  (void)size, (void)unused;
  struct segment library = whole_library(module);
  uintptr_t here = (uintptr_t)&first_name;
  if (here < library.start || here >= library.end)
    return 0;
  for (int i = 0; i < module->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &module->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_W))
      continue;
    struct segment data = segment_of(module, header);
    struct entry *table = find_table(&data, &library);
    for (int j = 0; table && j < UNBLOCKED; j++)
      table[unblocked[j].sig].flags &= ~FLAG_UNBLOCK;
  }
  return 1;
}

/* Constructors with a priority run before those without one, as Go's is. */
__attribute__((constructor(101))) static void keep_signals_blocked(void) { dl_iterate_phdr(visit_module, NULL); }
