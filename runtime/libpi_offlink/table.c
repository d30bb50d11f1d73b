/* table.c: piPluginInit, with the functions of this library in the table of the
 * version that the host asks for. Functions of the interface that this library
 * lacks are functions that say so: hosts call entries without a look at them. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "pi_tables.h"

/* The functions are exported by Go as offlink_NAME, a name that no other plugin
 * in the process has. */
#define DECLARE(name) extern int32_t offlink_##name() __attribute__((weak));
PI_TABLE_12_27(DECLARE)
PI_TABLE_14_37(DECLARE)
PI_TABLE_15_47(DECLARE)
DECLARE(setBufferArgumentOld)

enum { VERSION_LENGTH = 20, INVALID_OPERATION = -59, INVALID_VALUE = -30, UNSUPPORTED_FEATURE = -995 };

static __thread char last_error[1024];

static int32_t refuse(const char *name) {
  snprintf(last_error, sizeof last_error, "offlink's embedded device has no %s", name);
  return UNSUPPORTED_FEATURE;
}

/* The functions that take the places of those which this library lacks. */
#define REFUSE_12_27(name) static int32_t refuse_12_27_##name(void) { return refuse(#name); }
#define REFUSE_14_37(name) static int32_t refuse_14_37_##name(void) { return refuse(#name); }
#define REFUSE_15_47(name) static int32_t refuse_15_47_##name(void) { return refuse(#name); }
PI_TABLE_12_27(REFUSE_12_27)
PI_TABLE_14_37(REFUSE_14_37)
PI_TABLE_15_47(REFUSE_15_47)

/* struct _pi_plugin from 11.15 on. The host's has room for its own table only. */
struct plugin {
  char host_version[VERSION_LENGTH], version[VERSION_LENGTH];
  const char *targets;
  void *table[];
};

/* A function, null if this library lacks it, and the one that takes its place. */
struct entry {
  void *own, *refusal;
};
#define ENTRY_12_27(name) {(void *)offlink_##name, (void *)refuse_12_27_##name},
#define ENTRY_14_37(name) {(void *)offlink_##name, (void *)refuse_14_37_##name},
#define ENTRY_15_47(name) {(void *)offlink_##name, (void *)refuse_15_47_##name},
static const struct entry table_12_27[] = {PI_TABLE_12_27(ENTRY_12_27)};
static const struct entry table_14_37[] = {PI_TABLE_14_37(ENTRY_14_37)};
static const struct entry table_15_47[] = {PI_TABLE_15_47(ENTRY_15_47)};

static const struct {
  const char *host, *version;
  const struct entry *table;
  int entries;
  int old_buffers; /* piextKernelSetArgMemObj has no properties */
} versions[] = {
    {"12.27", "12.27.1", table_12_27, sizeof table_12_27 / sizeof *table_12_27, 1},
    {"14.37", "14.37.1", table_14_37, sizeof table_14_37 / sizeof *table_14_37, 0},
    {"15.47", "15.47.1", table_15_47, sizeof table_15_47 / sizeof *table_15_47, 0},
};

/* The time of CLOCK_MONOTONIC in nanoseconds, which hosts compare with their own. */
uint64_t offlink_host_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

void offlink_keep_error(const char *text, size_t length) {
  if (length >= sizeof last_error)
    length = sizeof last_error - 1;
  memcpy(last_error, text, length);
  last_error[length] = 0;
}

int32_t offlink_piPluginGetLastError(char **message) {
  enum { PLUGIN_SPECIFIC_ERROR = -996 };
  if (!message)
    return INVALID_VALUE;
  *message = last_error;
  return PLUGIN_SPECIFIC_ERROR;
}

__attribute__((visibility("default"))) int32_t piPluginInit(struct plugin *p) {
  if (!p)
    return INVALID_VALUE;
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
    if (strncmp(p->host_version, versions[i].host, VERSION_LENGTH))
      continue;
    memset(p->version, 0, sizeof p->version);
    strcpy(p->version, versions[i].version);
    p->targets = "";
    for (int slot = 0; slot < versions[i].entries; slot++) {
      const struct entry *both = &versions[i].table[slot];
      void *entry = both->own ? both->own : both->refusal;
      if (entry == (void *)offlink_piextKernelSetArgMemObj && versions[i].old_buffers)
        entry = (void *)offlink_setBufferArgumentOld;
      p->table[slot] = entry;
    }
    return 0;
  }
  return INVALID_OPERATION;
}
