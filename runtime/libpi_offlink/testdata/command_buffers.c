// Command buffers (cl_khr_command_buffer 0.9.8, cl_khr_command_buffer_mutable_dispatch 0.9.5):
// each kind of command, orders, uses in turn, changes, and the codes of wrong calls. The
// functions are declared here, as headers of distributions have those of earlier versions.
#include "opencl_setup.h"

typedef struct buffer_object *command_buffer;
typedef struct command_object *mutable_command;
typedef cl_uint point;

struct argument { cl_uint index; size_t size; const void *value; };
struct change {
  mutable_command command;
  cl_uint arguments, addresses, infos, dimensions;
  const struct argument *argument, *address;
  const void *info;
  const size_t *offset, *global, *local;
};

#define PROPERTIES command_buffer, cl_command_queue, const cl_ulong *
#define POINTS cl_uint, const point *, point *, mutable_command *
#define FUNCTIONS(F) \
  F(command_buffer, clCreateCommandBuffer, (cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *)) \
  F(cl_int, clFinalizeCommandBuffer, (command_buffer)) \
  F(cl_int, clRetainCommandBuffer, (command_buffer)) \
  F(cl_int, clReleaseCommandBuffer, (command_buffer)) \
  F(cl_int, clEnqueueCommandBuffer, (cl_uint, cl_command_queue *, command_buffer, cl_uint, const cl_event *, cl_event *)) \
  F(cl_int, clGetCommandBufferInfo, (command_buffer, cl_uint, size_t, void *, size_t *)) \
  F(cl_int, clCommandBarrierWithWaitList, (PROPERTIES, POINTS)) \
  F(cl_int, clCommandCopyBuffer, (PROPERTIES, cl_mem, cl_mem, size_t, size_t, size_t, POINTS)) \
  F(cl_int, clCommandCopyBufferRect, (PROPERTIES, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, size_t, size_t, size_t, size_t, POINTS)) \
  F(cl_int, clCommandFillBuffer, (PROPERTIES, cl_mem, const void *, size_t, size_t, size_t, POINTS)) \
  F(cl_int, clCommandCopyImage, (PROPERTIES, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, POINTS)) \
  F(cl_int, clCommandCopyImageToBuffer, (PROPERTIES, cl_mem, cl_mem, const size_t *, const size_t *, size_t, POINTS)) \
  F(cl_int, clCommandCopyBufferToImage, (PROPERTIES, cl_mem, cl_mem, size_t, const size_t *, const size_t *, POINTS)) \
  F(cl_int, clCommandFillImage, (PROPERTIES, cl_mem, const void *, const size_t *, const size_t *, POINTS)) \
  F(cl_int, clCommandSVMMemcpy, (PROPERTIES, void *, const void *, size_t, POINTS)) \
  F(cl_int, clCommandSVMMemFill, (PROPERTIES, void *, const void *, size_t, size_t, POINTS)) \
  F(cl_int, clCommandNDRangeKernel, (PROPERTIES, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, POINTS)) \
  F(cl_int, clUpdateMutableCommands, (command_buffer, cl_uint, const cl_uint *, const void **)) \
  F(cl_int, clGetMutableCommandInfo, (mutable_command, cl_uint, size_t, void *, size_t *))
#define DECLARE(result, name, parameters) static result(*name) parameters;
FUNCTIONS(DECLARE)
#define FIND(result, name, parameters) EXPECT((name = (result(*) parameters)clGetExtensionFunctionAddressForPlatform(platform, #name "KHR")));

static command_buffer create(cl_command_queue on, cl_ulong flags) {
  cl_int code = 1;
  cl_ulong properties[] = {0x1293, flags, 0};
  command_buffer made = clCreateCommandBuffer(1, &on, properties, &code);
  EXPECT(made && !code);
  return made;
}

static cl_mem make(size_t size) { return clCreateBuffer(context, 0, size, NULL, NULL); }

static int at(cl_mem buffer, size_t index) {
  int value = -1;
  CODE(0, clEnqueueReadBuffer(queue, buffer, CL_TRUE, index * sizeof value, sizeof value, &value, 0, NULL, NULL));
  return value;
}

