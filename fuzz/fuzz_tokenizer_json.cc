// A tokenizer.json is loaded, or refused with a LoadError; what was loaded works.
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "text/tokenizer_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  try {
    const auto tokenizer = pleiad::text::parse_tokenizer_json(json, "fuzz");
    const auto ids = tokenizer.encode_with_control(json.substr(0, 200));
    (void)tokenizer.decode_with_control(ids);
    (void)tokenizer.encode_text(json.substr(size / 2).substr(0, 200));
  } catch (const pleiad::LoadError&) {
    // refused
  }
  return 0;
}
