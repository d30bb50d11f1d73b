// Images and samplers of OpenCL on this library as the loader's driver: every kind, their
// transfers and maps, shared memory, kernels, and the code of each wrong call.
#include "opencl_setup.h"

enum { WIDTH = 5, HEIGHT = 4, DEPTH = 3, TEXELS = WIDTH * HEIGHT * DEPTH };

static const cl_image_format rgba8 = {CL_RGBA, CL_UNSIGNED_INT8}, r32 = {CL_R, CL_UNSIGNED_INT32}, rgba32f = {CL_RGBA, CL_FLOAT};

static cl_mem make(cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *host) {
  cl_int code = 1;
  cl_mem image = clCreateImage(context, flags, format, desc, host, &code);
  EXPECT(image && !code);
  return image;
}

static size_t size_info(cl_mem image, cl_image_info param) {
  size_t n = ~(size_t)0;
  EXPECT(!clGetImageInfo(image, param, sizeof n, &n, NULL));
  return n;
}

/* Each kind with its sizes as a region, and the sizes that its queries return. */
static const struct {
  cl_image_desc desc;
  size_t region[3], height, depth, layers;
} kinds[] = {
    {{CL_MEM_OBJECT_IMAGE1D, WIDTH}, {WIDTH, 1, 1}},
    {{CL_MEM_OBJECT_IMAGE1D_ARRAY, WIDTH, 0, 0, HEIGHT}, {WIDTH, HEIGHT, 1}, 0, 0, HEIGHT},
    {{CL_MEM_OBJECT_IMAGE2D, WIDTH, HEIGHT}, {WIDTH, HEIGHT, 1}, HEIGHT},
    {{CL_MEM_OBJECT_IMAGE2D_ARRAY, WIDTH, HEIGHT, 0, DEPTH}, {WIDTH, HEIGHT, DEPTH}, HEIGHT, 0, DEPTH},
    {{CL_MEM_OBJECT_IMAGE3D, WIDTH, HEIGHT, DEPTH}, {WIDTH, HEIGHT, DEPTH}, HEIGHT, DEPTH},
};

/* Texels go in with pitches, are copied to a second image, to a buffer and back, and come out
 * packed; a fill and a map change the first of them. */
static void transfer_kind(size_t k) {
  static uint32_t from[2 * TEXELS], got[TEXELS];
  const size_t zero[3] = {0}, one[3] = {1, 1, 1}, *region = kinds[k].region;
  size_t count = region[0] * region[1] * region[2], row = 0, slice = 1, row_in = 4 * (WIDTH + 1);
  int layers_1d = kinds[k].desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY, slices = kinds[k].layers || kinds[k].depth;
  cl_int code = 1;
  cl_mem a = make(CL_MEM_READ_WRITE, &r32, &kinds[k].desc, NULL), b = make(0, &r32, &kinds[k].desc, NULL);
  cl_mem buffer = clCreateBuffer(context, 0, sizeof got + 8, NULL, &code);
  EXPECT(size_info(a, CL_IMAGE_WIDTH) == WIDTH && size_info(a, CL_IMAGE_HEIGHT) == kinds[k].height && size_info(a, CL_IMAGE_DEPTH) == kinds[k].depth && size_info(a, CL_IMAGE_ARRAY_SIZE) == kinds[k].layers);
  EXPECT(size_info(a, CL_IMAGE_ELEMENT_SIZE) == 4 && size_info(a, CL_IMAGE_ROW_PITCH) == 4 * WIDTH && size_info(a, CL_IMAGE_SLICE_PITCH) == (slices ? layers_1d ? 4 * WIDTH : 4 * WIDTH * HEIGHT : 0));
  for (uint32_t i = 0; i < 2 * TEXELS; i++)
    from[i] = i * 7 + 1;
  CODE(0, clEnqueueWriteImage(queue, a, CL_TRUE, zero, region, row_in, layers_1d ? row_in : 0, from, 0, NULL, NULL));
  CODE(0, clEnqueueCopyImage(queue, a, b, zero, zero, region, 0, NULL, NULL));
  CODE(0, clEnqueueCopyImageToBuffer(queue, b, buffer, zero, region, 8, 0, NULL, NULL));
  uint32_t color[4] = {99};
  CODE(0, clEnqueueFillImage(queue, b, color, zero, one, 0, NULL, NULL));
  CODE(0, clEnqueueReadImage(queue, b, CL_TRUE, zero, region, 0, 0, got, 0, NULL, NULL));
  for (size_t i = 0; i < count; i++)
    EXPECT(got[i] == (i ? from[i / WIDTH * (WIDTH + 1) + i % WIDTH] : 99));
  CODE(0, clEnqueueCopyBufferToImage(queue, buffer, b, 8, zero, region, 0, NULL, NULL));
  size_t at[3] = {region[0] - 1, region[1] - 1, region[2] - 1};
  uint32_t *last = clEnqueueMapImage(queue, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, one, &row, &slice, 0, NULL, NULL, &code);
  cl_uint maps = 0;
  EXPECT(!code && *last == from[(count - 1) / WIDTH * (WIDTH + 1) + WIDTH - 1] && row == 4 * WIDTH && !slice == !slices);
  EXPECT(!clGetMemObjectInfo(b, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL) && maps == 1);
  *last = 77;
  CODE(0, clEnqueueUnmapMemObject(queue, b, last, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, b, last, 0, NULL, NULL));
  CODE(0, clEnqueueReadImage(queue, b, CL_TRUE, at, one, 0, 0, got, 0, NULL, NULL));
  EXPECT(got[0] == 77 && !clReleaseMemObject(a) && !clReleaseMemObject(b) && !clReleaseMemObject(buffer));
}