/* Every command of memory, in the order of sync points, on queues with and without an order. */
static void copy_memory(cl_command_queue on) {
  cl_mem from = make(64), to = make(64), square = make(64);
  cl_image_format format = {CL_R, CL_SIGNED_INT32};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
  cl_int code = 1, seven = 7, color[4] = {9, 9, 9, 9};
  cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &code), second = clCreateImage(context, 0, &format, &desc, NULL, &code);
  int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0), *other = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  size_t origin[3] = {0}, shifted[3] = {4, 1, 0}, region[3] = {8, 2, 1}, texels[3] = {4, 4, 1}, one[3] = {1, 1, 1};
  point p[12] = {0};
  command_buffer b = create(on, 0);
  CODE(0, clCommandFillBuffer(b, NULL, NULL, from, &seven, sizeof seven, 0, 64, 0, NULL, &p[0], NULL));
  CODE(0, clCommandCopyBuffer(b, NULL, NULL, from, to, 0, 4, 60, 1, &p[0], &p[1], NULL));
  CODE(0, clCommandCopyBufferRect(b, NULL, NULL, from, square, origin, shifted, region, 16, 0, 16, 0, 1, &p[0], &p[2], NULL));
  CODE(0, clCommandFillImage(b, NULL, NULL, image, color, origin, texels, 0, NULL, &p[3], NULL));
  CODE(0, clCommandCopyBufferToImage(b, NULL, NULL, from, image, 0, origin, one, 2, (point[]){p[0], p[3]}, &p[4], NULL));
  CODE(0, clCommandCopyImage(b, NULL, NULL, image, second, origin, origin, texels, 1, &p[4], &p[5], NULL));
  CODE(0, clCommandBarrierWithWaitList(b, NULL, NULL, 3, (point[]){p[1], p[2], p[5]}, &p[6], NULL));
  CODE(0, clCommandCopyImageToBuffer(b, NULL, NULL, second, to, origin, (size_t[]){2, 1, 1}, 32, 1, &p[6], &p[7], NULL));
  CODE(0, clCommandSVMMemFill(b, NULL, NULL, shared, &seven, sizeof seven, 64, 0, NULL, &p[8], NULL));
  CODE(0, clCommandSVMMemcpy(b, NULL, NULL, other, shared, 64, 1, &p[8], &p[9], NULL));
  CODE(0, clFinalizeCommandBuffer(b));
  EXPECT(!clReleaseMemObject(image) && !clReleaseMemObject(second)); /* the command buffer keeps them */
  for (int use = 0; use < 2; use++) {
    cl_event done;
    int none = 0;
    CODE(0, clEnqueueFillBuffer(queue, to, &none, sizeof none, 0, 64, 0, NULL, NULL));
    CODE(0, clEnqueueFillBuffer(queue, square, &none, sizeof none, 0, 64, 0, NULL, NULL));
    CODE(0, clFinish(queue));
    CODE(0, clEnqueueCommandBuffer(use, use ? (cl_command_queue *)&on : NULL, b, 0, NULL, &done));
    CODE(0, clWaitForEvents(1, &done));
    EXPECT(at(to, 0) == 0 && at(to, 1) == 7 && at(to, 8) == 7 && at(to, 9) == 9 && at(to, 15) == 7);
    EXPECT(at(square, 4) == 0 && at(square, 5) == 7 && at(square, 6) == 7 && at(square, 7) == 0 && at(square, 9) == 7 && at(square, 10) == 7);
    EXPECT(other[15] == 7);
    memset(other, 0, 64);
    cl_int status = 1, type = 0;
    EXPECT(!clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) && status == CL_COMPLETE);
    EXPECT(!clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL) && type == 0x12A8);
    EXPECT(!clReleaseEvent(done));
  }
  EXPECT(!clReleaseCommandBuffer(b) && !clReleaseMemObject(from) && !clReleaseMemObject(to) && !clReleaseMemObject(square));
  clSVMFree(context, shared), clSVMFree(context, other);
}

