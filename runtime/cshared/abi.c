/* abi.c: what cgo cannot export, and a check that the Go functions are those
 * that core.h declares. */
#include "core.h"
#include "_cgo_export.h"

const int offlink_core_abi = OFFLINK_CORE_ABI;

#define OFFLINK_CHECK(result, name, parameters)                                                    \
  __attribute__((unused)) static result(*const check_##name) parameters = offlink_core_##name;
OFFLINK_CORE_FUNCTIONS(OFFLINK_CHECK)