/* An image in memory of the host, whose rows have a gap: maps return that memory. */
static void use_host_memory(void) {
  enum { ROW = WIDTH + 3 };
  static uint32_t host[ROW * HEIGHT];
  cl_image_desc desc = {CL_MEM_OBJECT_IMAGE2D, WIDTH, HEIGHT, .image_row_pitch = 4 * ROW};
  for (uint32_t i = 0; i < ROW * HEIGHT; i++)
    host[i] = i;
  cl_mem used = make(CL_MEM_USE_HOST_PTR, &r32, &desc, host), copied = make(CL_MEM_COPY_HOST_PTR, &r32, &desc, host);
  const size_t at[3] = {1, 2, 0}, region[3] = {2, 2, 1};
  size_t row = 0;
  uint32_t got[4], color[4] = {1000};
  void *pointer = NULL;
  cl_int code = 1;
  EXPECT(!clGetMemObjectInfo(used, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL) && pointer == host && size_info(used, CL_IMAGE_ROW_PITCH) == 4 * ROW);
  CODE(0, clEnqueueFillImage(queue, used, color, at, region, 0, NULL, NULL));
  uint32_t *mapped = clEnqueueMapImage(queue, used, CL_TRUE, CL_MAP_READ, at, region, &row, NULL, 0, NULL, NULL, &code);
  EXPECT(!code && mapped == host + 2 * ROW + 1 && row == 4 * ROW && mapped[0] == 1000 && mapped[ROW + 1] == 1000 && mapped[2] == 2 * ROW + 3);
  mapped[0] = 5; // is lost, as the map was for reading
  CODE(0, clEnqueueUnmapMemObject(queue, used, mapped, 0, NULL, NULL));
  CODE(0, clEnqueueReadImage(queue, used, CL_TRUE, at, region, 0, 0, got, 0, NULL, NULL));
  EXPECT(got[0] == 1000);
  mapped = clEnqueueMapImage(queue, used, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, at, region, &row, NULL, 0, NULL, NULL, &code);
  mapped[0] = mapped[1] = mapped[ROW] = 1, mapped[ROW + 1] = 6;
  CODE(0, clEnqueueUnmapMemObject(queue, used, mapped, 0, NULL, NULL));
  CODE(0, clEnqueueReadImage(queue, used, CL_TRUE, at, region, 0, 0, got, 0, NULL, NULL));
  EXPECT(got[0] == 1 && got[3] == 6);
  CODE(0, clEnqueueReadImage(queue, copied, CL_TRUE, at, region, 0, 0, got, 0, NULL, NULL));
  EXPECT(got[0] == 2 * ROW + 1 && got[3] == 3 * ROW + 2);
  EXPECT(!clReleaseMemObject(used) && !clReleaseMemObject(copied));
}

