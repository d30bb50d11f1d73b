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

  foreach(_offlink_program postlink offload-wrap devrun)
    add_executable(offlink::${_offlink_program} IMPORTED)
    set_target_properties(offlink::${_offlink_program} PROPERTIES
      IMPORTED_LOCATION "${_offlink_prefix}/bin/${_offlink_program}")
  endforeach()
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
