# What the compiler reads at a time: several sources of a room as one unit, with headers of other
# projects compiled before. CMake has both, but its units name their sources by absolute paths,
# which no cache finds again in another clone.
option(PLEIAD_UNITS "Compile several sources of a folder at a time, with precompiled headers" ON)
set(PLEIAD_UNIT_SIZE 24 CACHE STRING "Sources that are compiled together")
mark_as_advanced(PLEIAD_UNIT_SIZE)

# pleiad_units(target result sources...): result becomes the sources to compile.
function(pleiad_units target result)
  list(LENGTH ARGN n)
  if(NOT PLEIAD_UNITS OR n EQUAL 1)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  # Units of equal size: the longest one is what everybody waits for.
  math(EXPR n_units "(${n} + ${PLEIAD_UNIT_SIZE} - 1) / ${PLEIAD_UNIT_SIZE}")
  set(units "")
  foreach(i RANGE 1 ${n_units})
    math(EXPR first "(${i} - 1) * ${n} / ${n_units}")
    math(EXPR size "${i} * ${n} / ${n_units} - ${first}")
    list(SUBLIST ARGN ${first} ${size} sources)
    set(text "")
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      string(APPEND text "#include \"${source}\"\n")
    endforeach()
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${target}_${i}.cc)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
    set_source_files_properties(${unit} PROPERTIES INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR})
    list(APPEND units ${unit})
  endforeach()
  set(${result} ${units} PARENT_SCOPE)
endfunction()

# One set for each kind of target, since a precompiled header serves one set of flags:
# libraries; light ones, which compute little; tests.
set(PLEIAD_HEADERS_library
  <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <condition_variable> <cstdint>
  <cstring> <filesystem> <fstream> <functional> <map> <memory> <mutex> <numeric> <optional> <random>
  <set> <span> <sstream> <stdexcept> <string> <string_view> <thread> <tuple> <unordered_map>
  <unordered_set> <utility> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp>)
set(PLEIAD_HEADERS_light ${PLEIAD_HEADERS_library})
set(PLEIAD_HEADERS_test ${PLEIAD_HEADERS_library} <gmock/gmock.h> <gtest/gtest.h>)
set(PLEIAD_LIBRARIES_library fmt::fmt nlohmann_json::nlohmann_json)
set(PLEIAD_LIBRARIES_light ${PLEIAD_LIBRARIES_library})
set(PLEIAD_LIBRARIES_test ${PLEIAD_LIBRARIES_library} GTest::gtest GTest::gmock)
# What is tested is optimized (but what headers define, where a test is the first to use it); tests
# themselves compute little.
set(PLEIAD_FLAGS_library "")
set(PLEIAD_FLAGS_light "")
set(PLEIAD_FLAGS_test "")
if(PLEIAD_SANITIZE)
  if(NOT PLEIAD_SANITIZE_OPTIMIZED)
    set(PLEIAD_FLAGS_light -O0)
  endif()
  set(PLEIAD_FLAGS_test -O0)
  if(PLEIAD_BUILD_FUZZERS)
    set(PLEIAD_FLAGS_test -O0 -fno-sanitize=fuzzer-no-link)
  endif()
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(PLEIAD_FLAGS_light -O1)
  set(PLEIAD_FLAGS_test -O1)
endif()

function(pleiad_precompiled target kind)
  target_compile_options(${target} PRIVATE ${PLEIAD_FLAGS_${kind}})
  if(NOT PLEIAD_UNITS)
    return()
  endif()
  if(NOT TARGET pleiad_headers_${kind})
    set(source ${CMAKE_BINARY_DIR}/units/headers_${kind}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Nothing but its precompiled headers.\n")
    add_library(pleiad_headers_${kind} OBJECT ${source})
    target_link_libraries(pleiad_headers_${kind} PRIVATE ${PLEIAD_LIBRARIES_${kind}})
    target_compile_options(pleiad_headers_${kind} PRIVATE ${PLEIAD_FLAGS_${kind}})
    target_precompile_headers(pleiad_headers_${kind} PRIVATE ${PLEIAD_HEADERS_${kind}})
  endif()
  target_precompile_headers(${target} REUSE_FROM pleiad_headers_${kind})
endfunction()
