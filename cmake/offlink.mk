# Rules that make host objects of device code. Include this file and name
# X.device.o among a program's objects for a source X.cl, X.clcpp, X.device.c
# or X.device.cpp:
#
#   include $(shell pkg-config --variable=makefile offlink)
#   CFLAGS += $(shell pkg-config --cflags offlink)
#   program: main.o kernels.device.o
#   	$(CC) -o $@ $^ $(shell pkg-config --libs offlink)
#
# Variables: OFFLINK_CLANG (the newest of clang-19 to clang-14 and clang),
# OFFLINK_SPLIT (source, an image for each source, which is the default; none, kernel,
# auto), OFFLINK_TARGETS
# (spir64, the default, and nvptx64; spir64_x86_64 and spir64_aarch64 add native images
# of the embedded device to those of spir64), OFFLINK_CUDA_ARCH (sm_75), OFFLINK_LIBCLC
# (libclc's nvptx64--nvidiacl.bc of the same LLVM as clang, for the functions of
# OpenCL C that PTX has no instruction for; none),
# OFFLINK_ARCHIVE (the name of an archive that the objects are for, a name of C: each has
# a global symbol then, and $(call offlink_take,X.device.o...) are the linker's options
# that take the objects out of the archive),
# OFFLINK_CLANG_OPTIONS, OFFLINK_POSTLINK_OPTIONS, OFFLINK_BIN and OFFLINK_INCLUDE
# (default: next to this file's prefix), OFFLINK_HOST (target triple of the host
# program; default: the one of $(CC), which for a cross build is the other machine's).
# Taken now: a later include, as of the dependencies below, is the last word then,
# and a rule of this file would be the default goal.
offlink_goal    := $(.DEFAULT_GOAL)
offlink_hash    := \#
# make separates the names of its files with spaces. Where the last word is not a file,
# the name of this one has spaces itself.
offlink_folder  := $(if $(wildcard $(lastword $(MAKEFILE_LIST))),$(abspath $(dir $(lastword $(MAKEFILE_LIST)))),$(shell \
	f='$(subst ','\'',$(MAKEFILE_LIST))'; while [ ! -f "$$f" ] && [ "$$f" != "$${f$(offlink_hash)* }" ]; do f=$${f$(offlink_hash)* }; done; cd "$$(dirname "$$f")" && pwd))
OFFLINK_PREFIX  ?= $(patsubst %/share/offlink,%,$(offlink_folder))
OFFLINK_BIN     ?= $(OFFLINK_PREFIX)/bin
OFFLINK_INCLUDE ?= $(OFFLINK_PREFIX)/include
OFFLINK_CLANG   ?= $(or $(shell for c in clang-19 clang-18 clang-17 clang-16 clang-15 clang-14 clang; do \
	command -v $$c && break; done),clang)
OFFLINK_HOST    ?= $(shell $(CC) -dumpmachine 2>/dev/null)
OFFLINK_SPLIT   ?= source
OFFLINK_TARGETS ?= spir64
OFFLINK_CUDA_ARCH ?= sm_75

# The vectorisers of -O2 and the closed forms of loops make integers of odd
# widths and vectors of booleans, which SPIR-V lacks; devices vectorise by
# themselves.
offlink_clang_spir64  := --target=spir64-unknown-unknown -O2 -fno-slp-vectorize -fno-vectorize -mllvm -replexitval=never
offlink_clang_nvptx64 := --target=nvptx64-nvidia-cuda -march=$(OFFLINK_CUDA_ARCH) -nogpulib -O2 \
	$(if $(OFFLINK_LIBCLC),-Xclang -mlink-builtin-bitcode -Xclang '$(OFFLINK_LIBCLC)' -Wno-linker-warnings)
offlink_opencl_spir64  := CL3.0
offlink_opencl_nvptx64 := CL2.0
offlink_comma := ,
offlink_empty :=
offlink_space := $(offlink_empty) $(offlink_empty)
offlink_natives = $(patsubst spir64_%,$(offlink_comma)%,$(sort $(filter spir64_x86_64 spir64_aarch64,$(OFFLINK_TARGETS))))
offlink_devices = $(sort $(if $(offlink_natives),spir64) $(filter-out spir64_x86_64 spir64_aarch64,$(OFFLINK_TARGETS)))
offlink_images_spir64   = -spec-const=native -to=spirv$(subst $(offlink_space),,$(offlink_natives))
offlink_images_nvptx64 := -spec-const=emulation -emit-program-metadata -to=ptx
offlink_format_spir64  := spirv
offlink_format_nvptx64 := none

# $(call offlink_compile,DEVICE,LANGUAGE OPTIONS): $< to $*.DEVICE.device.bc
define offlink_compile
$(OFFLINK_CLANG) $(offlink_clang_$1) -I'$(OFFLINK_INCLUDE)' $2 $(OFFLINK_CLANG_OPTIONS) -MD -MP -MT $@ -MF $*.$1.device.d \
  -c -emit-llvm -o $*.$1.device.bc $<

endef

# $(call offlink_symbol,STEM): the name of the descriptor of an object for an archive.
offlink_symbol = $(OFFLINK_ARCHIVE)_$(subst .,_,$(subst -,_,$(subst /,_,$1)))
offlink_take = $(foreach o,$(patsubst %.device.o,%,$1),-Wl,-u,.sycl_offloading.$(call offlink_symbol,$o))

# $(call offlink_named,DEVICE): -desc-name for the first of the devices, whose objects become one.
offlink_named = $(if $(and $(OFFLINK_ARCHIVE),$(filter $1,$(firstword $(offlink_devices)))),-desc-name=$(call offlink_symbol,$*))

# $(call offlink_wrap,DEVICE): $*.DEVICE.device.bc to an object. Each source is a module of
# its own: -split=source would put the functions without OFFLINK_KERNEL and
# OFFLINK_EXTERNAL into a second image.
define offlink_wrap
'$(OFFLINK_BIN)/postlink' $(if $(filter-out none source,$(OFFLINK_SPLIT)),-split=$(OFFLINK_SPLIT)) -symbols -properties \
  -emit-exported-symbols -emit-imported-symbols -emit-param-info -device-globals -device-image-dependencies=externals \
  $(offlink_images_$1) $(OFFLINK_POSTLINK_OPTIONS) -o $*.$1.device.table $*.$1.device.bc
'$(OFFLINK_BIN)/offload-wrap' $(if $(OFFLINK_HOST),-host=$(OFFLINK_HOST)) $(offlink_named) -kind=sycl -target=$1 -format=$(offlink_format_$1) -o $*.$1.wrapped.o -batch $*.$1.device.table

endef

# The objects of all devices become one, by the compiler unless LD is given: make's
# own ld takes no objects of another machine.
offlink_link = $(if $(filter default undefined,$(origin LD)),$(CC) -nostdlib,$(LD))
define offlink_join
$(offlink_link) -r -o $@ $(foreach d,$(offlink_devices),$*.$d.wrapped.o)
@rm -f $(foreach d,$(offlink_devices),$*.$d.wrapped.o)
endef

# The variables that objects are made with, in a file that changes when they do,
# as when OFFLINK_TARGETS is given on the command line of a later run. As an
# included file it is made before any object, with the variables as they are
# after the whole makefile was read, and not with those of one target.
offlink_settings = $(strip $(OFFLINK_CLANG) $(OFFLINK_TARGETS) $(OFFLINK_SPLIT) $(OFFLINK_CUDA_ARCH) $(OFFLINK_LIBCLC) \
	$(OFFLINK_CLANG_OPTIONS) $(OFFLINK_POSTLINK_OPTIONS) $(OFFLINK_BIN) $(OFFLINK_INCLUDE) \
	$(OFFLINK_HOST) $(OFFLINK_ARCHIVE))
offlink_quoted = '\# $(subst ','\'',$(offlink_settings))'
offlink.device.settings: offlink_always
	@printf '%s\n' $(offlink_quoted) | cmp -s - $@ || printf '%s\n' $(offlink_quoted) >$@