/* Images of one and two dimensions in a part of a buffer, and one in another image. */
static void share_memory(void) {
  cl_int code = 1;
  uint8_t bytes[1024], got[4];
  for (int i = 0; i < 1024; i++)
    bytes[i] = i / 4;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes, &code), of = NULL;
  cl_buffer_region region = {512, 256};
  cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  cl_image_desc line = {CL_MEM_OBJECT_IMAGE1D_BUFFER, 64, .mem_object = part}, plane = {CL_MEM_OBJECT_IMAGE2D, 4, 8, .image_row_pitch = 32, .mem_object = part};
  cl_mem one = make(CL_MEM_READ_ONLY, &rgba8, &line, NULL), two = make(0, &rgba8, &plane, NULL);
  cl_image_desc view_desc = {CL_MEM_OBJECT_IMAGE2D, 4, 8, .mem_object = two};
  const cl_image_format bgra8 = {CL_BGRA, CL_UNSIGNED_INT8};
  cl_mem view = make(0, &bgra8, &view_desc, NULL);
  const size_t at[3] = {3, 0, 0}, below[3] = {3, 1, 0}, texel[3] = {1, 1, 1};
  EXPECT(!clGetImageInfo(one, CL_IMAGE_BUFFER, sizeof of, &of, NULL) && of == part && !clReleaseMemObject(part) && !clReleaseMemObject(buffer));
  CODE(0, clEnqueueReadImage(queue, one, CL_TRUE, at, texel, 0, 0, got, 0, NULL, NULL));
  EXPECT(got[0] == 128 + 3);
  CODE(0, clEnqueueReadImage(queue, two, CL_TRUE, below, texel, 0, 0, got, 0, NULL, NULL));
  EXPECT(got[0] == 128 + 8 + 3);
  uint32_t color[4] = {1, 2, 3, 4};
  CODE(0, clEnqueueFillImage(queue, view, color, below, texel, 0, NULL, NULL));
  CODE(0, clEnqueueReadImage(queue, two, CL_TRUE, below, texel, 0, 0, got, 0, NULL, NULL));
  EXPECT(got[0] == 3 && got[1] == 2 && got[2] == 1 && got[3] == 4);
  line.image_width = 65; // beyond the part
  CODE(CL_INVALID_IMAGE_DESCRIPTOR, (clCreateImage(context, 0, &rgba8, &line, NULL, &code), code));
  EXPECT(!clReleaseMemObject(one) && !clReleaseMemObject(view) && !clReleaseMemObject(two));
}

