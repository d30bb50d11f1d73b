/* command.c: the commands of queues, launches. */
#include "objects.h"

/* Bytes that are copied in a moment. */
enum { SHORT_COPY = 1 << 20 };

offlink_status offlink_enqueue(struct offlink_call *call, const offlink_sync *sync) {
  offlink_status status;
  int quick = call->quick;
  if (!sync)
    return offlink_perform(call);
  REQUIRE_SIZE(sync, offlink_sync, block);
  if (sync->after_count && !sync->after)
    return offlink_fail(OFFLINK_ERROR_INVALID, "offlink_sync.after is NULL");
  offlink_handle *after = calloc(sync->after_count ? sync->after_count : 1, sizeof *after);
  /* The event is allocated before the command is queued: a command whose event is
   * lost could not be waited for. */
  offlink_event *event = sync->done ? calloc(1, sizeof *event) : NULL;
  if (!after || (sync->done && !event)) {
    free(after);
    free(event);
    return offlink_out_of_memory();
  }
  for (size_t i = 0; i < sync->after_count; i++)
    after[i] = sync->after[i] ? sync->after[i]->handle : 0;
  call->after = after;
  call->after_count = sync->after_count;
  call->event = sync->done != NULL;
  call->block = sync->block;
  /* A command that the call waits for may take long, and then waits on a goroutine. */
  call->quick = call->quick && (!sync->block || call->short_command);
  status = offlink_perform(call);
  free(after);
  if (event && call->created) { /* also where the command itself failed */
    *event = (offlink_event){call->created, quick};
    *sync->done = event;
  } else {
    free(event);
  }
  return status;
}

OFFLINK_EXPORT offlink_status offlink_enqueue_copy(offlink_queue *queue, void *to, const void *from, size_t size,
                                                   const offlink_sync *sync) {
  REQUIRE(queue);
  if (size) {
    REQUIRE(to);
    REQUIRE(from);
  }
  struct offlink_call call = {
      .function = OFFLINK_CORE_ENQUEUE_COPY, .quick = queue->quick, .object = queue->handle, .data = to, .base = from, .size = size,
      .short_command = size <= SHORT_COPY};
  return offlink_enqueue(&call, sync);
}

OFFLINK_EXPORT offlink_status offlink_enqueue_fill(offlink_queue *queue, void *to, const void *pattern,
                                                   size_t pattern_size, size_t size, const offlink_sync *sync) {
  REQUIRE(queue);
  REQUIRE(to);
  REQUIRE(pattern);
  struct offlink_call call = {.function = OFFLINK_CORE_ENQUEUE_FILL,
                              .quick = queue->quick,
                              .object = queue->handle,
                              .data = to,
                              .size = size,
                              .base = pattern,
                              .pattern_size = pattern_size,
                              .short_command = size <= SHORT_COPY};
  return offlink_enqueue(&call, sync);
}

OFFLINK_EXPORT offlink_status offlink_enqueue_barrier(offlink_queue *queue, const offlink_sync *sync) {
  REQUIRE(queue);
  struct offlink_call call = {.function = OFFLINK_CORE_ENQUEUE_BARRIER, .quick = queue->quick, .object = queue->handle, .short_command = 1};
  return offlink_enqueue(&call, sync);
}

OFFLINK_EXPORT offlink_status offlink_enqueue_host(offlink_queue *queue, offlink_host_function *function, void *user,
                                                    const offlink_sync *sync) {
  REQUIRE(queue);
  REQUIRE(function);
  struct offlink_call call = {
      .function = OFFLINK_CORE_ENQUEUE_HOST, .object = queue->handle, .host = function, .data = user};
  return offlink_enqueue(&call, sync);
}

/* Translates handles; the core checks the rest. */
static struct offlink_core_arg core_arg(const offlink_arg *arg) {
  struct offlink_core_arg core = {arg->kind, arg->value, 0, arg->size, {NULL, 0}, 0};
  if (arg->buffer) {
    core.buffer = arg->buffer->handle;
    core.memory = arg->buffer->memory;
    core.length = arg->buffer->size;
  }
  return core;
}

/* Launches have few arguments: these many need no allocation. */
enum { FEW_ARGS = 16 };

/* More than any device takes: the caller's count is wrong. */
enum { MANY_ARGS = 1 << 16 };

