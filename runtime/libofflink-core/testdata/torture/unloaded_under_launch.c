/* link: runtime
 * The kernel of a launch is closed and its library unloaded while the launch waits,
 * and the same code is built anew: the launch goes to its end. */
#include <dlfcn.h>
#include "torture.h"

static offlink_device *device;
static offlink_queue *queue;
static int *memory;

static void need(offlink_status status, const char *step) {
  if (status) {
    fprintf(stderr, "%s: %s\n", step, offlink_error());
    _exit(9);
  }
}

static void *open_kernel(const char *name, offlink_kernel **kernel) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  void *here = library ? dlsym(library, "run_plugin") : NULL;
  if (!here) {
    fprintf(stderr, "%s\n", dlerror());
    _exit(2);
  }
  need(offlink_kernel_open(device, here, "app", kernel), "kernel");
  return library;
}

static void launch_and_unload(const char *name, offlink_event *gate) {
  offlink_kernel *kernel;
  void *library = open_kernel(name, &kernel);
  offlink_sync sync = {sizeof sync, &gate, 1, NULL, 0};
  offlink_arg args[] = {offlink_arg_pointer(memory)};
  need(offlink_enqueue_launch(queue, kernel, offlink_range_1d(8), args, 1, &sync), "launch");
  offlink_kernel_close(kernel);
  dlclose(library);
}

int main(void) {
  need(offlink_device_open(NULL, &device), "device");
  need(offlink_queue_create(device, 0, &queue), "queue");
  for (int i = 0; i < 5; i++) {
    offlink_event *gate;
    offlink_kernel *other;
    int result[8];
    need(offlink_memory_alloc(device, OFFLINK_MEMORY_DEVICE, sizeof result, (void **)&memory), "memory");
    need(offlink_event_create(device, &gate), "event");
    launch_and_unload("libone.so", gate);
    launch_and_unload("libtwo.so", gate);
    void *library = open_kernel("libone.so", &other);
    need(offlink_event_complete(gate, OFFLINK_OK), "complete");
    offlink_sync block = {sizeof block, NULL, 0, NULL, 1};
    need(offlink_enqueue_copy(queue, result, memory, sizeof result, &block), "copy");
    for (int j = 0; j < 8; j++)
      if (result[j] != 2 * j)
        return 3;
    offlink_kernel_close(other);
    dlclose(library);
    need(offlink_memory_free(device, memory), "free");
    offlink_event_close(gate);
  }
  offlink_queue_close(queue);
  offlink_device_close(device);
  return 0;
}
