# find_package(offlink) defines
#   offlink::offlink                the runtime library, with its headers
#   OFFLINK_POSTLINK, OFFLINK_OFFLOAD_WRAP, OFFLINK_DEVRUN   the programs
# and the function
#   offlink_wrap(TARGET TABLE [KIND kind] [DEVICE target])
#     adds the images that a table of postlink names to TARGET, a program or a
#     shared library, and links TARGET with the runtime.
get_filename_component(OFFLINK_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

foreach(program postlink offload-wrap devrun)
  string(TOUPPER "OFFLINK_${program}" variable)
  string(REPLACE "-" "_" variable "${variable}")
  find_program(${variable} ${program} HINTS "${OFFLINK_PREFIX}/bin" REQUIRED)
endforeach()

if(NOT TARGET offlink::offlink)
  add_library(offlink::offlink SHARED IMPORTED)
  set_target_properties(offlink::offlink PROPERTIES
    IMPORTED_LOCATION "${OFFLINK_PREFIX}/lib/libofflink.so.0"
    IMPORTED_SONAME libofflink.so.0
    INTERFACE_INCLUDE_DIRECTORIES "${OFFLINK_PREFIX}/include")
endif()

function(offlink_wrap target table)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "KIND;DEVICE" "")
  if(NOT arg_KIND)
    set(arg_KIND sycl)
  endif()
  if(NOT arg_DEVICE)
    set(arg_DEVICE spir64)
  endif()
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${target}.images.o")
  get_filename_component(table "${table}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  get_filename_component(folder "${table}" DIRECTORY)
  add_custom_command(OUTPUT "${object}"
    COMMAND "${OFFLINK_OFFLOAD_WRAP}" "-o=${object}" "-kind=${arg_KIND}" "-target=${arg_DEVICE}" -batch "${table}"
    DEPENDS "${table}"
    WORKING_DIRECTORY "${folder}"
    COMMENT "Wrapping the device images of ${target}"
    VERBATIM)
  target_sources(${target} PRIVATE "${object}")
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_link_libraries(${target} PRIVATE offlink::offlink)
endfunction()