.PHONY: offlink_always

# Each rule takes one step: make's own rules for objects of C and C++ would come
# before a chain.
%.device.o: %.cl offlink.device.settings
	$(foreach d,$(offlink_devices),$(call offlink_compile,$d,-x cl -cl-std=$(offlink_opencl_$d)))
	$(foreach d,$(offlink_devices),$(call offlink_wrap,$d))
	$(offlink_join)
%.device.o: %.clcpp offlink.device.settings
	$(foreach d,$(offlink_devices),$(call offlink_compile,$d,-x clcpp))
	$(foreach d,$(offlink_devices),$(call offlink_wrap,$d))
	$(offlink_join)
%.device.o: %.device.c offlink.device.settings
	$(foreach d,$(offlink_devices),$(call offlink_compile,$d,-x c))
	$(foreach d,$(offlink_devices),$(call offlink_wrap,$d))
	$(offlink_join)
%.device.o: %.device.cpp offlink.device.settings
	$(foreach d,$(offlink_devices),$(call offlink_compile,$d,-x c++))
	$(foreach d,$(offlink_devices),$(call offlink_wrap,$d))
	$(offlink_join)

.PRECIOUS: %.device.o

# The rules of this file and of the dependencies are not the includer's default goal.
-include offlink.device.settings $(wildcard *.device.d)
.DEFAULT_GOAL := $(offlink_goal)
