/* direct.c: launches and copies that are made by a driver's functions alone.
 *
 * Go makes the first launch of a kernel, with all its checks, and leaves here the
 * needs of the next one: the driver's functions and objects, the parameters, the
 * range. A launch whose arguments and range fit those runs no Go, so that it costs
 * as much as in a program written for the driver; and its thread needs no
 * protection from signals. Everything else, errors too, goes through Go.
 */
#include <pthread.h>
#include <string.h>

#include "direct.h"
#include "mailbox.h"

/* The kinds of offlink_arg (session.go has them too). */
enum { ARG_VALUE = 1, ARG_BUFFER, ARG_LOCAL, ARG_POINTER };

uint64_t offlink_direct_freed;

static int uses, ended;

/* The use is counted before the end is looked at, and offlink_direct_end does it the
 * other way round: one of the two sees the other. */
static int begin_use(void) {
  __atomic_add_fetch(&uses, 1, __ATOMIC_SEQ_CST);
  if (!__atomic_load_n(&ended, __ATOMIC_SEQ_CST))
    return 1;
  __atomic_sub_fetch(&uses, 1, __ATOMIC_SEQ_CST);
  return 0;
}

static void end_use(void) { __atomic_sub_fetch(&uses, 1, __ATOMIC_SEQ_CST); }

int offlink_direct_end(void) {
  __atomic_store_n(&ended, 1, __ATOMIC_SEQ_CST);
  return !__atomic_load_n(&uses, __ATOMIC_SEQ_CST);
}

static int try_lock(uint32_t *lock) { return !__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); }

