// Any JSON is rendered, or refused with a Failure. No control token comes of it
// that the template does not print.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "text/chat_template.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleiad;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const Json input = json_or_discarded(json);
  if (input.is_discarded()) return 0;
  const Result<text::ChatInput> chat = text::parse_chat_input(input);
  if (!chat) {
    CHECK(!chat.message().empty());
    return 0;
  }
  for (const auto family : {text::TemplateFamily::e_series, text::TemplateFamily::large}) {
    const text::Prompt prompt = text::render_chat(family, chat.value());
    CHECK(prompt.str().starts_with("<bos>"));
    for (const auto& segment : prompt.segments()) {
      CHECK(!segment.is_control || text::find_tag(segment.text));
    }
  }
  return 0;
}
