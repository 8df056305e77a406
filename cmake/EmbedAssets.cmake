# Writes files into a C++ source, as one table: run as a script with
#   FOLDER   where the files lie
#   FILES    their names, a list
#   OUTPUT   the source to write
# Contents become raw string literals.
set(delimiter "embedded")
set(entries "")
foreach(name IN LISTS FILES)
  file(READ "${FOLDER}/${name}" content)
  file(SIZE "${FOLDER}/${name}" size)
  string(LENGTH "${content}" length)
  string(FIND "${content}" ")${delimiter}\"" clash)
  if(NOT length EQUAL size)
    message(FATAL_ERROR "${name}: only ASCII and UTF-8 text without NUL can be embedded")
  endif()
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${name}: holds )${delimiter}\", which ends a literal")
  endif()
  file(SHA256 "${FOLDER}/${name}" digest)
  string(SUBSTRING "${digest}" 0 16 digest)
  string(APPEND entries "    {\"${name}\", \"${digest}\",\n     std::string_view(R\"${delimiter}(${content})${delimiter}\", ${size})},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by EmbedAssets.cmake.
#include \"web/asset.h\"

namespace pleiad::web {
namespace {

constexpr Asset kAssets[] = {
${entries}};

}  // namespace

std::span<const Asset> assets() { return kAssets; }

}  // namespace pleiad::web
")
