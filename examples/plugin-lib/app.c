/* plugin-lib: plugins with device code, loaded and unloaded with dlopen and
 * dlclose, and device code from a file of its own. */
#include <dlfcn.h>
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "transform.h"

static offlink_device *device;

static void run(offlink_kernel *kernel, const char *what) {
  float data[] = {1, 2.5f, 3};
  offlink_buffer *buffer;
  if (offlink_buffer_create(device, sizeof data, data, &buffer))
    errx(1, "%s", offlink_error());
  offlink_arg args[] = {offlink_arg_buffer(buffer)};
  if (offlink_launch(kernel, offlink_range_1d(3), args, 1) || offlink_buffer_read(buffer, 0, data, sizeof data))
    errx(1, "%s", offlink_error());
  printf("%s: %g %g %g\n", what, data[0], data[1], data[2]);
  offlink_buffer_close(buffer);
}

static void run_plugin(const char *path) {
  void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!plugin)
    errx(1, "%s", dlerror());
  open_transform *open = (open_transform *)dlsym(plugin, "open_plugin");
  offlink_kernel *kernel;
  if (!open)
    errx(1, "%s", dlerror());
  if (open(device, &kernel))
    errx(1, "%s: %s", path, offlink_error());
  run(kernel, strrchr(path, '/') + 1);
  offlink_kernel_close(kernel);
  dlclose(plugin);
}

int main(int count, char **words) {
  if (count < 2)
    errx(2, "usage: app DEVICE-CODE PLUGIN...");
  if (offlink_device_open(NULL, &device))
    errx(1, "%s", offlink_error());
  for (int i = 2; i < count; i++)
    run_plugin(words[i]);
  offlink_code *code;
  offlink_kernel *negate;
  if (offlink_dlopen_device_code(words[1], &code) ||
      offlink_kernel_open(device, offlink_code_module(code), "negate", &negate))
    errx(1, "%s", offlink_error());
  run(negate, "negate");
  offlink_kernel_close(negate);
  offlink_dlclose_device_code(code);
  offlink_device_close(device);
  return 0;
}
