# offlink_add_device_code(TARGET target SOURCES file...
#                         [SPLIT none|source|kernel|auto] [TARGETS spir64|spir64_x86_64|spir64_aarch64|nvptx64...]
#                         [OPTIONS clang-option...] [POSTLINK_OPTIONS option...])
#
# Compiles device code with clang, makes images of it, and links their host
# objects into the target, together with offlink::offlink. The programs and shared
# libraries that link a static, object or interface library hold its device code. A static
# library has the objects in its archive, installed too, and its users refer to them by
# the linker's option -u, which the library's target carries: a linker takes nothing out
# of an archive that nobody refers to. Languages by
# extension: .cl OpenCL C, .clcpp C++ for OpenCL, .c and .cpp with
# <offlink/device.h>. Headers that a source includes are followed. The images of
# different sources and targets are made in parallel.
#
# SPLIT is postlink's -split; source, an image for each source, is the default. TARGETS are the devices: spir64,
# SPIR-V for every device that takes it (the default), and nvptx64, PTX for
# NVIDIA's GPUs from OFFLINK_CUDA_ARCH on (sm_75). spir64_x86_64 and spir64_aarch64
# add native images of the embedded device to those of spir64; they need a C compiler
# for that architecture. OFFLINK_CLANG names the clang
# to use; the newest of clang-19 to clang-14 and clang is the default. OFFLINK_LIBCLC is
# libclc's nvptx64--nvidiacl.bc of the same LLVM as clang, for the functions of OpenCL C
# that PTX has no instruction for; none is the default. OFFLINK_HOST is
# the target triple of the host program; by default a cross build's own.

# The vectorisers of -O2 and the closed forms of loops make integers of odd
# widths and vectors of booleans, which SPIR-V lacks; devices vectorise by
# themselves.
set(_offlink_clang_spir64 --target=spir64-unknown-unknown -O2 -fno-slp-vectorize -fno-vectorize
                          -mllvm -replexitval=never -c -emit-llvm)
set(_offlink_images_spir64 -spec-const=native)
set(_offlink_format_spir64 spirv)
set(_offlink_opencl_spir64 CL3.0)
set(OFFLINK_CUDA_ARCH sm_75 CACHE STRING "The oldest GPU that device code for nvptx64 runs on")
set(_offlink_clang_nvptx64 --target=nvptx64-nvidia-cuda -march=${OFFLINK_CUDA_ARCH} -nogpulib -O2 -c -emit-llvm)
set(_offlink_images_nvptx64 -spec-const=emulation -emit-program-metadata)
set(_offlink_to_nvptx64 -to=ptx)
set(_offlink_format_nvptx64 none)
set(_offlink_opencl_nvptx64 CL2.0)
set(_offlink_postlink_options -symbols -properties -emit-exported-symbols -emit-imported-symbols -emit-param-info
                              -device-globals -device-image-dependencies=externals)

set(OFFLINK_LIBCLC "" CACHE FILEPATH "libclc's nvptx64--nvidiacl.bc, for the functions of OpenCL C")
set(OFFLINK_HOST "" CACHE STRING "The target triple of the host program; by default the one that is built for")

# -host of offload-wrap: OFFLINK_HOST, or in a cross build the compiler's target, as the
# toolchain file names it.
function(_offlink_host_option result)
  set(triple "${OFFLINK_HOST}")
  if(NOT triple AND CMAKE_CROSSCOMPILING)
    foreach(target IN ITEMS "${CMAKE_CXX_COMPILER_TARGET}" "${CMAKE_C_COMPILER_TARGET}" "${CMAKE_SYSTEM_PROCESSOR}-unknown-linux-gnu")
      if(target AND NOT triple)
        set(triple "${target}")
      endif()
    endforeach()
  endif()
  set(${result} "" PARENT_SCOPE)
  if(triple)
    set(${result} "-host=${triple}" PARENT_SCOPE)
  endif()
endfunction()

function(offlink_add_device_code)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;SPLIT" "SOURCES;TARGETS;OPTIONS;POSTLINK_OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "offlink_add_device_code: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_TARGET OR NOT arg_SOURCES)
    message(FATAL_ERROR "offlink_add_device_code: TARGET and SOURCES are required")
  endif()
  if(NOT arg_SPLIT)
    set(arg_SPLIT source)
  endif()
  if(NOT arg_TARGETS)
    set(arg_TARGETS spir64)
  endif()
  find_program(OFFLINK_CLANG NAMES clang-19 clang-18 clang-17 clang-16 clang-15 clang-14 clang
               DOC "The clang that compiles device code")
  if(NOT OFFLINK_CLANG)
    message(FATAL_ERROR "offlink_add_device_code: no clang was found; install one, or set OFFLINK_CLANG")
  endif()
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}.device")
  set(formats spirv)
  foreach(native IN ITEMS x86_64 aarch64)
    if("spir64_${native}" IN_LIST arg_TARGETS)
      string(APPEND formats ",${native}")
      list(REMOVE_ITEM arg_TARGETS "spir64_${native}")
      list(APPEND arg_TARGETS spir64)
    endif()
  endforeach()
  list(REMOVE_DUPLICATES arg_TARGETS)
  get_target_property(type ${arg_TARGET} TYPE)
  set(scope PRIVATE)
  if(type STREQUAL INTERFACE_LIBRARY)
    set(scope INTERFACE)
  endif()
  set(_offlink_to_spir64 -to=${formats})
  foreach(device IN LISTS arg_TARGETS)
    if(NOT DEFINED _offlink_format_${device})
      message(FATAL_ERROR "offlink_add_device_code: TARGETS: ${device} is not one of spir64, spir64_x86_64, spir64_aarch64, nvptx64")
    endif()
    foreach(source IN LISTS arg_SOURCES)
      _offlink_add_source("${source}" ${device})
    endforeach()
  endforeach()
  target_link_libraries(${arg_TARGET} ${scope} offlink::offlink)