/* A launch keeps the arguments that it was recorded with, and waits for events of the host. */
static void launch(cl_kernel kernel) {
  cl_mem out = make(16);
  int value = 5, later = 100;
  size_t items = 4;
  command_buffer b = create(queue, 1);
  EXPECT(!clSetKernelArg(kernel, 0, sizeof out, &out) && !clSetKernelArg(kernel, 1, sizeof value, &value));
  CODE(0, clEnqueueFillBuffer(queue, out, (int[]){0}, sizeof(int), 0, 16, 0, NULL, NULL));
  for (int i = 0; i < 3; i++)
    CODE(0, clCommandNDRangeKernel(b, NULL, NULL, kernel, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
  EXPECT(!clSetKernelArg(kernel, 1, sizeof later, &later));
  CODE(0, clFinalizeCommandBuffer(b));
  cl_event gate = clCreateUserEvent(context, NULL), first, second;
  CODE(0, clEnqueueCommandBuffer(0, NULL, b, 1, &gate, &first));
  CODE(0, clEnqueueCommandBuffer(0, NULL, b, 1, &first, &second)); /* an event of several commands */
  cl_int status = -1;
  EXPECT(!clGetEventInfo(first, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) && status > CL_COMPLETE);
  CODE(0, clSetUserEventStatus(gate, CL_COMPLETE));
  CODE(0, clWaitForEvents(1, &second));
  EXPECT(at(out, 0) == 30 && at(out, 3) == 48); /* 5 and the item, six times */
  gate = clCreateUserEvent(context, NULL);
  CODE(0, clEnqueueCommandBuffer(0, NULL, b, 1, &gate, &first));
  CODE(0, clSetUserEventStatus(gate, -3));
  CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &first));
  EXPECT(clFinish(queue)); /* the queue has told of the failure now */
  EXPECT(!clReleaseCommandBuffer(b) && !clReleaseMemObject(out));
}

