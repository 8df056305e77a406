// Any JSON is rendered, or refused with a Failure, whether the reply goes on with the last message
// or not. No control token comes of it that the template does not print.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "text/begun_reply.h"
#include "text/chat_template.h"

namespace {

using namespace pleiad;  // NOLINT

void render(const text::ChatInput& chat) {
  for (const auto family : {text::TemplateFamily::e_series, text::TemplateFamily::large}) {
    const text::Prompt prompt = text::render_chat(family, chat);
    CHECK(prompt.str().starts_with("<bos>"));
    CHECK(prompt.str().ends_with(text::reply_start(prompt).begun));
    for (const auto& segment : prompt.segments()) {
      CHECK(!segment.is_control || text::find_tag(segment.text));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const Json input = json_or_discarded(json);
  if (input.is_discarded()) return 0;
  const Result<text::ChatInput> chat = text::parse_chat_input(input);
  if (!chat) {
    CHECK(!chat.message().empty());
    return 0;
  }
  render(chat.value());
  for (const bool continues : {false, true}) {
    text::ChatInput begun = chat.value();
    const auto continuation = text::begin_reply(begun, continues);
    if (continuation) render(begun);
  }
  return 0;
}
