# offlink for CMake: find_package(offlink)
#
#   offlink::offlink        libofflink, for programs and libraries that hold
#                           device code or use offlink.h
#   offlink::device         the folder of device.h
#   offlink::postlink, offlink::offload-wrap, offlink::devrun
#                           the programs, for add_custom_command
#
# offlink_add_device_code compiles device code into a target
# (offlink-device-code.cmake).
#
# In a cross build this package is the one for the other machine, and the programs
# are those of OFFLINK_TOOLS, a folder: by default the one of the postlink in PATH.
get_filename_component(_offlink_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET offlink::offlink)
  add_library(offlink::device INTERFACE IMPORTED)
  set_target_properties(offlink::device PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_offlink_prefix}/include")

  add_library(offlink::offlink SHARED IMPORTED)
  set_target_properties(offlink::offlink PROPERTIES
    IMPORTED_LOCATION "${_offlink_prefix}/lib/libofflink.so.0"
    IMPORTED_SONAME libofflink.so.0
    INTERFACE_INCLUDE_DIRECTORIES "${_offlink_prefix}/include")

  set(_offlink_programs "${_offlink_prefix}/bin")
  if(CMAKE_CROSSCOMPILING)
    find_path(OFFLINK_TOOLS NAMES postlink PATHS ENV PATH NO_DEFAULT_PATH
              DOC "The folder of postlink and offload-wrap that run on this machine")
    if(OFFLINK_TOOLS)
      set(_offlink_programs "${OFFLINK_TOOLS}")
    else()
      message(WARNING "offlink: this is a cross build, and PATH has no postlink; set OFFLINK_TOOLS to the folder of one that runs on this machine")
    endif()
  endif()
  foreach(_offlink_program postlink offload-wrap devrun)
    add_executable(offlink::${_offlink_program} IMPORTED)
    set_target_properties(offlink::${_offlink_program} PROPERTIES
      IMPORTED_LOCATION "${_offlink_programs}/${_offlink_program}")
  endforeach()
  unset(_offlink_programs)
endif()

foreach(_offlink_file bin/postlink bin/offload-wrap bin/devrun lib/libofflink.so.0 lib/libofflink-core.so
                      include/offlink/offlink.h)
  if(NOT EXISTS "${_offlink_prefix}/${_offlink_file}")
    set(offlink_FOUND FALSE)
    set(offlink_NOT_FOUND_MESSAGE "${_offlink_prefix}/${_offlink_file} is missing; install offlink again")
  endif()
endforeach()

unset(_offlink_prefix)
unset(_offlink_program)
unset(_offlink_file)

include("${CMAKE_CURRENT_LIST_DIR}/offlink-device-code.cmake")
