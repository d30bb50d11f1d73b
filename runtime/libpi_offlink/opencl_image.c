/* opencl_image.c: images and samplers. */
#include "opencl_command.h"

#pragma GCC visibility push(hidden)

enum { IMAGE_2D = 0x10F1, IMAGE_3D = 0x10F2 };

/* cl_image_desc */
struct image_desc {
  uint32_t kind;
  size_t width, height, depth, layers, row_pitch, slice_pitch;
  uint32_t levels, samples;
  void *memory;
};

void *own_clCreateImage(struct object *context, uint64_t flags, const void *format, const void *desc, void *host, int32_t *error) {
  size_t handle = 0;
  int32_t code = offlink_clCreateImage(handle_of(context), flags, (void *)format, (void *)desc, (uintptr_t)host, &handle);
  return opencl_made(code, handle, error);
}

/* There are no properties of images, those of extensions apart. */
void *own_clCreateImageWithProperties(struct object *context, const uint64_t *properties, uint64_t flags, const void *format, const void *desc,
                                      void *host, int32_t *error) {
  if (properties && *properties)
    return opencl_failed(INVALID_PROPERTY, error);
  return own_clCreateImage(context, flags, format, desc, host, error);
}

/* The functions of OpenCL 1.1. */
void *own_clCreateImage2D(struct object *context, uint64_t flags, const void *format, size_t width, size_t height, size_t row, void *host, int32_t *error) {
  struct image_desc desc = {.kind = IMAGE_2D, .width = width, .height = height, .row_pitch = row};
  return own_clCreateImage(context, flags, format, &desc, host, error);
}

void *own_clCreateImage3D(struct object *context, uint64_t flags, const void *format, size_t width, size_t height, size_t depth, size_t row,
                          size_t slice, void *host, int32_t *error) {
  struct image_desc desc = {.kind = IMAGE_3D, .width = width, .height = height, .depth = depth, .row_pitch = row, .slice_pitch = slice};
  return own_clCreateImage(context, flags, format, &desc, host, error);
}

int32_t own_clGetSupportedImageFormats(struct object *context, uint64_t flags, uint32_t kind, uint32_t room, void *list, uint32_t *count) {
  return opencl_code(offlink_clGetSupportedImageFormats(handle_of(context), flags, kind, room, list, count));
}

int32_t own_clEnqueueReadImage(struct object *queue, struct object *image, uint32_t block, const size_t *origin, const size_t *region, size_t row,
                               size_t slice, void *to, WAITS) {
  COMMAND(queue, READ_IMAGE, offlink_clReadImage(queue->handle, handle_of(image), block, (void *)origin, (void *)region, row, slice, (uintptr_t)to, ORDER));
}

int32_t own_clEnqueueWriteImage(struct object *queue, struct object *image, uint32_t block, const size_t *origin, const size_t *region, size_t row,
                                size_t slice, const void *from, WAITS) {
  COMMAND(queue, WRITE_IMAGE, offlink_clWriteImage(queue->handle, handle_of(image), block, (void *)origin, (void *)region, row, slice, (uintptr_t)from, ORDER));
}

int32_t own_clEnqueueCopyImage(struct object *queue, struct object *from, struct object *to, const size_t *from_origin, const size_t *to_origin,
                               const size_t *region, WAITS) {
  COMMAND(queue, COPY_IMAGE, offlink_clCopyImage(queue->handle, handle_of(from), handle_of(to), (void *)from_origin, (void *)to_origin, (void *)region, ORDER));
}

int32_t own_clEnqueueCopyImageToBuffer(struct object *queue, struct object *from, struct object *to, const size_t *origin, const size_t *region,
                                       size_t offset, WAITS) {
  COMMAND(queue, COPY_IMAGE_TO_BUFFER, offlink_clCopyImageToBuffer(queue->handle, handle_of(from), handle_of(to), (void *)origin, (void *)region, offset, ORDER));
}

int32_t own_clEnqueueCopyBufferToImage(struct object *queue, struct object *from, struct object *to, size_t offset, const size_t *origin,
                                       const size_t *region, WAITS) {
  COMMAND(queue, COPY_BUFFER_TO_IMAGE, offlink_clCopyBufferToImage(queue->handle, handle_of(from), handle_of(to), offset, (void *)origin, (void *)region, ORDER));
}

int32_t own_clEnqueueFillImage(struct object *queue, struct object *image, const void *color, const size_t *origin, const size_t *region, WAITS) {
  COMMAND(queue, FILL_IMAGE, offlink_clFillImage(queue->handle, handle_of(image), (void *)color, (void *)origin, (void *)region, ORDER));
}

static int32_t map_image(struct object *queue, struct object *image, uint32_t block, uint64_t flags, const size_t *origin, const size_t *region,
                         size_t *row, size_t *slice, uintptr_t *address, WAITS) {
  COMMAND(queue, MAP_IMAGE, offlink_clMapImage(queue->handle, handle_of(image), block, flags, (void *)origin, (void *)region, row, slice, ORDER, address));
}

void *own_clEnqueueMapImage(struct object *queue, struct object *image, uint32_t block, uint64_t flags, const size_t *origin, const size_t *region,
                            size_t *row, size_t *slice, WAITS, int32_t *error) {
  uintptr_t address = 0;
  int32_t code = map_image(queue, image, block, flags, origin, region, row, slice, &address, count, list, event);
  if (error)
    *error = code;
  return code ? NULL : (void *)address;
}

void *own_clCreateSamplerWithProperties(struct object *context, const uint64_t *properties, int32_t *error) {
  size_t handle = 0;
  int32_t code = offlink_clCreateSampler(handle_of(context), (void *)properties, &handle);
  return opencl_made(code, handle, error);
}

void *own_clCreateSampler(struct object *context, uint32_t normalized, uint32_t addressing, uint32_t filter, int32_t *error) {
  enum { NORMALIZED_COORDS = 0x1152, ADDRESSING_MODE, FILTER_MODE };
  const uint64_t properties[] = {NORMALIZED_COORDS, normalized, ADDRESSING_MODE, addressing, FILTER_MODE, filter, 0};
  size_t handle = 0;
  int32_t code = offlink_clCreateSampler(handle_of(context), (void *)properties, &handle);
  return opencl_made(code, handle, error);
}

int32_t own_clRetainSampler(struct object *o) { return o ? opencl_code(offlink_clRetainSampler(o->handle)) : INVALID_SAMPLER; }
int32_t own_clReleaseSampler(struct object *o) { return o ? opencl_code(offlink_clReleaseSampler(o->handle)) : INVALID_SAMPLER; }

#pragma GCC visibility pop
