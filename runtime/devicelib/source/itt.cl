/* itt.cl: the calls that -fsycl-instrument-device-code puts into kernels for
 * profilers. None listens here, so that they do nothing.
 */
#include "library.h"

#define SILENT(name, parameters) \
  OFFLINK_EXTERNAL void lib_itt_##name parameters __asm("__itt_offload_" #name); \
  OFFLINK_EXTERNAL void lib_itt_##name parameters {}

SILENT(wi_start_wrapper, (void))
SILENT(wi_finish_wrapper, (void))
SILENT(wi_resume_wrapper, (void))
SILENT(wg_barrier_wrapper, (void))
SILENT(atomic_op_start, (void *object, int operation, int order))
SILENT(atomic_op_finish, (void *object, int operation, int order))
