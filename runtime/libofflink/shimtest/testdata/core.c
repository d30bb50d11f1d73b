/* core.c: a core that prints the calls it gets. The first word of a descriptor
 * is a pointer to its name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"

const int offlink_core_abi = OFFLINK_CORE_ABI;

static const char *names[100];
static offlink_handle last;

static void say(const char *what, const char *which) {
  printf("core: %s %s\n", what, which);
  fflush(stdout);
}

static void add_images(struct offlink_call *call) {
  usleep(1000); /* threads meet more often; nothing depends on it */
  call->created = __atomic_add_fetch(&last, 1, __ATOMIC_SEQ_CST);
  names[call->created] = strdup(*(const char **)call->data);
  say(call->base && *call->text ? "add" : "add, of unknown module,", names[call->created]);
}

static int device_open(struct offlink_call *call) {
  if (!strcmp(call->text, "none")) {
    call->error = strdup("there is no device");
    return OFFLINK_ERROR_NOT_FOUND;
  }
  say("open", call->text);
  call->created = 1;
  call->name = strdup("printing device");
  return OFFLINK_OK;
}

static void launch(const struct offlink_call *call) {
  printf("core: launch %u:%zu", call->range.dimensions, call->range.global[0]);
  for (size_t i = 0; i < call->arg_count; i++)
    printf(" (kind %d, buffer %d, size %zu)", call->args[i].kind, (int)call->args[i].buffer, call->args[i].size);
  putchar('\n');
}

/* One call of the second half: its number from the first, and its events. */
static void command(struct offlink_call *call) {
  printf("core: command %d, %zu events before it%s%s\n", call->function - OFFLINK_CORE_MEMORY_ALLOC, call->after_count,
         call->event ? ", one after it" : "", call->block ? ", blocking" : "");
  call->created = 5;
  call->address = &last;
}

int offlink_core_call(struct offlink_call *call) {
  switch ((enum offlink_function)call->function) {
  case OFFLINK_CORE_ADD_IMAGES:
    add_images(call);
    break;
  case OFFLINK_CORE_DROP_IMAGES:
    say("drop", names[call->object]);
    break;
  case OFFLINK_CORE_DEVICE_OPEN:
    return device_open(call);
  case OFFLINK_CORE_KERNEL_NAMES:
    call->names = calloc(1, sizeof *call->names);
    call->count = last;
    break;
  case OFFLINK_CORE_KERNEL_OPEN:
    say(call->base ? "kernel of a module:" : "kernel:", call->text);
    call->created = 2;
    call->count = 3;
    break;
  case OFFLINK_CORE_BUFFER_CREATE:
    call->created = 77;
    break;
  case OFFLINK_CORE_BUFFER_READ:
    memset(call->data, 'r', call->size);
    break;
  case OFFLINK_CORE_BUFFER_WRITE:
    break;
  case OFFLINK_CORE_LAUNCH:
    launch(call);
    break;
  case OFFLINK_CORE_MEMORY_ALLOC:
  case OFFLINK_CORE_MEMORY_FREE:
  case OFFLINK_CORE_QUEUE_CREATE:
  case OFFLINK_CORE_QUEUE_FINISH:
  case OFFLINK_CORE_QUEUE_ABORT:
  case OFFLINK_CORE_ENQUEUE_LAUNCH:
  case OFFLINK_CORE_ENQUEUE_COPY:
  case OFFLINK_CORE_ENQUEUE_FILL:
  case OFFLINK_CORE_ENQUEUE_BARRIER:
  case OFFLINK_CORE_EVENT_WAIT:
  case OFFLINK_CORE_EVENT_TIMES:
  case OFFLINK_CORE_GLOBAL_READ:
  case OFFLINK_CORE_GLOBAL_WRITE:
    command(call);
    break;
  case OFFLINK_CORE_ADD_GLOBAL:
    say("global", call->text);
    break;
  case OFFLINK_CORE_DROP_GLOBAL:
    say("drop global", "");
    break;
  default:
    printf("core: function %d\n", call->function);
    call->created = 6;
    break;
  case OFFLINK_CORE_CLOSE:
    say("close", "");
    break;
  case OFFLINK_CORE_SHUTDOWN:
    say("shutdown", "");
    break;
  }
  return OFFLINK_OK;
}