endfunction()

# The commands for one source and one device. Uses the caller's arg_ variables.
function(_offlink_add_source source device)
  set(libclc "")
  if(device STREQUAL nvptx64 AND OFFLINK_LIBCLC)
    set(libclc -Xclang -mlink-builtin-bitcode -Xclang "${OFFLINK_LIBCLC}" -Wno-linker-warnings)
  endif()
  set(split -split=${arg_SPLIT})
  # Each source is a module of its own. -split=source would put the functions without
  # OFFLINK_KERNEL and OFFLINK_EXTERNAL into a second image.
  if(arg_SPLIT MATCHES "^(none|source)$")
    set(split "")
  endif()
  _offlink_host_option(host)
  set(descriptor "")
  if(type STREQUAL STATIC_LIBRARY) # of one name in all the libraries that a program may link
    string(MAKE_C_IDENTIFIER "${PROJECT_NAME}_${arg_TARGET}_${source}_${device}" symbol)
    set(descriptor -desc-name=${symbol})
  endif()
  _offlink_device_language(language "${source}" ${_offlink_opencl_${device}})
  get_filename_component(path "${source}" ABSOLUTE)
  string(MAKE_C_IDENTIFIER "${source}_${device}" name)
  set(base "${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}.device/${name}")
  add_custom_command(OUTPUT "${base}.bc"
    COMMAND "${OFFLINK_CLANG}" ${_offlink_clang_${device}} ${libclc} ${language} "-I$<TARGET_PROPERTY:offlink::device,INTERFACE_INCLUDE_DIRECTORIES>"
            ${arg_OPTIONS} -MD -MQ "${base}.bc" -MF "${base}.d" -o "${base}.bc" "${path}"
    DEPENDS "${path}" DEPFILE "${base}.d" COMMENT "Compiling device code ${source} for ${device}" VERBATIM)
  add_custom_command(OUTPUT "${base}.o"
    COMMAND offlink::postlink ${split} ${_offlink_postlink_options} ${_offlink_images_${device}} ${_offlink_to_${device}} ${arg_POSTLINK_OPTIONS}
            -o "${base}.table" "${base}.bc"
    COMMAND offlink::offload-wrap ${host} ${descriptor} -kind=sycl -target=${device} -format=${_offlink_format_${device}} -o "${base}.o" -batch "${base}.table"
    DEPENDS "${base}.bc" COMMENT "Making device images of ${source} for ${device}" VERBATIM)
  set_source_files_properties("${base}.o" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  if(type STREQUAL STATIC_LIBRARY)
    target_sources(${arg_TARGET} PRIVATE "${base}.o")
    target_link_libraries(${arg_TARGET} INTERFACE "-Wl,-u,.sycl_offloading.${symbol}")
  elseif(type MATCHES "^(OBJECT|INTERFACE)_LIBRARY$")
    add_custom_target(${arg_TARGET}.${name} DEPENDS "${base}.o")
    add_dependencies(${arg_TARGET} ${arg_TARGET}.${name})
    target_link_libraries(${arg_TARGET} INTERFACE "$<BUILD_INTERFACE:${base}.o>")
  else()
    target_sources(${arg_TARGET} PRIVATE "${base}.o")
  endif()
endfunction()

function(_offlink_device_language result source opencl)
  if(source MATCHES "\\.cl$")
    set(${result} -x cl -cl-std=${opencl} PARENT_SCOPE)
  elseif(source MATCHES "\\.clcpp$")
    set(${result} -x clcpp PARENT_SCOPE)
  elseif(source MATCHES "\\.c$")
    set(${result} -x c PARENT_SCOPE)
  elseif(source MATCHES "\\.(cpp|cxx|cc)$")
    set(${result} -x c++ PARENT_SCOPE)
  else()
    message(FATAL_ERROR "offlink_add_device_code: ${source}: the extension is not one of .cl, .clcpp, .c, .cpp")
  endif()
endfunction()