/* A kernel blends neighbours with a sampler of the host, and writes through a second image. */
static void run_kernel(void) {
  const char *source =
      "kernel void blend(read_only image2d_t in, sampler_t s, write_only image2d_t out, read_write image1d_t sum, float by) {\n"
      "  int x = get_global_id(0);\n"
      "  write_imagef(out, (int2)(x, 0), read_imagef(in, s, (float2)(x + 1.0f, 0.5f)) * by);\n"
      "  write_imageui(sum, x, read_imageui(sum, x) + (uint4)x);\n"
      "}\n";
  cl_kernel kernel = kernel_of(source, "blend");
  if (!kernel)
    return;
  float texels[4][4] = {{0}, {2, 4, 6, 8}, {4, 4, 4, 4}, {8}}, got[4][4];
  uint32_t sums[4] = {10, 20, 30, 40};
  cl_image_desc desc = {CL_MEM_OBJECT_IMAGE2D, 4, 1}, line = {CL_MEM_OBJECT_IMAGE1D, 4};
  cl_mem in = make(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &rgba32f, &desc, texels), out = make(CL_MEM_WRITE_ONLY, &rgba32f, &desc, NULL), sum = make(CL_MEM_COPY_HOST_PTR, &r32, &line, sums);
  cl_int code = 1;
  cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, &code);
  float by = 2;
  size_t items = 4;
  const size_t zero[3] = {0}, region[3] = {4, 1, 1};
  EXPECT(sampler && !code && !clSetKernelArg(kernel, 0, sizeof in, &in) && !clSetKernelArg(kernel, 1, sizeof sampler, &sampler) && !clSetKernelArg(kernel, 2, sizeof out, &out) && !clSetKernelArg(kernel, 3, sizeof sum, &sum) && !clSetKernelArg(kernel, 4, sizeof by, &by));
  CODE(0, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
  CODE(0, clEnqueueReadImage(queue, out, CL_TRUE, zero, region, 0, 0, got, 0, NULL, NULL));
  EXPECT(got[0][0] == 2 && got[0][3] == 8 && got[1][0] == 6 && got[1][1] == 8 && got[2][0] == 12 && got[3][0] == 16);
  CODE(0, clEnqueueReadImage(queue, sum, CL_TRUE, zero, region, 0, 0, sums, 0, NULL, NULL));
  EXPECT(sums[0] == 10 && sums[3] == 43);
  CODE(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, &in));
  CODE(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 0, sizeof in, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof in, &sampler));
  CODE(CL_INVALID_SAMPLER, clSetKernelArg(kernel, 1, sizeof in, &in));
  CODE(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 4, sizeof by, NULL));
  EXPECT(!clReleaseKernel(kernel) && !clReleaseSampler(sampler) && !clReleaseMemObject(in) && !clReleaseMemObject(out) && !clReleaseMemObject(sum));
}

static void query_samplers(void) {
  const cl_sampler_properties list[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0}, twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  cl_int code = 1;
  cl_uint number = 9, uses = 0;
  cl_context of = NULL;
  size_t size = 0;
  cl_sampler_properties got[8];
  cl_sampler s = clCreateSamplerWithProperties(context, list, &code), plain = clCreateSamplerWithProperties(context, NULL, &code);
  EXPECT(!clGetSamplerInfo(s, CL_SAMPLER_NORMALIZED_COORDS, sizeof number, &number, NULL) && !number);
  EXPECT(!clGetSamplerInfo(s, CL_SAMPLER_FILTER_MODE, sizeof number, &number, NULL) && number == CL_FILTER_LINEAR);
  EXPECT(!clGetSamplerInfo(s, CL_SAMPLER_ADDRESSING_MODE, sizeof number, &number, NULL) && number == CL_ADDRESS_CLAMP);
  EXPECT(!clGetSamplerInfo(s, CL_SAMPLER_CONTEXT, sizeof of, &of, NULL) && of == context);
  EXPECT(!clGetSamplerInfo(s, CL_SAMPLER_PROPERTIES, sizeof got, got, &size) && size == sizeof list && !memcmp(list, got, size));
  EXPECT(!clGetSamplerInfo(plain, CL_SAMPLER_PROPERTIES, sizeof got, got, &size) && !size);
  EXPECT(!clRetainSampler(s) && !clGetSamplerInfo(s, CL_SAMPLER_REFERENCE_COUNT, sizeof uses, &uses, NULL) && uses == 2);
  CODE(CL_INVALID_VALUE, clGetSamplerInfo(s, 0x1234, sizeof uses, &uses, NULL));
  CODE(CL_INVALID_VALUE, (clCreateSamplerWithProperties(context, twice, &code), code));
  CODE(CL_INVALID_VALUE, (clCreateSampler(context, CL_TRUE, 0x1234, CL_FILTER_LINEAR, &code), code));
  CODE(CL_INVALID_VALUE, (clCreateSampler(context, CL_TRUE, CL_ADDRESS_NONE, 0x1234, &code), code));
  EXPECT(!clReleaseSampler(s) && !clReleaseSampler(s) && !clReleaseSampler(plain));
}

