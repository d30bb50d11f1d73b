# The common part of the Makefiles of the examples. In the source tree the rules for
# device code are in cmake/, installed two folders up. Products lie in build/,
# where make runs again with the example's own rules: those after "ifdef IN_BUILD".
# A folder whose name has a space is several words.
ifneq ($(lastword $(notdir $(CURDIR))),build)
all check:
	mkdir -p build
	$(MAKE) -C build -f ../Makefile $@
clean:
	rm -rf build
else
IN_BUILD := yes
VPATH := ..
ifneq ($(wildcard ../../../cmake/offlink.mk),)
OFFLINK_BIN     := ../../../bin
OFFLINK_INCLUDE := ../../../include
LIBDIR          := $(abspath ../../../bin)
include ../../../cmake/offlink.mk
else
include ../../../offlink.mk
LIBDIR := $(shell cd '$(OFFLINK_PREFIX)/lib' && pwd)
endif
CFLAGS   ?= -O2 -Wall
CXXFLAGS ?= -O2 -Wall
LINK     := -L'$(LIBDIR)' -lofflink -Wl,-rpath,'$$ORIGIN' -Wl,-rpath,'$(LIBDIR)'

%.o: %.c
	$(CC) $(CFLAGS) -fPIC -I'$(OFFLINK_INCLUDE)' -c -o $@ $<
%.o: %.cpp
	$(CXX) $(CXXFLAGS) -std=c++17 -I'$(OFFLINK_INCLUDE)' -c -o $@ $<
endif
.PHONY: all check clean
