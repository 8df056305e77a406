// Any JSON is rendered, or refused with a Failure, whether the reply goes on with the last message
// or not: it goes on with what that message says. No control token comes of it that the template
// does not print.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "text/begun_reply.h"
#include "text/chat_template.h"

namespace {

using namespace pleiad;  // NOLINT

/// What a reply goes on with, as the last message has it.
std::string begun_of(const text::ChatInput& chat) {
  if (!chat.options.continue_final_message) return {};
  const text::ChatMessage& last = chat.messages.back();
  std::string content;
  for (const auto& part : last.content.parts) content += text::without_thoughts(part.text);
  const bool has_thought = chat.options.enable_thinking && !last.reasoning.empty();
  return has_thought && !text::says_something(last) ? last.reasoning : content;
}

void render(const text::ChatInput& chat) {
  for (const auto family : {text::TemplateFamily::e_series, text::TemplateFamily::large}) {
    const text::Prompt prompt = text::render_chat(family, chat);
    CHECK(prompt.str().starts_with("<bos>"));
    CHECK(text::reply_start(prompt).begun == begun_of(chat));
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
    (void)text::begin_reply(begun, continues);
    render(begun);
  }
  return 0;
}