static void query_device(void) {
  cl_uint count = 0, number = 0;
  cl_bool has = CL_FALSE;
  size_t width = 0;
  char text[4096];
  static cl_image_format formats[512];
  EXPECT(!clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has, &has, NULL) && has);
  EXPECT(!clGetDeviceInfo(device, CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof width, &width, NULL) && width >= 16384);
  EXPECT(!clGetDeviceInfo(device, CL_DEVICE_MAX_READ_IMAGE_ARGS, sizeof number, &number, NULL) && number >= 128);
  EXPECT(!clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL) && strstr(text, "cl_khr_depth_images"));
  CODE(0, clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 512, formats, &count));
  int found = 0;
  for (cl_uint i = 0; i < count; i++)
    found += formats[i].image_channel_order == CL_DEPTH || (formats[i].image_channel_order == CL_RGBA && formats[i].image_channel_data_type == CL_HALF_FLOAT);
  EXPECT(found == 3 && count < 512);
  CODE(CL_INVALID_VALUE, clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count));
  CODE(CL_INVALID_VALUE, clGetSupportedImageFormats(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
  CODE(CL_INVALID_CONTEXT, clGetSupportedImageFormats((cl_context)queue, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
}

/* Descriptions that no image has, with the code for each. */
static void make_wrongly(void) {
  static uint32_t host[64];
  const cl_image_format odd = {CL_RGB, CL_FLOAT}, none = {1, 2};
  const struct {
    cl_int want;
    cl_mem_flags flags;
    const cl_image_format *format;
    cl_image_desc desc;
    void *host;
  } cases[] = {
      {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, NULL, {CL_MEM_OBJECT_IMAGE2D, 2, 2}},
      {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &none, {CL_MEM_OBJECT_IMAGE2D, 2, 2}},
      {CL_IMAGE_FORMAT_NOT_SUPPORTED, 0, &odd, {CL_MEM_OBJECT_IMAGE2D, 2, 2}},
      {CL_INVALID_IMAGE_DESCRIPTOR, 0, &r32, {CL_MEM_OBJECT_BUFFER, 2, 2}},
      {CL_INVALID_IMAGE_DESCRIPTOR, 0, &r32, {CL_MEM_OBJECT_IMAGE2D, 2, 2, .num_samples = 1}},
      {CL_INVALID_IMAGE_DESCRIPTOR, 0, &r32, {CL_MEM_OBJECT_IMAGE2D, 2, 2, .image_row_pitch = 8}},
      {CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, &r32, {CL_MEM_OBJECT_IMAGE2D, 2, 2, .image_row_pitch = 4}, host},
      {CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, &r32, {CL_MEM_OBJECT_IMAGE2D, 2, 2, .image_row_pitch = 9}, host},
      {CL_INVALID_IMAGE_DESCRIPTOR, 0, &r32, {CL_MEM_OBJECT_IMAGE1D_BUFFER, 2}},
      {CL_INVALID_IMAGE_SIZE, 0, &r32, {CL_MEM_OBJECT_IMAGE2D, 2}},
      {CL_INVALID_IMAGE_SIZE, 0, &r32, {CL_MEM_OBJECT_IMAGE2D, 16385, 1}},
      {CL_INVALID_IMAGE_SIZE, 0, &r32, {CL_MEM_OBJECT_IMAGE3D, 2049, 1, 1}},
      {CL_INVALID_IMAGE_SIZE, 0, &r32, {CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, 2, 0, 2049}},
      {CL_INVALID_IMAGE_SIZE, 0, &r32, {CL_MEM_OBJECT_IMAGE1D, ~(size_t)0}},
      {CL_INVALID_HOST_PTR, CL_MEM_COPY_HOST_PTR, &r32, {CL_MEM_OBJECT_IMAGE2D, 2, 2}},
      {CL_INVALID_HOST_PTR, 0, &r32, {CL_MEM_OBJECT_IMAGE2D, 2, 2}, host},
      {CL_INVALID_VALUE, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &r32, {CL_MEM_OBJECT_IMAGE2D, 2, 2}},
      {CL_INVALID_VALUE, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, &r32, {CL_MEM_OBJECT_IMAGE2D, 2, 2}, host},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cl_int code = 1;
    cl_mem image = clCreateImage(context, cases[i].flags, cases[i].format, &cases[i].desc, cases[i].host, &code);
    if (image || code != cases[i].want)
      printf("case %zu: %d, want %d\n", i, code, cases[i].want);
  }
  cl_int code = 1;
  cl_image_desc desc = {CL_MEM_OBJECT_IMAGE2D, 2, 2};
  CODE(CL_INVALID_IMAGE_DESCRIPTOR, (clCreateImage(context, 0, &r32, NULL, NULL, &code), code));
  CODE(CL_INVALID_CONTEXT, (clCreateImage((cl_context)queue, 0, &r32, &desc, NULL, &code), code));
}

/* Commands with a wrong argument each. */
static void command_wrongly(void) {
  cl_image_desc desc = {CL_MEM_OBJECT_IMAGE2D, WIDTH, HEIGHT};
  const cl_image_format r32i = {CL_R, CL_SIGNED_INT32};
  static uint32_t host[TEXELS];
  cl_int code = 1;
  cl_mem image = make(0, &r32, &desc, NULL), other = make(0, &r32i, &desc, NULL), secret = make(CL_MEM_HOST_NO_ACCESS, &r32, &desc, NULL);
  cl_mem buffer = clCreateBuffer(context, 0, 16, NULL, &code);
  const size_t zero[3] = {0}, one[3] = {1, 1, 1}, all[3] = {WIDTH, HEIGHT, 1}, outside[3] = {1, 0, 0}, huge[3] = {~(size_t)0, 1, 1}, flat[3] = {1, 1, 0}, two[3] = {2, 2, 1};
  size_t row = 0;
  CODE(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, outside, all, 0, 0, host, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, huge, all, 0, 0, host, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, zero, huge, 0, 0, host, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, zero, flat, 0, 0, host, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 8, 0, host, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, NULL, all, 0, 0, host, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 0, 0, NULL, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueWriteImage(queue, image, CL_TRUE, zero, all, ~(size_t)0, 0, host, 0, NULL, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(queue, buffer, CL_TRUE, zero, all, 0, 0, host, 0, NULL, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clGetImageInfo(buffer, CL_IMAGE_WIDTH, sizeof row, &row, NULL));
  CODE(CL_INVALID_VALUE, clGetImageInfo(image, 0x1234, sizeof row, &row, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, image, CL_TRUE, 0, 4, host, 0, NULL, NULL));
  CODE(CL_INVALID_OPERATION, clEnqueueReadImage(queue, secret, CL_TRUE, zero, all, 0, 0, host, 0, NULL, NULL));
  CODE(CL_INVALID_OPERATION, (clEnqueueMapImage(queue, secret, CL_TRUE, CL_MAP_READ, zero, all, &row, NULL, 0, NULL, NULL, &code), code));
  CODE(CL_INVALID_VALUE, (clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, zero, all, NULL, NULL, 0, NULL, NULL, &code), code));
  CODE(CL_INVALID_VALUE, (clEnqueueMapImage(queue, image, CL_TRUE, 64, zero, all, &row, NULL, 0, NULL, NULL, &code), code));
  CODE(CL_IMAGE_FORMAT_MISMATCH, clEnqueueCopyImage(queue, image, other, zero, zero, all, 0, NULL, NULL));
  CODE(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(queue, image, image, zero, outside, two, 0, NULL, NULL));
  CODE(0, clEnqueueCopyImage(queue, image, image, zero, outside, one, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(queue, image, buffer, zero, all, 0, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueCopyBufferToImage(queue, buffer, image, 13, zero, one, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueFillImage(queue, image, NULL, zero, one, 0, NULL, NULL));
  CODE(CL_INVALID_EVENT_WAIT_LIST, clEnqueueFillImage(queue, image, host, zero, one, 1, NULL, NULL));
  EXPECT(!clReleaseMemObject(image) && !clReleaseMemObject(other) && !clReleaseMemObject(secret) && !clReleaseMemObject(buffer));
}

int main(void) {
  open_device();
  query_device();
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    transfer_kind(k);
  use_host_memory();
  share_memory();
  run_kernel();
  query_samplers();
  make_wrongly();
  command_wrongly();
  close_device();
  return 0;
}
