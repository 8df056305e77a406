# How every folder of Pleiad is built: one library, one test program, the same
# flags. Keep this file short; a folder's own CMakeLists.txt should be a list.
# Why it is as it is, with figures: docs/build.md.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

include(CompilerCache)
include(FastLinker)
include(CompileUnits)

# Kernels ask for -O3 themselves.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_CROSSCOMPILING)
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Werror=return-type)
# GCC 12 warns of overlapping copies inside its own std::string (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-restrict)
endif()
# Libraries and programs alike, so that they can share precompiled headers. On Windows all code is.
if(NOT WIN32)
  add_compile_options(-fPIC)
  add_link_options(-pie)
endif()
# The same source is the same object wherever it lies.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
# Results must not depend on whether the compiler happens to fuse a multiply
# and an add; kernels ask for FMA by name.
add_compile_options(-ffp-contract=off)

# A fault that is there all the same ends the program before it serves an attacker: canaries behind
# arrays, copies and containers that know their sizes, tables of addresses that nothing can write to
# once the program runs. Control-flow marks (-fcf-protection) count only where every object has
# them, and Debian's crtbeginS.o has none. Kernels index what their callers have checked.
if(NOT PLEIAD_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_options(-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS)
endif()
if(WIN32)
  # The canaries are in a library of the compiler's.
  add_link_options(-fstack-protector-strong -Wl,--dynamicbase,--high-entropy-va,--nxcompat)
else()
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()

if(PLEIAD_SANITIZE)
  add_compile_options(-fsanitize=${PLEIAD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PLEIAD_SANITIZE})
endif()
if(PLEIAD_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# What computes. Instrumented at -O3 it would take as long to build as all the rest; clang needs
# four times as long for -O1 with all checks of ASan inline and with the coverage that fuzzers
# are guided by, which read files and requests and compute nothing. Functions of up to so many
# accesses have their checks inline: the innermost loops, which compute with AVX2 ten times as fast
# as where each access of 32 bytes is a call.
set(PLEIAD_KERNEL_LEVEL "-O3" CACHE STRING "How kernels are optimized: less where an emulator runs them")
if(NOT PLEIAD_KERNEL_LEVEL)
  message(FATAL_ERROR "PLEIAD_KERNEL_LEVEL: expected -O1, -O2 or -O3, found nothing")
endif()
set(PLEIAD_KERNEL_FLAGS ${PLEIAD_KERNEL_LEVEL} -fno-stack-protector -U_FORTIFY_SOURCE -U_GLIBCXX_ASSERTIONS)
if(PLEIAD_SANITIZE)
  set(PLEIAD_KERNEL_FLAGS -O1)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    list(APPEND PLEIAD_KERNEL_FLAGS -fno-sanitize=fuzzer-no-link
         "SHELL:-mllvm -asan-instrumentation-with-call-threshold=300")
  endif()
endif()

# pleiad_library(NAME folder_name SOURCES a.cc b.cc DEPS other_folder ... [LIGHT|COMPUTES] [ALONE c.cc])
# makes the target pleiad_<folder_name>; DEPS name other folders or targets. LIGHT: it waits for
# people, disks and networks more than it computes. COMPUTES: its tests do, so that the sanitizers'
# build optimizes it too. ALONE: sources that share no unit with others.
function(pleiad_library)
  cmake_parse_arguments(ARG "LIGHT;COMPUTES" "NAME" "SOURCES;DEPS;ALONE" ${ARGN})
  pleiad_units(pleiad_${ARG_NAME} units ${ARG_SOURCES})
  add_library(pleiad_${ARG_NAME} STATIC ${units} ${ARG_ALONE})
  target_include_directories(pleiad_${ARG_NAME} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(pleiad_${ARG_NAME} PUBLIC ${ARG_DEPS})
  if(ARG_LIGHT OR PLEIAD_PLAIN OR (PLEIAD_SANITIZE AND NOT PLEIAD_SANITIZE_OPTIMIZED AND NOT ARG_COMPUTES))
    pleiad_precompiled(pleiad_${ARG_NAME} light)
  else()
    pleiad_precompiled(pleiad_${ARG_NAME} library)
  endif()
endfunction()

# pleiad_kernel_sets(ROOM ISA ...) compiles kernels/ISA.cc of a room's library for each instruction set: baseline
# everywhere, and on x86, where PLEIAD_X86 is defined for the library, those that are named (avx2, avx512,
# avx512vnni). All are to give the same bits. A source brings its table and nothing else: the test ROOM_symbols.
function(pleiad_kernel_sets room)
  set(avx2_flags -mavx2)
  set(avx512_flags -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
  # GCC 12's own intrinsics begin with what is undefined on purpose.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND avx512_flags -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  set(avx512vnni_flags ${avx512_flags} -mavx512vnni)

  set(isas baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT PLEIAD_PLAIN)
    target_compile_definitions(pleiad_${room} PRIVATE PLEIAD_X86=1)
    list(APPEND isas ${ARGN})
  endif()
  set(objects "")
  foreach(isa ${isas})
    set(target pleiad_${room}_${isa})
    add_library(${target} OBJECT kernels/${isa}.cc)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_options(${target} PRIVATE ${PLEIAD_KERNEL_FLAGS} -Wno-psabi ${${isa}_flags})
    target_sources(pleiad_${room} PRIVATE $<TARGET_OBJECTS:${target}>)
    list(APPEND objects ${isa} $<TARGET_OBJECTS:${target}>)
  endforeach()
  # The sanitizers add symbols of their own.
  if(PLEIAD_BUILD_TESTS AND NOT PLEIAD_SANITIZE)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    add_test(NAME ${room}_symbols
      COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/kernel_symbols_test.py ${objects})
  endif()
endfunction()

# How many processes run the tests of one program, each its share of them: a process for each test
# would cost more than most tests do. What `ctest` calls http.0 to http.3 are the tests of http_test;
# `build/src/http/http_test --gtest_filter=NAME` runs one alone.
set(PLEIAD_TEST_SHARDS 4)

# pleiad_test(NAME folder_name SOURCES a_test.cc ... DEPS targets)
# makes one GoogleTest program per folder. UNSANITIZED, UNEMULATED: tests that run long and touch
# nothing that others do not, by patterns of GoogleTest; the sanitizers' build, or that for an emulated
# processor, leaves them out (PLEIAD_ALL_TESTS: it does not). COMPUTES: its results could depend on the
# processor, so that it runs on other ones too (under qemu). LONG: it runs longest, so it begins first.
# What ends with _linux_test.cc needs what Windows has not (pipes with names, control groups, limits).
# CHECKS: other folders whose changes it can see; QUICKLY: what of it `make check` runs.
function(pleiad_test)
  cmake_parse_arguments(ARG "COMPUTES;LONG" "NAME;QUICKLY" "SOURCES;DEPS;UNSANITIZED;UNEMULATED;CHECKS" ${ARGN})
  if(NOT PLEIAD_BUILD_TESTS OR (PLEIAD_PARTS STREQUAL "model" AND NOT ARG_COMPUTES))
    return()
  endif()
  if(WIN32)
    list(FILTER ARG_SOURCES EXCLUDE REGEX "_linux_test\\.cc$")
  endif()
  set(test ${ARG_NAME}_test)
  pleiad_units(${test} units ${ARG_SOURCES})
  add_executable(${test} ${units})
  target_link_libraries(${test} PRIVATE ${ARG_DEPS} pleiad_test_paths
                        GTest::gtest GTest::gmock GTest::gtest_main)
  pleiad_precompiled(${test} test)
  # A template that both use is the linker's first one: the room's, which is optimized, where its
  # tests are not.
  if(PLEIAD_SANITIZE AND TARGET pleiad_${ARG_NAME})
    target_link_options(${test} PRIVATE "LINKER:--whole-archive" $<TARGET_FILE:pleiad_${ARG_NAME}>
                                        "LINKER:--no-whole-archive")
  endif()
  if(NOT ARG_QUICKLY)
    set(ARG_QUICKLY "*")
  endif()
  list(JOIN ARG_CHECKS " " checks)
  set_property(GLOBAL APPEND_STRING PROPERTY PLEIAD_CHECKS
    "$<TARGET_FILE:${test}> ${ARG_QUICKLY} ${ARG_NAME} ${checks}\n")
  set(left_out "")
  if(PLEIAD_SANITIZE AND NOT PLEIAD_ALL_TESTS)
    list(APPEND left_out ${ARG_UNSANITIZED})
  endif()
  if(CMAKE_CROSSCOMPILING AND NOT PLEIAD_ALL_TESTS)
    list(APPEND left_out ${ARG_UNEMULATED})
  endif()
  list(JOIN left_out ":" left_out)
  math(EXPR last "${PLEIAD_TEST_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(name ${ARG_NAME}.${shard})
    add_test(NAME ${name} COMMAND ${test})
    # scripts/test_results.py reads the reports.
    set(environment GTEST_TOTAL_SHARDS=${PLEIAD_TEST_SHARDS} GTEST_SHARD_INDEX=${shard} "GTEST_FILTER=-${left_out}"
        GTEST_OUTPUT=xml:${CMAKE_BINARY_DIR}/results/${name}.xml)
    set_tests_properties(${name} PROPERTIES LABELS ${test} ENVIRONMENT "${environment}")
    if(PLEIAD_ALL_TESTS)
      set_tests_properties(${name} PROPERTIES TIMEOUT 10800)
    endif()
    if(ARG_LONG)
      set_tests_properties(${name} PROPERTIES COST 200)
    endif()
  endforeach()
endfunction()

# pleiad_benchmark(NAME name SOURCES ... DEPS ...): a Google Benchmark program.
function(pleiad_benchmark)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPS" ${ARGN})
  if(NOT PLEIAD_BUILD_BENCHMARKS)
    return()
  endif()
  add_executable(${ARG_NAME}_benchmark ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME}_benchmark PRIVATE ${ARG_DEPS} benchmark::benchmark_main)
endfunction()
