// Any bytes, encoded and decoded again, are the same bytes; no control token comes
// of text. The tokenizer is the golden one; PLEIAD_FUZZ_TOKENIZER names another.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/testing/paths.h"
#include "text/stream_decoder.h"
#include "text/tokenizer.h"
#include "text/tokenizer_json.h"

namespace {

using namespace pleiad::text;

const Tokenizer& tokenizer() {
  static const Tokenizer loaded = [] {
    const char* path = std::getenv("PLEIAD_FUZZ_TOKENIZER");
    return load_tokenizer_json(path ? path : pleiad::golden_path("text/tokenizer.json"));
  }();
  return loaded;
}

std::string with_spaces(std::string text) {
  constexpr std::string_view kSpaceMark = "\xE2\x96\x81";
  std::size_t at = 0;
  while ((at = text.find(kSpaceMark, at)) != std::string::npos) text.replace(at, 3, " ");
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto ids = tokenizer().encode_text(text);
  CHECK(tokenizer().decode_bytes(ids) == with_spaces(text));
  for (const TokenId id : ids) CHECK(!is_control(tokenizer().vocabulary().kind(id)));

  const auto with_control = tokenizer().encode_with_control(text);
  StreamDecoder decoder(tokenizer().vocabulary(), {.show_control = true});
  std::string streamed;
  for (const TokenId id : with_control) streamed += decoder.push(id);
  streamed += decoder.finish();
  CHECK(streamed == tokenizer().decode_with_control(with_control));

  Prompt prompt;
  prompt.add_text(std::string_view(text).substr(0, size / 2));
  prompt.add_text(std::string_view(text).substr(size / 2));
  CHECK(tokenizer().encode(prompt) == ids);
  return 0;
}
