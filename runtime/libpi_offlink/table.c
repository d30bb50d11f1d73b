/* table.c: piPluginInit, with the functions of this library in the table of the
 * version that the host asks for. Functions of the interface that are not there
 * are null. */
#include <stdint.h>
#include <string.h>

#include "pi_tables.h"

/* The functions are exported by Go as offlink_NAME, a name that no other plugin
 * in the process has. */
#define DECLARE(name) extern int32_t offlink_##name() __attribute__((weak));
PI_TABLE_12_27(DECLARE)
PI_TABLE_14_37(DECLARE)
PI_TABLE_15_47(DECLARE)
DECLARE(setBufferArgumentOld)

enum { VERSION_LENGTH = 20, INVALID_OPERATION = -59, INVALID_VALUE = -30 };

/* struct _pi_plugin from 11.15 on. The host's has room for its own table only. */
struct plugin {
  char host_version[VERSION_LENGTH], version[VERSION_LENGTH];
  const char *targets;
  void *table[];
};

#define ENTRY(name) (void *)offlink_##name,
static void *const table_12_27[] = {PI_TABLE_12_27(ENTRY)};
static void *const table_14_37[] = {PI_TABLE_14_37(ENTRY)};
static void *const table_15_47[] = {PI_TABLE_15_47(ENTRY)};

static const struct {
  const char *host, *version;
  void *const *table;
  int entries;
  int old_buffers; /* piextKernelSetArgMemObj has no properties */
} versions[] = {
    {"12.27", "12.27.1", table_12_27, sizeof table_12_27 / sizeof *table_12_27, 1},
    {"14.37", "14.37.1", table_14_37, sizeof table_14_37 / sizeof *table_14_37, 0},
    {"15.47", "15.47.1", table_15_47, sizeof table_15_47 / sizeof *table_15_47, 0},
};

static __thread char last_error[1024];

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
      void *entry = versions[i].table[slot];
      if (entry == (void *)offlink_piextKernelSetArgMemObj && versions[i].old_buffers)
        entry = (void *)offlink_setBufferArgumentOld;
      p->table[slot] = entry;
    }
    return 0;
  }
  return INVALID_OPERATION;
}
