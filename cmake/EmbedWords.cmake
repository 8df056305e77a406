# Writes recorded words into a C++ source, as one table: run as a script with
#   FOLDER   where the files WORD.ul lie
#   WORDS    a list
#   OUTPUT   the source to write
set(arrays "")
set(entries "")
foreach(word IN LISTS WORDS)
  file(READ "${FOLDER}/${word}.ul" content HEX)
  if(content STREQUAL "")
    message(FATAL_ERROR "${FOLDER}/${word}.ul: is empty")
  endif()
  string(REGEX REPLACE "(..)" "0x\\1," content "${content}")
  string(APPEND arrays "constexpr unsigned char k_${word}[] = {${content}};\n")
  string(APPEND entries "    {\"${word}\", k_${word}},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by EmbedWords.cmake.
#include \"eval/sounds/spoken_words.h\"

namespace pleiad::eval {
namespace {

${arrays}
constexpr RecordedWord kRecordedWords[] = {
${entries}};

}  // namespace

std::span<const RecordedWord> recorded_words() { return kRecordedWords; }

}  // namespace pleiad::eval
")
