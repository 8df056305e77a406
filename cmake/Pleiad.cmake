# How every folder of Pleiad is built: one library, one test program, the same
# flags. Keep this file short; a folder's own CMakeLists.txt should be a list.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Werror=return-type)
# GCC 12 warns of overlapping copies inside its own std::string (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-restrict)
endif()
# Results must not depend on whether the compiler happens to fuse a multiply
# and an add; kernels ask for FMA by name.
add_compile_options(-ffp-contract=off)

if(PLEIAD_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(PLEIAD_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# What computes. Instrumented at -O3 it would take as long to build as all the rest; clang needs
# four times as long for -O1 with all checks of ASan inline and with the coverage that fuzzers
# are guided by, which read files and requests and compute nothing. Functions of up to so many
# accesses have their checks inline: the innermost loops, which compute with AVX2 ten times as fast
# as where each access of 32 bytes is a call.
set(PLEIAD_KERNEL_FLAGS -O3)
if(PLEIAD_SANITIZE)
  set(PLEIAD_KERNEL_FLAGS -O1)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    list(APPEND PLEIAD_KERNEL_FLAGS -fno-sanitize=fuzzer-no-link
         "SHELL:-mllvm -asan-instrumentation-with-call-threshold=300")
  endif()
endif()

# pleiad_library(NAME folder_name SOURCES a.cc b.cc DEPS other_folder ...)
# makes the target pleiad_<folder_name>; DEPS name other folders or targets.
function(pleiad_library)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPS" ${ARGN})
  add_library(pleiad_${ARG_NAME} STATIC ${ARG_SOURCES})
  target_include_directories(pleiad_${ARG_NAME} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(pleiad_${ARG_NAME} PUBLIC ${ARG_DEPS})
endfunction()

# pleiad_test(NAME folder_name SOURCES a_test.cc ... DEPS targets)
# makes one GoogleTest program per folder; the tests see the committed golden
# data through PLEIAD_GOLDEN_DIR. UNSANITIZED: tests that run long and touch nothing
# that others do not, by patterns of GoogleTest; the sanitizers' build leaves them out.
function(pleiad_test)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPS;UNSANITIZED" ${ARGN})
  if(NOT PLEIAD_BUILD_TESTS)
    return()
  endif()
  add_executable(${ARG_NAME}_test ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME}_test PRIVATE ${ARG_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${ARG_NAME}_test PRIVATE
    PLEIAD_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    PLEIAD_GOLDEN_DIR="${PROJECT_SOURCE_DIR}/tests/golden")
  # What is tested is optimized (but what headers define, where a test is the first to use it);
  # tests themselves compute little, and take a third less time to build this way.
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${ARG_NAME}_test PRIVATE -O1)
  endif()
  if(PLEIAD_SANITIZE)
    target_compile_options(${ARG_NAME}_test PRIVATE -O0)
    if(PLEIAD_BUILD_FUZZERS)
      target_compile_options(${ARG_NAME}_test PRIVATE -fno-sanitize=fuzzer-no-link)
    endif()
    # A process for each test costs more than the test under sanitizers: a few for each program.
    list(JOIN ARG_UNSANITIZED ":" left_out)
    foreach(shard RANGE 3)
      add_test(NAME ${ARG_NAME}.${shard} COMMAND ${ARG_NAME}_test)
      set_tests_properties(${ARG_NAME}.${shard} PROPERTIES
        ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${shard};GTEST_FILTER=-${left_out}")
    endforeach()
  else()
    gtest_discover_tests(${ARG_NAME}_test DISCOVERY_MODE PRE_TEST)
  endif()
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
