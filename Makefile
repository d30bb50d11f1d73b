# offlink: programs, runtime library, tests. Everything that is made lies in
# bin/ and build/.
GO      ?= go
CC      ?= gcc
PREFIX  ?= /usr/local
DESTDIR ?=
VERSION := $(shell cat VERSION)
GO_LDFLAGS := -s -w -X offlink/cmd/internal/cli.version=$(VERSION) -X offlink/runtime.version=$(VERSION)
# The commands begin before the Go runtime, to see which standard streams are
# closed (cmd/internal/cli/startup.go).
ENTRY_LDFLAGS := $(if $(filter linux/amd64 linux/arm64,$(or $(GOOS),$(shell $(GO) env GOOS))/$(or $(GOARCH),$(shell $(GO) env GOARCH))),-E offlink_entry)
# The core's goroutines are not interrupted with signals, which are the host
# program's (runtime/libofflink/signals.c).
CORE_LDFLAGS := -X runtime.godebugDefault=asyncpreemptoff=1
SOURCES := go.mod go.sum $(shell find abort cmd filemap filetable ir lazy lazyregexp parallel props runtime spirv split toolchain wrapper -type f -not -path '*/testdata/*' -not -name '*_test.go')
FUZZTIME ?= 20s
# Built and run in the tree, installed, and by CMake (scripts/test-cmake).
EXAMPLES := dynlink device-global plugin-lib spec-constants heat
# How often make test runs each program of the torture suite.
TORTURE_RUNS ?= 20

PROGRAMS := bin/postlink bin/offload-wrap bin/devrun
LIBRARIES := bin/libofflink.so bin/libofflink-core.so bin/libpi_offlink.so

# A failed recipe leaves no partial file.
.DELETE_ON_ERROR:

.PHONY: all build help demo test torture torture-cache test-short test-dpcpp bench fuzz fuzz-minute lint generate cross archive install uninstall clean setup-demo setup-test setup-bench

all: build

build: $(PROGRAMS) $(LIBRARIES) ## build the programs and the libraries into bin/

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | awk -F'\t' '{ printf "  %-14s %s\n", $$1, $$2 }'
	@echo '  bench TABLES=postlink, fuzz FUZZTIME=20s, install DESTDIR= PREFIX=$(PREFIX) take variables'

# The tools are static; the commands need no C compiler.
bin/%: $(SOURCES)
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(GO_LDFLAGS) $(ENTRY_LDFLAGS)' -o $@ ./cmd/$*

bin/libofflink.so: $(wildcard runtime/libofflink/*.c runtime/libofflink/*.h include/offlink/*.h) | bin
	$(MAKE) -C runtime/libofflink OUT=../../bin CC='$(CC)' VERSION='$(VERSION)'

bin/libofflink-core.so: $(SOURCES) | bin
	CGO_ENABLED=1 $(GO) build -trimpath -ldflags '$(GO_LDFLAGS) $(CORE_LDFLAGS)' -buildmode=c-shared -o $@ ./runtime/libofflink-core
	rm -f bin/libofflink-core.h

# The embedded device as a plugin of DPC++'s interface.
bin/libpi_offlink.so: $(SOURCES) | bin
	CGO_ENABLED=1 $(GO) build -trimpath -ldflags '$(GO_LDFLAGS) $(CORE_LDFLAGS)' -buildmode=c-shared -o $@ ./runtime/libpi_offlink
	rm -f bin/libpi_offlink.h

bin:
	mkdir -p bin

setup-demo setup-test setup-bench: setup-%:
	scripts/setup $*

# From device source to the printed line, on a machine with Go and make.
demo: setup-demo build ## install what is missing, then run examples/dynlink
	$(MAKE) -C examples/dynlink demo

# -count=1: the tests run compilers, and the test cache does not know the
# files that those read.
test: setup-test build ## install what is missing, then run every test
	$(GO) vet ./...
	$(MAKE) -C examples/dynlink check
	scripts/test-cuda
	scripts/test-plugins
	scripts/test-pi-offlink
	scripts/install "$(CURDIR)/build/installed" /usr
	$(MAKE) -C build/installed/usr/share/offlink/examples/dynlink check
	scripts/test-cmake build/installed/usr
	scripts/test-cmake-package build/installed/usr
	OFFLINK_REQUIRE_TOOLS=1 OFFLINK_TORTURE_RUNS=$(TORTURE_RUNS) $(GO) test -count=1 -timeout 25m ./...
	OFFLINK_REQUIRE_TOOLS=1 $(GO) test -count=1 -timeout 25m -race $$($(GO) list ./runtime/... ./cmd/internal/... ./toolchain/... | grep -v -e '/hostdev$$' -e '/devicelib$$')
	OFFLINK_REQUIRE_TOOLS=1 $(GO) test -count=1 -timeout 25m -race -run 'Abort|Budget|CloseStops|Driver|EachCall|Transfers|Throughput' ./runtime/hostdev
	OFFLINK_REQUIRE_TOOLS=1 $(GO) test -count=1 -timeout 25m -race -run 'Concurrent|Jobs' ./ir/irtext ./cmd/postlink
	$(MAKE) test-dpcpp

# Each case of docs/lifetime.md two hundred times.
torture: ## run each program of the torture suite 200 times
	OFFLINK_REQUIRE_TOOLS=1 OFFLINK_TORTURE_RUNS=200 $(GO) test -count=1 -timeout 60m -v -run 'Torture|Host' ./runtime/libofflink-core

# The persistent cache: a thousand writers killed, ten thousand bits flipped, in its
# own tests and by launches on an OpenCL device.
torture-cache: build ## kill writers of the persistent cache, damage its entries
	OFFLINK_TORTURE_RUNS=1000 $(GO) test -count=1 -v -run 'Killed|EveryByte|Full|ReadOnly|Foreign|Changed|Links|Folders' ./runtime/cache
	scripts/torture-cache

# The fast lane: no compilers, no devices, no network.
test-short: ## run the tests that need nothing but Go
	$(GO) test -short ./...

# Our objects under the real DPC++ runtimes, on Intel's CPU device.
test-dpcpp: build ## run our objects under the real DPC++ runtimes
	scripts/test-dpcpp
	for version in 2025.3.3 2026.2.0; do \
	  VIRTUAL_ENV='$(CURDIR)/build/python' $(MAKE) -C examples/sycl check DPCPP="$$(scripts/dpcpp-env $$version)" || exit 1; \
	done

# TABLES=postlink prints some of the tables; scripts/setup bench installs their needs.
bench: build ## print the cost tables
	$(GO) run ./internal/bench $(or $(TABLES),all)

fuzz: ## run every fuzz target for FUZZTIME
	scripts/fuzz $(FUZZTIME)

fuzz-minute: ## share a minute of fuzzing among all targets
	scripts/fuzz -total 60

lint: ## formatting, vet, staticcheck, shellcheck, prose
	scripts/lint

generate: ## run every generator; the results are part of the repository
	scripts/generate

cross: ## build the commands for every supported system
	scripts/cross

# The files that git tracks, as a release has them; make test passes there without git.
archive: ## write the sources to build/offlink-VERSION.tar.gz
	mkdir -p build
	git archive --format=tar.gz --prefix='offlink-$(VERSION)/' -o 'build/offlink-$(VERSION).tar.gz' HEAD

install: build ## copy everything below DESTDIR/PREFIX
	scripts/install '$(DESTDIR)' '$(PREFIX)'

uninstall: ## remove what install copied
	scripts/uninstall '$(DESTDIR)' '$(PREFIX)'

clean: ## remove bin/ and build/
	rm -rf bin build examples/*/build
