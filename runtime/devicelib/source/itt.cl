/* itt.cl: the calls that -fsycl-instrument-device-code puts into kernels for
 * profilers, and those that DPC++'s wrappers make of them: the functions of the
 * profiler's interface and the stubs that a profiler replaces. None listens here, so
 * that they do nothing. Identifiers of groups have three numbers.
 */
#include "library.h"

#define SILENT(name, parameters) \
  OFFLINK_EXTERNAL void lib_itt_##name parameters __asm("__itt_offload_" #name); \
  OFFLINK_EXTERNAL void lib_itt_##name parameters {}

SILENT(wi_start_wrapper, (void))
SILENT(wi_finish_wrapper, (void))
SILENT(wi_resume_wrapper, (void))
SILENT(wg_barrier_wrapper, (void))

#define SILENT_TWICE(name, parameters) \
  SILENT(name, parameters) \
  SILENT(name##_stub, parameters)

SILENT_TWICE(wi_start, (size_t *group, size_t item, uint size))
SILENT_TWICE(wi_finish, (size_t *group, size_t item))
SILENT_TWICE(wi_resume, (size_t *group, size_t item))
SILENT_TWICE(wg_barrier, (ulong barrier))
SILENT_TWICE(wg_local_range, (size_t *sizes, size_t count))
SILENT_TWICE(sync_acquired, (ulong object))
SILENT_TWICE(sync_releasing, (ulong object))
SILENT_TWICE(atomic_op_start, (void *object, int operation, int order))
SILENT_TWICE(atomic_op_finish, (void *object, int operation, int order))
