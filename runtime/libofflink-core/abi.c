/* abi.c: the version of core.h that this library speaks. */
#include "core.h"

const int offlink_core_abi = OFFLINK_CORE_ABI;
