/* wrong_arguments: every function of offlink.h with arguments that are drawn from wrong and
 * right ones. Each call returns a status of offlink_status, and a failure has a text that
 * is not about an internal error. The numbers are the same in each run.
 *
 *   wrong_arguments DEVICE OTHER-DEVICE CALLS
 */
#include "../torture/torture.h"

static uint64_t state;

/* One of n numbers (xorshift). */
static unsigned draw(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)((state * 0x2545F4914F6CDD1Du) >> 33) % n;
}
#define PICK(list) (list)[draw(sizeof(list) / sizeof *(list))]

enum { MEMORY = 16384 };
static const size_t sizes[] = {0, 1, 3, 4, 7, 16, 100, 128, 4096, 65536, (size_t)1 << 62, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 3, SIZE_MAX};
static const size_t small[] = {0, 1, 2, 3, 4, 8, 16, 128, 4096};
static const unsigned numbers[] = {0, 1, 2, 3, 4, 8, 0x80000000u, 0xffffffffu};
static const char *const names[] = {"app", "nobody", "", "\xff\xfe", "LibDeviceFunc", "host:0", "host:cpu", "x:y:z", "!*", NULL};
static char bytes[65536];

/* The objects of two devices, and NULL. */
static offlink_device *devices[3];
static offlink_kernel *kernels[3];
static offlink_buffer *buffers[3];
static offlink_queue *queues[5];
static offlink_event *events[7];
static char *memories[3];

static void fail(const char *call) {
  fprintf(stderr, "%s: %s\n", call, offlink_error());
  _exit(9);
}

