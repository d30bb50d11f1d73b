/* Two images define LibDeviceFunc differently: a warning goes to the program's
 * function, and is an error on request. */
#include <offlink/offlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(c)                                                     \
  do {                                                              \
    if (!(c)) {                                                     \
      printf("line %d: %s: %s\n", __LINE__, #c, offlink_error());   \
      exit(1);                                                      \
    }                                                               \
  } while (0)

static int warnings;

static void take_warning(void *user, const char *message) {
  MUST(user == &warnings && strstr(message, "LibDeviceFunc is defined differently by") && strstr(message, "libhelpers.so") &&
       strstr(message, "other.o"));
  warnings++;
}

int main(int argc, char **argv) {
  offlink_device *device;
  offlink_kernel *kernel;
  offlink_code *code;
  offlink_buffer *out;
  int result[8] = {0};
  MUST(argc == 2 && !offlink_dlopen_device_code(argv[1], &code) && !offlink_device_open("host", &device));
  offlink_log_to(take_warning, &warnings);
  offlink_kernel_options options = {.size = sizeof options, .flags = OFFLINK_KERNEL_REFUSE_DUPLICATES};
  MUST(offlink_kernel_open_with(device, OFFLINK_HERE, "app", &options, &kernel) == OFFLINK_ERROR_UNRESOLVED);
  MUST(strstr(offlink_error(), "LibDeviceFunc") && strstr(offlink_error(), "other.o") && warnings == 0);
  MUST(!offlink_kernel_open(device, OFFLINK_HERE, "app", &kernel) && warnings == 1);
  MUST(!offlink_buffer_create(device, sizeof result, NULL, &out));
  MUST(!offlink_launch(kernel, offlink_range_1d(8), (offlink_arg[]){offlink_arg_buffer(out)}, 1));
  MUST(!offlink_buffer_read(out, 0, result, sizeof result) && result[7] == 14);
  offlink_log_to(NULL, NULL); /* nobody hears the next one */
  offlink_dlclose_device_code(code);
  printf("%d warning\n", warnings);
  return 0;
}
