# What the engine needs of other projects, for a processor or system that this machine has no
# libraries of: headers, which serve all of them, GoogleTest's source, and what
# scripts/arm64-libraries or scripts/windows-libraries has fetched.

# pleiad_borrow(target header): a target that sees the header's folder and nothing
# else of what stands beside it.
function(pleiad_borrow target header)
  cmake_path(GET header PARENT_PATH folder)
  find_path(PLEIAD_${folder}_HEADERS ${header} REQUIRED NO_CMAKE_FIND_ROOT_PATH)
  set(root ${CMAKE_BINARY_DIR}/borrowed/${folder})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${PLEIAD_${folder}_HEADERS}/${folder} ${root}/${folder} SYMBOLIC)
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} INTERFACE ${root})
endfunction()

pleiad_borrow(fmt::fmt fmt/format.h)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
pleiad_borrow(nlohmann_json::nlohmann_json nlohmann/json.hpp)
if(PLEIAD_PARTS STREQUAL "windows")
  pleiad_borrow(CLI11::CLI11 CLI/CLI.hpp)
endif()

set(fetched ${CMAKE_BINARY_DIR}/libraries)
if(EXISTS ${fetched}/simdjson.cpp)
  add_library(simdjson STATIC ${fetched}/simdjson.cpp)
  target_include_directories(simdjson SYSTEM PUBLIC ${fetched})
  add_library(simdjson::simdjson ALIAS simdjson)
else()
  find_library(PLEIAD_simdjson_LIBRARY simdjson
    PATHS ${fetched}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  if(PLEIAD_simdjson_LIBRARY)
    add_library(simdjson::simdjson INTERFACE IMPORTED)
    target_include_directories(simdjson::simdjson INTERFACE ${fetched}/usr/include)
    target_link_libraries(simdjson::simdjson INTERFACE ${PLEIAD_simdjson_LIBRARY})
  endif()
endif()

if(PLEIAD_BUILD_TESTS)
  set(INSTALL_GTEST OFF)
  add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
endif()