static void check(const char *call, int status) {
  const char *text = offlink_error();
  if (status < 0 || status > OFFLINK_ERROR_UNSUPPORTED || (status && (!*text || strstr(text, "internal error"))))
    fail(call);
}
#define CHECK(call) check(#call, (int)(call))
#define MUST(call)                                                                                 \
  do {                                                                                             \
    if (call)                                                                                      \
      fail(#call);                                                                                 \
  } while (0)

static void open_objects(int i, const char *selector) {
  MUST(offlink_device_open(selector, &devices[i]));
  MUST(offlink_kernel_open(devices[i], OFFLINK_HERE, "app", &kernels[i]));
  MUST(offlink_buffer_create(devices[i], MEMORY, NULL, &buffers[i]));
  MUST(offlink_memory_alloc(devices[i], OFFLINK_MEMORY_SHARED, MEMORY, (void **)&memories[i]));
  MUST(offlink_queue_create(devices[i], 0, &queues[2 * i]));
  MUST(offlink_queue_create(devices[i], OFFLINK_QUEUE_OUT_OF_ORDER | OFFLINK_QUEUE_PROFILING, &queues[2 * i + 1]));
  offlink_sync sync = {sizeof sync, NULL, 0, &events[3 * i], 1};
  MUST(offlink_enqueue_barrier(queues[2 * i], &sync));
  MUST(offlink_event_create(devices[i], &events[3 * i + 1]));
  MUST(offlink_event_complete(events[3 * i + 1], OFFLINK_OK));
  MUST(offlink_event_create(devices[i], &events[3 * i + 2]));
  MUST(offlink_event_complete(events[3 * i + 2], OFFLINK_ERROR_BUILD));
}

/* An address of the program, of a device, or NULL; 4096 bytes follow. */
static void *address(void) {
  char *start = draw(3) ? PICK(memories) : bytes;
  return start && draw(2) ? start + draw(4096) : start;
}

static offlink_range range(void) {
  offlink_range r = {draw(4) ? 1 + draw(3) : PICK(numbers), 0, {0}, {0}, {0}};
  for (int i = 0; i < 3; i++) {
    r.global[i] = draw(8) ? 1 + draw(16) : SIZE_MAX - draw(2);
    r.local[i] = draw(2) ? 0 : draw(4) ? 1 + draw(8) : PICK(sizes);
  }
  return r;
}

/* Arguments for the one parameter of app. Kernels may write through any address that is
 * accepted, so that none is beyond the memory. */
static size_t arguments(offlink_arg *args) {
  size_t n = draw(4) ? 1 : draw(3);
  for (size_t i = 0; i < n; i++)
    switch (draw(6)) {
    case 0: args[i] = offlink_arg_buffer_at(PICK(buffers), draw(4) ? 4096 : SIZE_MAX - 3); break;
    case 1: args[i] = offlink_arg_pointer(draw(2) ? (void *)bytes : (void *)memories[draw(2)]); break;
    case 2: args[i] = offlink_arg_local(PICK(sizes)); break;
    case 3: args[i] = offlink_arg_value(draw(2) ? bytes : NULL, draw(2) ? 4 : 100); break;
    case 4: args[i] = (offlink_arg){(int)PICK(numbers) | 8, 7, bytes, PICK(buffers), PICK(small), NULL}; break;
    default: args[i] = offlink_arg_buffer(PICK(buffers));
    }
  return n;
}

static offlink_event *after[3], *done;

static const offlink_sync *sync_of_call(void) {
  static offlink_sync sync;
  sync = (offlink_sync){draw(8) ? sizeof sync : PICK(sizes), draw(4) ? after : NULL, draw(4), draw(2) ? &done : NULL, draw(3) == 0};
  for (int i = 0; i < 3; i++)
    after[i] = PICK(events);
  return draw(4) ? &sync : NULL;
}

static void close_done(void) {
  if (done && draw(2))
    CHECK(offlink_event_wait_for(done, draw(1000000)));
  offlink_event_close(done);
  done = NULL;
}

static void nothing(void *user) { (void)user; }
static void nothing_done(void *user, offlink_status outcome, const char *text) { (void)user, (void)outcome, (void)text; }

static void call_queue(void) {
  offlink_arg args[4];
  switch (draw(6)) {
  case 0: {
    size_t n = arguments(args);
    CHECK(offlink_enqueue_launch(PICK(queues), PICK(kernels), range(), draw(8) ? args : NULL, draw(16) ? n : SIZE_MAX, sync_of_call()));
    break;
  }
  case 1: CHECK(offlink_enqueue_copy(PICK(queues), address(), address(), draw(2) ? PICK(small) : PICK(sizes), sync_of_call())); break;
  case 2: CHECK(offlink_enqueue_fill(PICK(queues), address(), draw(8) ? bytes : NULL, PICK(sizes), PICK(sizes), sync_of_call())); break;
  case 3: CHECK(offlink_enqueue_barrier(PICK(queues), sync_of_call())); break;
  case 4: CHECK(offlink_enqueue_host(PICK(queues), draw(8) ? nothing : NULL, NULL, sync_of_call())); break;
  default: CHECK(draw(2) ? offlink_queue_finish(PICK(queues)) : offlink_queue_finish_for(PICK(queues), PICK(sizes)));
  }
  close_done();
}

static void call_event(void) {
  offlink_event *e = NULL;
  int st;
  uint64_t times[4];
  CHECK(offlink_event_create(PICK(devices), draw(8) ? &e : NULL));
  if (e && draw(2))
    CHECK(offlink_event_complete(e, (offlink_status)PICK(numbers)));
  offlink_event_close(e);
  e = PICK(events);
  CHECK(offlink_event_wait(e));
  CHECK(offlink_event_wait_for(e, PICK(sizes)));
  CHECK(offlink_event_status(e, draw(8) ? &st : NULL));
  CHECK(offlink_event_times(e, draw(8) ? times : NULL));
  CHECK(offlink_event_on_done(e, draw(8) ? nothing_done : NULL, NULL));
  CHECK(offlink_event_complete(e, OFFLINK_OK));
}

static void call_memory(void) {
  offlink_buffer *b = NULL;
  void *p = NULL;
  uint64_t handle = 0;
  size_t size = draw(2) ? PICK(small) : PICK(sizes);
  CHECK(offlink_buffer_create(PICK(devices), size, size <= sizeof bytes && draw(2) ? bytes : NULL, draw(8) ? &b : NULL));
  offlink_buffer_close(b);
  b = PICK(buffers);
  CHECK(offlink_buffer_read(b, PICK(sizes), draw(8) ? bytes : NULL, PICK(sizes)));
  CHECK(offlink_buffer_write(b, PICK(sizes), draw(8) ? bytes : NULL, PICK(sizes)));
  CHECK(offlink_buffer_map(b, PICK(sizes), PICK(sizes), draw(2) ? OFFLINK_MAP_READ : PICK(numbers), draw(8) ? &p : NULL));
  CHECK(offlink_buffer_unmap(b, p ? p : bytes));
  CHECK(offlink_buffer_native(b, &handle));
  CHECK(offlink_buffer_import(PICK(devices), 0, PICK(sizes), &b));
  p = NULL;
  offlink_device *d = PICK(devices);
  CHECK(offlink_memory_alloc(d, (int)(draw(2) ? 1 + draw(3) : PICK(numbers)), size, draw(8) ? &p : NULL));
  CHECK(offlink_memory_free(d, draw(4) ? p : bytes));
  CHECK(offlink_global_read(d, PICK(names), PICK(sizes), bytes, PICK(sizes)));
  CHECK(offlink_global_write_host(d, draw(2) ? bytes : NULL, PICK(sizes), bytes, PICK(sizes)));
}

static void call_kernel(void) {
  offlink_kernel *k = NULL;
  offlink_arg args[4];
  uint64_t pointer, times[4];
  offlink_spec_constant constants[1] = {{PICK(names), draw(4) ? bytes : NULL, PICK(small), NULL}};
  offlink_kernel_options options = {draw(8) ? sizeof options : PICK(sizes), draw(4) ? constants : NULL, draw(2), draw(4) ? names : NULL, draw(3), draw(4) ? draw(2) : PICK(numbers)};
  CHECK(offlink_kernel_open_with(PICK(devices), draw(2) ? OFFLINK_HERE : address(), PICK(names), draw(4) ? &options : NULL, draw(8) ? &k : NULL));
  offlink_kernel_close(k);
  CHECK(offlink_function_pointer(PICK(kernels), PICK(names), draw(8) ? &pointer : NULL));
  size_t n = arguments(args);
  CHECK(offlink_launch(PICK(kernels), range(), draw(8) ? args : NULL, draw(16) ? n : SIZE_MAX));
  offlink_launch_options launch = {draw(8) ? sizeof launch : PICK(sizes), draw(2) ? 0 : PICK(sizes), draw(2) ? times : NULL};
  CHECK(offlink_launch_with(PICK(kernels), range(), args, n, draw(8) ? &launch : NULL));
}

static void call_device(void) {
  static const char *const paths[] = {"/dev/null", "/nonexistent", "", "/", "app.o", NULL};
  offlink_device *d = NULL;
  offlink_queue *q = NULL;
  offlink_code *code = NULL;
  char **list = NULL;
  size_t count;
  uint64_t handle;
  CHECK(offlink_device_open(PICK(names), draw(8) ? &d : NULL));
  offlink_device_close(d);
  d = PICK(devices);
  if (!offlink_device_query(d) && !*offlink_error())
    fail("offlink_device_query");
  (void)offlink_device_has(d, PICK(names));
  CHECK(offlink_queue_create(d, PICK(numbers), draw(8) ? &q : NULL));
  if (q && draw(2))
    CHECK(offlink_queue_abort(q));
  if (q)
    CHECK(offlink_enqueue_barrier(q, NULL));
  offlink_queue_close(q);
  CHECK(offlink_queue_import(d, 0, &q));
  CHECK(offlink_device_native(d, draw(8) ? &handle : NULL));
  CHECK(offlink_queue_native(PICK(queues), &handle));
  CHECK(offlink_event_native(PICK(events), &handle));
  CHECK(offlink_kernel_names(draw(8) ? &list : NULL, draw(8) ? &count : NULL));
  offlink_free(list);
  CHECK(offlink_dlopen_device_code(PICK(paths), draw(8) ? &code : NULL));
  offlink_dlclose_device_code(code);
}

int main(int argc, char **argv) {
  static void (*const calls[])(void) = {call_queue, call_queue, call_queue, call_event, call_memory, call_kernel, call_device};
  state = 0x9E3779B97F4A7C15u;
  if (argc != 4)
    return 2;
  offlink_log_to(NULL, NULL);
  open_objects(0, argv[1]);
  open_objects(1, argv[2]);
  for (int i = atoi(argv[3]); i > 0; i--)
    PICK(calls)();
  for (int i = 0; i < 2; i++) {
    MUST(offlink_memory_free(devices[i], memories[i]));
    offlink_queue_close(queues[2 * i]);
    offlink_queue_close(queues[2 * i + 1]);
    offlink_device_close(devices[i]);
  }
  return 0;
}