/* Makes the call with the arguments of a launch. Those beyond the kernel's own are not read:
 * where a count is wrong they need not be there. The core refuses the count. */
static offlink_status launch(struct offlink_call *call, const offlink_kernel *kernel, const offlink_arg *args,
                             size_t arg_count, const offlink_sync *sync) {
  if (arg_count > MANY_ARGS)
    return offlink_fail(OFFLINK_ERROR_INVALID, "%zu arguments are more than a kernel can have", arg_count);
  /* On the stack in most launches. */
  struct offlink_core_arg few[FEW_ARGS];
  struct offlink_core_arg *list = arg_count <= FEW_ARGS ? few : calloc(arg_count, sizeof *list);
  if (!list)
    return offlink_out_of_memory();
  size_t known = arg_count < kernel->arg_count ? arg_count : kernel->arg_count;
  for (size_t i = 0; i < known; i++)
    list[i] = core_arg(&args[i]);
  for (size_t i = known; i < arg_count; i++)
    list[i] = (struct offlink_core_arg){0};
  call->args = list;
  call->arg_count = arg_count;
  offlink_status status = offlink_enqueue(call, sync);
  if (list != few)
    free(list);
  return status;
}

OFFLINK_EXPORT offlink_status offlink_launch(offlink_kernel *kernel, offlink_range range, const offlink_arg *args,
                                             size_t arg_count) {
  REQUIRE(kernel);
  if (arg_count)
    REQUIRE(args);
  struct offlink_call call = {.function = OFFLINK_CORE_LAUNCH,
                              .quick = __atomic_load_n(&kernel->quick, __ATOMIC_RELAXED),
                              .watched = 1,
                              .object = kernel->handle,
                              .direct_kernel = __atomic_load_n(&kernel->direct, __ATOMIC_ACQUIRE),
                              .range = range};
  offlink_status status = launch(&call, kernel, args, arg_count, NULL);
  /* How the next launch is to be made, as this one has shown. The means to launch
   * from C are stored with release, since another thread reads the memory that they lead to. */
  __atomic_store_n(&kernel->quick, call.quick, __ATOMIC_RELAXED);
  __atomic_store_n(&kernel->direct, call.direct_kernel, __ATOMIC_RELEASE);
  return status;
}

OFFLINK_EXPORT offlink_status offlink_enqueue_launch(offlink_queue *queue, offlink_kernel *kernel, offlink_range range,
                                                     const offlink_arg *args, size_t arg_count,
                                                     const offlink_sync *sync) {
  REQUIRE(queue);
  REQUIRE(kernel);
  if (arg_count)
    REQUIRE(args);
  struct offlink_call call = {.function = OFFLINK_CORE_ENQUEUE_LAUNCH,
                              .quick = queue->quick || __atomic_load_n(&kernel->quick, __ATOMIC_RELAXED),
                              .watched = !queue->quick,
                              .object = queue->handle,
                              .kernel = kernel->handle,
                              .short_command = __atomic_load_n(&kernel->quick, __ATOMIC_RELAXED),
                              .direct_kernel = __atomic_load_n(&kernel->direct, __ATOMIC_ACQUIRE),
                              .direct_queue = queue->direct,
                              .range = range};
  offlink_status status = launch(&call, kernel, args, arg_count, sync);
  __atomic_store_n(&kernel->quick, call.short_command, __ATOMIC_RELAXED);
  __atomic_store_n(&kernel->direct, call.direct_kernel, __ATOMIC_RELEASE);
  return status;
}

OFFLINK_EXPORT offlink_status offlink_launch_with(offlink_kernel *kernel, offlink_range range, const offlink_arg *args,
                                                  size_t arg_count, const offlink_launch_options *options) {
  if (!options)
    return offlink_launch(kernel, range, args, arg_count);
  REQUIRE(kernel);
  if (arg_count)
    REQUIRE(args);
  REQUIRE_SIZE(options, offlink_launch_options, times);
  struct offlink_call call = {.function = OFFLINK_CORE_LAUNCH,
                              .object = kernel->handle,
                              .range = range,
                              .has_timeout = options->timeout != 0,
                              .timeout = options->timeout,
                              .has_times = options->times != NULL};
  offlink_status status = launch(&call, kernel, args, arg_count, NULL);
  if (!status && options->times)
    memcpy(options->times, call.times, sizeof call.times);
  return status;
}
