# Everything a newcomer needs: `make run` and `make test`.

JOBS ?= $(shell nproc)
PROMPT ?=
MEDIA ?= no

.PHONY: all setup setup-build build run package package-portable image check test test-portable test-long test-sanitize test-avx512 fuzz format format-check bench clean

all: build

# Installs what is missing (Debian packages); says so, and does nothing otherwise.
setup:
	@scripts/setup test

setup-build:
	@scripts/setup build

# The program: build/pleiad
build: setup-build
	@cmake --preset program > build.log 2>&1 || { cat build.log; rm -f build.log; exit 1; }; rm -f build.log
	@cmake --build --preset program --parallel $(JOBS)

# A chat with the demo model, or one answer: make run PROMPT="Count from 1 to 10"
run: build
ifeq ($(strip $(PROMPT)),)
	@build/pleiad run demo --interactive
else
	@build/pleiad run demo -- $(call quote,$(PROMPT)) </dev/null
endif

# build/pleiad_<version>_<arch>.deb, for the Debian of this machine.
package: build
	@scripts/setup package
	@scripts/package

# build-portable/pleiad-<version>-linux-x86_64.tar.xz, for every Linux with glibc 2.31 or newer.
package-portable:
	@scripts/setup portable
	@scripts/package-portable

# The container image pleiad:<version>, with docker or podman; MEDIA=yes: with what reads documents, sounds and videos.
image:
	@MEDIA=$(call quote,$(MEDIA)) scripts/image

# That archive, in clean roots of Debian 11, 12 and 13.
test-portable:
	@scripts/setup portable
	@scripts/test-portable

# What the changed files can break: a verdict within a minute. FILES="a.cc b.h" names others.
check:
	@scripts/check $(FILES)

# Every test: optimized, under the sanitizers, the fuzzers for a moment each,
# the format. The summary of ctest comes last.
test: setup
	@scripts/test

# What takes hours: threads, each source on its own, fuzzing, the server for long, emulators.
test-long: setup
	@scripts/test-long

test-sanitize: setup
	@cmake --preset sanitize && cmake --build --preset sanitize --parallel $(JOBS)
	@ctest --preset sanitize --parallel $(JOBS)

# The kernels of AVX-512 and AMX where the machine has neither: an hour or two in an emulator.
test-avx512:
	@scripts/test-avx512

# Each fuzz target for FUZZ_SECONDS (default 600).
fuzz: setup
	@scripts/fuzz

format: setup
	@scripts/format

format-check: setup
	@scripts/format --check

bench: setup
	@cmake --preset release && cmake --build --preset release --parallel $(JOBS)
	@for program in build/src/*/*_benchmark; do $$program; done

clean:
	rm -rf build build-*

# A shell word, whatever it holds.
quote = '$(subst ','\'',$(1))'
