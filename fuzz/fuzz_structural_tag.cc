// A structural tag is read or refused with its place, compiled or refused for its cost, and a reply
// of allowed tokens goes on or ends. See grammar_replies.h.
#include <cstddef>
#include <cstdint>

#include "grammar_replies.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pleiad::fuzz::write_grammar_reply("structural_tag", data, size);
  return 0;
}
