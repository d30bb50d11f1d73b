# Rules that make host objects of device code. Include this file and name
# X.device.o among a program's objects for a source X.cl, X.clcpp, X.device.c
# or X.device.cpp:
#
#   include $(shell pkg-config --variable=makefile offlink)
#   program: main.o kernels.device.o
#   	$(CC) -o $@ $^ $(shell pkg-config --libs offlink)
#
# Variables: OFFLINK_CLANG (default clang-19), OFFLINK_SPLIT (none, source,
# kernel, auto; default source), OFFLINK_CLANG_OPTIONS, OFFLINK_POSTLINK_OPTIONS,
# OFFLINK_BIN and OFFLINK_INCLUDE (default: next to this file's prefix).
OFFLINK_PREFIX  ?= $(patsubst %/share/offlink/,%,$(dir $(lastword $(MAKEFILE_LIST))))
OFFLINK_BIN     ?= $(OFFLINK_PREFIX)/bin
OFFLINK_INCLUDE ?= $(OFFLINK_PREFIX)/include
OFFLINK_CLANG   ?= clang-19
OFFLINK_SPLIT   ?= source

# The vectorisers of -O2 and the closed forms of loops make integers of odd
# widths and vectors of booleans, which SPIR-V lacks; devices vectorise by
# themselves.
OFFLINK_COMPILE = $(OFFLINK_CLANG) --target=spir64-unknown-unknown -O2 -fno-slp-vectorize -fno-vectorize \
	-mllvm -replexitval=never -I'$(OFFLINK_INCLUDE)' $(OFFLINK_CLANG_OPTIONS) -MD -MP -MT $@ -MF $*.device.d -c -emit-llvm -o $@

%.device.bc: %.cl
	$(OFFLINK_COMPILE) -x cl -cl-std=CL3.0 $<
%.device.bc: %.clcpp
	$(OFFLINK_COMPILE) -x clcpp $<
%.device.bc: %.device.c
	$(OFFLINK_COMPILE) -x c $<
%.device.bc: %.device.cpp
	$(OFFLINK_COMPILE) -x c++ $<

%.device.o: %.device.bc
	'$(OFFLINK_BIN)/postlink' $(if $(filter-out none,$(OFFLINK_SPLIT)),-split=$(OFFLINK_SPLIT)) -symbols -properties \
	  -emit-exported-symbols -emit-imported-symbols -emit-param-info -device-globals \
	  -device-image-dependencies=externals $(OFFLINK_POSTLINK_OPTIONS) -to=spirv -o $*.device.table $<
	'$(OFFLINK_BIN)/offload-wrap' -kind=sycl -target=spir64 -format=spirv -o $@ -batch $*.device.table

-include $(wildcard *.device.d)
