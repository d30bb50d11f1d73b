/* call.c: how the functions of offlink.h call the core. Each checks the
 * arguments that C can check; the core checks the rest. */
#include "objects.h"

offlink_status offlink_out_of_memory(void) { return offlink_fail(OFFLINK_ERROR_RUNTIME, "out of memory"); }

offlink_status offlink_perform(struct offlink_call *call) {
  offlink_status status;
  offlink_core_function *core = offlink_start(&status);
  if (!core)
    return status;
  status = (offlink_status)core(call);
  offlink_log(call->warnings);
  /* A driver that was opened meanwhile has registered exit handlers of its own:
   * ours must run before them. */
  if (call->driver_grew)
    offlink_expect_exit();
  return status ? offlink_fail_text(status, call->error) : OFFLINK_OK;
}

/* The C object is allocated first: it can be freed without a trace where the core
 * fails, and the core's object could not be given back without a call that may
 * fail as well. */
void *offlink_create(struct offlink_call *call, size_t size, offlink_status *status) {
  void *object = calloc(1, size);
  *status = object ? offlink_perform(call) : offlink_out_of_memory();
  if (!*status)
    return object;
  free(object);
  return NULL;
}

/* After the end of the core its objects are gone with it. */
void offlink_end_handle(offlink_handle handle, int quick) {
  offlink_core_function *core = offlink_running();
  if (core)
    core(&(struct offlink_call){.function = OFFLINK_CORE_CLOSE, .quick = quick, .object = handle});
}

offlink_status offlink_native(offlink_handle object, uint64_t *handle) {
  struct offlink_call call = {.function = OFFLINK_CORE_NATIVE_HANDLE, .object = object};
  offlink_status status = offlink_perform(&call);
  if (!status)
    *handle = call.number;
  return status;
}