/* Arguments and ranges of launches change, those of a kernel that the host has released too. */
static void change(cl_kernel kernel) {
  cl_mem out = make(32), other = make(32);
  int value = 1, none = 0, more = 50;
  size_t items = 8, fewer = 2, offset = 1, local = 2, sizes[2] = {0};
  cl_ulong fields[] = {0x12B1, 31, 0}, unknown[] = {0x9999, 1, 0}, got[3] = {0};
  mutable_command command = NULL;
  point p = 0;
  cl_int code = 1;
  cl_kernel copy = clCloneKernel(kernel, &code);
  command_buffer b = create(queue, 2), fixed = create(queue, 0);
  EXPECT(copy && !clSetKernelArg(copy, 0, sizeof out, &out) && !clSetKernelArg(copy, 1, sizeof value, &value));
  CODE(CL_INVALID_VALUE, clCommandNDRangeKernel(b, NULL, unknown, copy, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
  CODE(0, clCommandNDRangeKernel(b, NULL, fields, copy, 1, NULL, &items, NULL, 0, NULL, &p, &command));
  CODE(CL_INVALID_VALUE, clCommandFillBuffer(b, NULL, NULL, out, &none, sizeof none, 0, 16, 0, NULL, NULL, &command));
  EXPECT(command && p == 1);
  struct argument to = {0, sizeof other, &other}, by = {1, sizeof more, &more}, beyond = {2, sizeof more, &more}, list[] = {to, by}, wrong[] = {by, beyond};
  struct change both = {.command = command, .arguments = 2, .argument = list}, bad = {.command = command, .arguments = 2, .argument = wrong},
                range = {.command = command, .dimensions = 1, .offset = &offset, .global = &fewer, .local = &local}, three = {.command = command, .dimensions = 3, .global = &fewer};
  cl_uint type = 0, strange = 7;
  const void *changes[] = {&both}, *fails[] = {&bad}, *ranges[] = {&range}, *dimensions[] = {&three};
  CODE(CL_INVALID_OPERATION, clUpdateMutableCommands(b, 1, &type, changes)); /* not finalized */
  CODE(0, clFinalizeCommandBuffer(b));
  EXPECT(!clReleaseKernel(copy));
  int zeros[8] = {0};
  CODE(0, clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, 32, zeros, 0, NULL, NULL));
  CODE(0, clEnqueueWriteBuffer(queue, other, CL_TRUE, 0, 32, zeros, 0, NULL, NULL));
  CODE(0, clEnqueueCommandBuffer(0, NULL, b, 0, NULL, NULL));
  EXPECT(at(out, 7) == 8 && at(other, 7) == 0);
  CODE(CL_INVALID_ARG_INDEX, clUpdateMutableCommands(b, 1, &type, fails));
  CODE(0, clEnqueueCommandBuffer(0, NULL, b, 0, NULL, NULL)); /* nothing was changed */
  EXPECT(at(out, 7) == 16);
  CODE(0, clUpdateMutableCommands(b, 1, &type, changes));
  CODE(0, clEnqueueCommandBuffer(0, NULL, b, 0, NULL, NULL));
  EXPECT(at(out, 7) == 16 && at(other, 7) == 57 && at(other, 0) == 50);
  CODE(0, clUpdateMutableCommands(b, 1, &type, ranges));
  CODE(0, clEnqueueCommandBuffer(0, NULL, b, 0, NULL, NULL));
  EXPECT(at(other, 0) == 50 && at(other, 1) == 102 && at(other, 2) == 104 && at(other, 3) == 53);
  EXPECT(!clGetMutableCommandInfo(command, 0x12A6, sizeof sizes, sizes, NULL) && sizes[0] == 2);
  EXPECT(!clGetMutableCommandInfo(command, 0x12A2, sizeof got, got, NULL) && got[0] == 0x12B1 && got[1] == 31 && !got[2]);
  command_buffer of = NULL;
  EXPECT(!clGetMutableCommandInfo(command, 0x12A1, sizeof of, &of, NULL) && of == b);
  CODE(CL_INVALID_VALUE, clUpdateMutableCommands(b, 1, &type, dimensions));
  CODE(CL_INVALID_VALUE, clUpdateMutableCommands(b, 1, &strange, changes));
  CODE(CL_INVALID_VALUE, clUpdateMutableCommands(b, 1, NULL, changes));
  CODE(-1141, clUpdateMutableCommands(fixed, 1, &type, changes));
  EXPECT(!clFinish(queue) && !clReleaseCommandBuffer(b) && !clReleaseCommandBuffer(fixed) && !clReleaseMemObject(out) && !clReleaseMemObject(other));
}

/* A command buffer keeps its queue: both can be released while the commands wait. */
static void release_early(void) {
  cl_int code = 1, seven = 7;
  cl_mem buffer = make(16);
  cl_command_queue own = clCreateCommandQueue(context, device, 0, &code);
  command_buffer b = create(own, 0);
  cl_event gate = clCreateUserEvent(context, NULL), done;
  CODE(0, clCommandFillBuffer(b, NULL, NULL, buffer, &seven, sizeof seven, 0, 16, 0, NULL, NULL, NULL));
  CODE(0, clFinalizeCommandBuffer(b));
  EXPECT(!clReleaseCommandQueue(own));
  CODE(0, clEnqueueCommandBuffer(0, NULL, b, 1, &gate, &done));
  CODE(0, clReleaseCommandBuffer(b));
  CODE(0, clSetUserEventStatus(gate, CL_COMPLETE));
  CODE(0, clWaitForEvents(1, &done));
  EXPECT(at(buffer, 3) == 7 && !clReleaseEvent(done) && !clReleaseEvent(gate) && !clReleaseMemObject(buffer));
}

/* Queries, and the codes of wrong calls. */
static void go_wrong(void) {
  cl_int code = 1, seven = 7;
  cl_ulong flags[] = {0x1293, 8, 0}, unknown[] = {0x7777, 1, 0}, properties[3] = {0}, capabilities = 0;
  cl_uint state = 9, references = 9, queues = 9;
  cl_command_queue of = NULL;
  cl_mem buffer = make(16);
  point none = 0, p = 0;
  EXPECT(!clCreateCommandBuffer(0, NULL, NULL, &code) && code == CL_INVALID_VALUE);
  EXPECT(!clCreateCommandBuffer(1, &queue, flags, &code) && code == CL_INVALID_PROPERTY);
  EXPECT(!clCreateCommandBuffer(1, &queue, unknown, &code) && code == CL_INVALID_VALUE);
  command_buffer b = create(queue, 1);
  EXPECT(!clGetCommandBufferInfo(b, 0x1294, sizeof of, &of, NULL) && of == queue);
  EXPECT(!clGetCommandBufferInfo(b, 0x1295, sizeof queues, &queues, NULL) && queues == 1);
  EXPECT(!clGetCommandBufferInfo(b, 0x1297, sizeof state, &state, NULL) && state == 0);
  EXPECT(!clGetCommandBufferInfo(b, 0x1298, sizeof properties, properties, NULL) && properties[0] == 0x1293 && properties[1] == 1);
  CODE(CL_INVALID_OPERATION, clEnqueueCommandBuffer(0, NULL, b, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clCommandFillBuffer(b, NULL, NULL, buffer, &seven, sizeof seven, 8, 16, 0, NULL, NULL, NULL));
  CODE(-1139, clCommandFillBuffer(b, NULL, NULL, buffer, &seven, sizeof seven, 0, 16, 1, &none, NULL, NULL));
  CODE(-1139, clCommandFillBuffer(b, NULL, NULL, buffer, &seven, sizeof seven, 0, 16, 1, NULL, NULL, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clCommandFillBuffer(b, NULL, NULL, NULL, &seven, sizeof seven, 0, 16, 0, NULL, NULL, NULL));
  CODE(-1138, clCommandFillBuffer(NULL, NULL, NULL, buffer, &seven, sizeof seven, 0, 16, 0, NULL, NULL, NULL));
  CODE(0, clCommandFillBuffer(b, NULL, NULL, buffer, &seven, sizeof seven, 0, 16, 0, NULL, &p, NULL));
  CODE(0, clFinalizeCommandBuffer(b));
  EXPECT(p == 1);
  CODE(CL_INVALID_OPERATION, clFinalizeCommandBuffer(b));
  CODE(CL_INVALID_OPERATION, clCommandFillBuffer(b, NULL, NULL, buffer, &seven, sizeof seven, 0, 16, 0, NULL, NULL, NULL));
  EXPECT(!clGetCommandBufferInfo(b, 0x1297, sizeof state, &state, NULL) && state == 1);
  cl_context apart = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  cl_command_queue foreign = clCreateCommandQueue(apart, device, 0, &code);
  CODE(-1140, clEnqueueCommandBuffer(1, &foreign, b, 0, NULL, NULL));
  EXPECT(!clReleaseCommandQueue(foreign) && !clReleaseContext(apart));
  CODE(0, clRetainCommandBuffer(b));
  EXPECT(!clGetCommandBufferInfo(b, 0x1296, sizeof references, &references, NULL) && references == 2);
  CODE(0, clReleaseCommandBuffer(b));
  CODE(0, clEnqueueCommandBuffer(0, NULL, b, 0, NULL, NULL));
  CODE(0, clReleaseCommandBuffer(b)); /* its commands end all the same */
  EXPECT(at(buffer, 3) == 7 && !clReleaseMemObject(buffer));
  EXPECT(!clGetDeviceInfo(device, 0x12A9, sizeof capabilities, &capabilities, NULL) && capabilities & 4);
  EXPECT(!clGetDeviceInfo(device, 0x12B0, sizeof capabilities, &capabilities, NULL) && capabilities == 31);
}

int main(void) {
  cl_int code = 1;
  open_device();
  FUNCTIONS(FIND)
  cl_command_queue unordered = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  copy_memory(queue);
  copy_memory(unordered);
  release_early();
  go_wrong();
  cl_kernel kernel = kernel_of("kernel void k(global int *o, int n) { o[get_global_id(0)] += n + (int)get_global_id(0); }\n", "k");
  if (kernel) {
    launch(kernel);
    change(kernel);
    EXPECT(!clReleaseKernel(kernel));
  }
  EXPECT(!clReleaseCommandQueue(unordered));
  close_device();
  return 0;
}