static void unlock(uint32_t *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

/* The number of an idle lane, which is taken; -1 if there is none. */
static int take_lane(struct offlink_direct_device *d) {
  int lanes = (int)__atomic_load_n(&d->lanes, __ATOMIC_ACQUIRE);
  for (int i = 0; i < lanes; i++)
    if (try_lock(&d->lane[i].busy))
      return i;
  return -1;
}

static int is_zero(const size_t *sizes, unsigned dimensions) {
  for (unsigned i = 0; i < dimensions; i++)
    if (sizes[i])
      return 0;
  return 1;
}

/* Sizes beyond the dimensions do not count. */
static int is_same_range(const offlink_range *a, const offlink_range *b) {
  size_t bytes = a->dimensions * sizeof *a->global;
  return a->dimensions == b->dimensions && !memcmp(a->global, b->global, bytes) && !memcmp(a->local, b->local, bytes) &&
         !memcmp(a->offset, b->offset, bytes);
}

static int is_allowed(const struct offlink_direct_kernel *k, const offlink_range *range) {
  for (unsigned i = 0; i < k->ranges; i++)
    if (is_same_range(&k->range[i], range))
      return 1;
  return 0;
}

/* A kernel that is in use learns of the range the next time. */
void offlink_direct_allow(struct offlink_direct_kernel *k, const offlink_range *range) {
  if (!try_lock(&k->lock))
    return;
  if (!is_allowed(k, range)) {
    k->range[k->next_range] = *range;
    k->next_range = (k->next_range + 1) % OFFLINK_RANGES;
    if (k->ranges < OFFLINK_RANGES)
      k->ranges++;
  }
  unlock(&k->lock);
}

static int set_value(struct offlink_direct_kernel *k, struct offlink_direct_parameter *p,
                     const struct offlink_core_arg *arg) {
  if (arg->kind != ARG_VALUE || !arg->value || arg->size != p->size)
    return 0;
  if (p->set && !memcmp(p->value, arg->value, p->size))
    return 1;
  memcpy(p->value, arg->value, p->size);
  return p->set = !k->device->set_value(k->kernel, p->index, p->size, p->value);
}

static int set_local(struct offlink_direct_kernel *k, struct offlink_direct_parameter *p,
                     const struct offlink_core_arg *arg) {
  if (arg->kind != ARG_LOCAL || !arg->size)
    return 0;
  if (p->set && p->present == arg->size)
    return 1;
  p->present = arg->size;
  return p->set = !k->device->set_value(k->kernel, p->index, arg->size, NULL);
}

/* Sets an address, or the driver's object where memory has no addresses. */
static int set_memory(struct offlink_direct_kernel *k, struct offlink_direct_parameter *p, uint64_t address) {
  if (p->set && p->present == address)
    return 1;
  p->present = address;
  void *object = (void *)(uintptr_t)address;
  int status = k->device->set_address ? k->device->set_address(k->kernel, p->index, address)
                                      : k->device->set_value(k->kernel, p->index, sizeof object, &object);
  return p->set = !status;
}

/* A part of a memory without addresses is an object of its own, which Go makes. */
static int set_buffer(struct offlink_direct_kernel *k, struct offlink_direct_parameter *p,
                      const struct offlink_core_arg *arg) {
  int addresses = k->device->set_address != NULL;
  if (arg->kind == ARG_POINTER && addresses)
    return set_memory(k, p, (uint64_t)(uintptr_t)arg->value);
  if (arg->kind != ARG_BUFFER || arg->memory.device != k->device || !arg->memory.address || arg->size > arg->length ||
      (arg->size && !addresses))
    return 0;
  return set_memory(k, p, arg->memory.address + arg->size);
}

static int set_argument(struct offlink_direct_kernel *k, struct offlink_direct_parameter *p,
                        const struct offlink_core_arg *arg) {
  switch (p->kind) {
  case OFFLINK_DIRECT_DROPPED:
    return 1;
  case OFFLINK_DIRECT_VALUE:
    return set_value(k, p, arg);
  case OFFLINK_DIRECT_LOCAL:
    return set_local(k, p, arg);
  }
  return set_buffer(k, p, arg);
}

/* Forgets the present arguments that do not hold any more. */
static void forget_arguments(struct offlink_direct_kernel *k) {
  uint64_t freed = __atomic_load_n(&offlink_direct_freed, __ATOMIC_ACQUIRE);
  uint32_t epoch = __atomic_load_n(&k->epoch, __ATOMIC_ACQUIRE);
  for (size_t i = 0; i < k->count; i++)
    if (k->seen_epoch != epoch || (k->seen_freed != freed && k->parameters[i].kind == OFFLINK_DIRECT_BUFFER))
      k->parameters[i].set = 0;
  k->seen_epoch = epoch;
  k->seen_freed = freed;
}

/* Sets the arguments and launches, with the kernel locked. 0: with nothing done but
 * arguments, which the next launch sets as it needs them. */
static int launch_locked(struct offlink_direct_kernel *k, void *queue, const struct offlink_call *call, void **event) {
  const offlink_range *r = &call->range;
  if (!is_allowed(k, r) || call->arg_count != k->count)
    return 0;
  if (k->seen_epoch != k->epoch || k->seen_freed != __atomic_load_n(&offlink_direct_freed, __ATOMIC_ACQUIRE))
    forget_arguments(k);
  for (size_t i = 0; i < k->count; i++)
    if (!set_argument(k, &k->parameters[i], &call->args[i]))
      return 0;
  return !k->device->launch(queue, k->kernel, r->dimensions, is_zero(r->offset, r->dimensions) ? NULL : r->offset,
                            r->global, is_zero(r->local, r->dimensions) ? NULL : r->local, 0, NULL, event);
}

static int launch(struct offlink_direct_kernel *k, void *queue, const struct offlink_call *call, void **event) {
  if (!try_lock(&k->lock))
    return 0;
  int launched = launch_locked(k, queue, call, event);
  unlock(&k->lock);
  return launched;
}

/* Counts a command that the driver has taken. */
static uint64_t note_submitted(struct offlink_direct_state *s) { return __atomic_add_fetch(&s->submitted, 1, __ATOMIC_SEQ_CST); }

/* Notes that the first commands have ended: QueueState.NoteEnded. */
static void note_ended(struct offlink_direct_state *s, uint64_t commands) {
  uint64_t ended = __atomic_load_n(&s->ended, __ATOMIC_SEQ_CST);
  while (ended < commands && !__atomic_compare_exchange_n(&s->ended, &ended, commands, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    ;
}

/* A lane whose launch failed is not used again: its state is not known. */
static int launch_and_wait(struct offlink_call *call) {
  struct offlink_direct_kernel *k = call->direct_kernel;
  void *event = NULL;
  int lane = take_lane(k->device);
  if (lane < 0)
    return OFFLINK_CALL_ELSEWHERE;
  if (!launch(k, k->device->lane[lane].queue, call, &event)) {
    unlock(&k->device->lane[lane].busy);
    return OFFLINK_CALL_ELSEWHERE;
  }
  uint64_t number = note_submitted(&k->device->lane[lane].state);
  /* Drivers run the command on the thread that waits for the queue, where a wait for the event
   * sleeps until another thread has run it (Intel's CPU device). The event tells of a failure. */
  k->device->finish(k->device->lane[lane].queue);
  int status = k->device->wait(1, &event);
  if (status) {
    call->function = OFFLINK_CORE_LAUNCH_FAILED;
    call->number = (uint64_t)(uintptr_t)event;
    call->flags = (unsigned)status;
    call->quick = 0;
    return OFFLINK_CALL_ELSEWHERE;
  }
  note_ended(&k->device->lane[lane].state, number);
  k->device->release(event);
  unlock(&k->device->lane[lane].busy);
  return OFFLINK_OK;
}

static int has_state(const struct offlink_direct_queue *q, uint32_t flag) {
  return q && __atomic_load_n(&q->state.allowed, __ATOMIC_ACQUIRE) & flag;
}

/* Takes a free place for a launch; NULL if there is none. */
static struct offlink_direct_untold *take_untold(struct offlink_direct_state *s) {
  for (unsigned i = 0; i < OFFLINK_UNTOLD; i++) {
    uint64_t none = 0;
    if (!__atomic_load_n(&s->untold[i].event, __ATOMIC_RELAXED) &&
        __atomic_compare_exchange_n(&s->untold[i].event, &none, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return &s->untold[i];
  }
  return NULL;
}

static void put_untold(struct offlink_direct_untold *u, void *event) {
  __atomic_store_n(&u->event, (uint64_t)(uintptr_t)event, __ATOMIC_SEQ_CST);
}

/* Asks for the results of the launches up to a number, which have ended. Where one
 * failed, all stay for Go, which finds out which. */
static int have_succeeded(struct offlink_direct_queue *q, uint64_t submitted) {
  void *events[OFFLINK_UNTOLD];
  struct offlink_direct_untold *from[OFFLINK_UNTOLD];
  unsigned count = 0;
  for (unsigned i = 0; i < OFFLINK_UNTOLD; i++) {
    struct offlink_direct_untold *place = &q->state.untold[i];
    uint64_t event = __atomic_load_n(&place->event, __ATOMIC_SEQ_CST);
    if (event <= 1 || !__atomic_compare_exchange_n(&place->event, &event, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      continue;
    events[count] = (void *)(uintptr_t)event;
    from[count] = place;
    if (__atomic_load_n(&place->number, __ATOMIC_SEQ_CST) <= submitted)
      count++;
    else
      put_untold(place, events[count]);
  }
  int failed = count && q->device->wait(count, events);
  for (unsigned i = 0; i < count; i++) {
    if (!failed)
      q->device->release(events[i]);
    put_untold(from[i], failed ? events[i] : NULL);
  }
  return !failed;
}

static int launch_in_queue(struct offlink_call *call) {
  struct offlink_direct_queue *q = call->direct_queue;
  struct offlink_direct_untold *place;
  void *event = NULL;
  if (!has_state(q, OFFLINK_DIRECT_LAUNCHES) || q->device != call->direct_kernel->device || call->after_count ||
      call->event || call->block || !(place = take_untold(&q->state)))
    return OFFLINK_CALL_ELSEWHERE;
  int launched = launch(call->direct_kernel, q->queue, call, &event);
  if (launched)
    __atomic_store_n(&place->number, note_submitted(&q->state), __ATOMIC_SEQ_CST);
  put_untold(place, event);
  return launched ? OFFLINK_OK : OFFLINK_CALL_ELSEWHERE;
}

static int finish_queue(struct offlink_call *call) {
  struct offlink_direct_queue *q = call->direct_queue;
  if (call->has_timeout || !has_state(q, OFFLINK_DIRECT_FINISH))
    return OFFLINK_CALL_ELSEWHERE;
  uint64_t submitted = __atomic_load_n(&q->state.submitted, __ATOMIC_SEQ_CST);
  if (q->device->finish(q->queue))
    return OFFLINK_CALL_ELSEWHERE;
  note_ended(&q->state, submitted);
  return have_succeeded(q, submitted) ? OFFLINK_OK : OFFLINK_CALL_ELSEWHERE;
}

static int copy_buffer(struct offlink_call *call) {
  struct offlink_direct_device *d = call->memory.device;
  if (!d || !d->copy || !call->memory.address || !call->size || call->offset > call->length ||
      call->size > call->length - call->offset)
    return OFFLINK_CALL_ELSEWHERE;
  int lane = take_lane(d);
  if (lane < 0)
    return OFFLINK_CALL_ELSEWHERE;
  void *there = (void *)(uintptr_t)(call->memory.address + call->offset);
  int reads = call->function == OFFLINK_CORE_BUFFER_READ;
  int status = d->copy(d->lane[lane].queue, 1, reads ? call->data : there, reads ? there : call->data, call->size, 0,
                       NULL, NULL);
  unlock(&d->lane[lane].busy);
  return status ? OFFLINK_CALL_ELSEWHERE : OFFLINK_OK;
}

static int serve(struct offlink_call *call) {
  switch (call->function) {
  case OFFLINK_CORE_LAUNCH:
    if (!call->direct_kernel || call->has_timeout || call->has_times)
      return OFFLINK_CALL_ELSEWHERE;
    return launch_and_wait(call);
  case OFFLINK_CORE_ENQUEUE_LAUNCH:
    return call->direct_kernel ? launch_in_queue(call) : OFFLINK_CALL_ELSEWHERE;
  case OFFLINK_CORE_QUEUE_FINISH:
    return finish_queue(call);
  case OFFLINK_CORE_BUFFER_READ:
  case OFFLINK_CORE_BUFFER_WRITE:
    return copy_buffer(call);
  }
  return OFFLINK_CALL_ELSEWHERE;
}

/* A thread that is cancelled in a driver would leave the locks taken. */
int offlink_serve_direct(struct offlink_call *call) {
  int cancel;
  if (!call->direct_kernel && !call->direct_queue && !call->memory.device)
    return OFFLINK_CALL_ELSEWHERE;
  if (!offlink_has_room() || !begin_use())
    return OFFLINK_CALL_ELSEWHERE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  int status = serve(call);
  pthread_setcancelstate(cancel, NULL);
  end_use();
  return status;
}
