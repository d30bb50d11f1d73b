# offlink: programs, runtime library, tests. Everything that is made lies in
# bin/ and build/.
GO      ?= go
CC      ?= gcc
PREFIX  ?= /usr/local
DESTDIR ?=
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
GO_LDFLAGS := -s -w -X offlink/cmd/internal/cli.version=$(VERSION)
SOURCES := go.mod go.sum $(shell find cmd filetable ir props runtime spirv split toolchain wrapper -type f -not -path '*/testdata/*' -not -name '*_test.go')
FUZZTIME ?= 20s

PROGRAMS := bin/postlink bin/offload-wrap bin/devrun
LIBRARIES := bin/libofflink.so bin/libofflink-core.so

# A failed recipe leaves no half-made file behind.
.DELETE_ON_ERROR:

.PHONY: all build demo test test-dpcpp bench fuzz lint install clean setup-demo setup-test

all: build

build: $(PROGRAMS) $(LIBRARIES)

# The tools are static; the commands need no C compiler.
bin/%: $(SOURCES)
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(GO_LDFLAGS)' -o $@ ./cmd/$*

bin/libofflink.so: $(wildcard runtime/cshim/*.c runtime/cshim/*.h include/offlink/*.h) | bin
	$(MAKE) -C runtime/cshim OUT=$(CURDIR)/bin CC='$(CC)' VERSION='$(VERSION)'

bin/libofflink-core.so: $(SOURCES) | bin
	CGO_ENABLED=1 $(GO) build -trimpath -ldflags '$(GO_LDFLAGS)' -buildmode=c-shared -o $@ ./runtime/cshared
	rm -f bin/libofflink-core.h

bin:
	mkdir -p bin

setup-demo setup-test: setup-%:
	scripts/setup $*

# From device source to the printed line, on a machine with Go and make.
demo: setup-demo build
	$(MAKE) -C examples/dynlink demo

# -count=1: the tests run compilers, and what those read the test cache does
# not know.
test: setup-test build
	$(GO) vet ./...
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'gofmt would change these files'; exit 1; }
	$(MAKE) -C examples/dynlink check
	scripts/install "$(CURDIR)/build/installed" /usr
	$(MAKE) -C build/installed/usr/share/offlink/examples/dynlink check
	OFFLINK_REQUIRE_TOOLS=1 $(GO) test -count=1 -timeout 25m ./...
	OFFLINK_REQUIRE_TOOLS=1 $(GO) test -count=1 -timeout 25m -race ./runtime/... ./cmd/internal/... ./toolchain/...
	OFFLINK_REQUIRE_TOOLS=1 $(GO) test -count=1 -timeout 25m -race -run 'Concurrent|Jobs' ./ir/irtext ./cmd/postlink
	$(MAKE) test-dpcpp

# Our objects under the real DPC++ runtimes, on Intel's CPU device.
test-dpcpp: build
	scripts/test-dpcpp

# TABLES=postlink prints some of the tables.
bench: build
	$(GO) run ./internal/bench $(TABLES)

fuzz:
	scripts/fuzz $(FUZZTIME)

lint:
	scripts/lint

install: build
	scripts/install '$(DESTDIR)' '$(PREFIX)'

clean:
	rm -rf bin build examples/*/build
