#include "text/begun_reply.h"

#include <algorithm>

#include "text/tags.h"
#include "text/unicode.h"

namespace pleiad::text {
namespace {

bool is_model(const ChatMessage& message) {
  return message.role == "assistant" || message.role == "model";
}

/// Whether the template leaves white space at the end of the content out.
bool ends_in_blanks(const MessageContent& content) {
  if (content.parts.empty()) return false;
  const std::string& text = content.parts.back().text;
  const std::string_view kept = strip(text);
  return kept.data() + kept.size() != text.data() + text.size();
}

}  // namespace

std::string without_thoughts(std::string_view text) {
  constexpr std::string_view kOpen = tag_text(Tag::channel_open);
  constexpr std::string_view kClose = tag_text(Tag::channel_close);
  std::string kept;
  while (true) {
    const std::size_t close = text.find(kClose);
    const std::string_view part = text.substr(0, close);
    kept += part.substr(0, part.find(kOpen));
    if (close == std::string_view::npos) break;
    text.remove_prefix(close + kClose.size());
  }
  return std::string(strip(kept));
}

bool says_something(const ChatMessage& message) {
  return std::ranges::any_of(message.content.parts, [](const ContentPart& part) {
    return part.kind != ContentPart::Kind::text || !without_thoughts(part.text).empty();
  });
}

bool is_text_of_model(const ChatMessage& message) {
  return is_model(message) && message.tool_calls.empty() && message.tool_responses.empty();
}

Continuation begin_reply(ChatInput& chat, bool continues) {
  using Of = Continuation::Of;
  auto& messages = chat.messages;
  Continuation continuation;
  chat.options.continue_final_message = false;
  chat.options.add_generation_prompt = true;
  while (continues && !messages.empty() && is_text_of_model(messages.back()) &&
         messages.back().reasoning.empty() && !says_something(messages.back())) {
    messages.pop_back();
  }
  if (messages.empty()) return continuation;
  const ChatMessage& last = messages.back();
  continuation.open_calls =
      is_model(last) && !last.tool_calls.empty() && last.tool_responses.empty();
  if (!continues || !is_text_of_model(last)) return continuation;
  const bool has_thought = !last.reasoning.empty();
  const bool says = says_something(last);
  continuation.of = !says && chat.options.enable_thinking ? Of::thought : Of::content;
  continuation.skips_thought = chat.options.enable_thinking && says && !has_thought;
  continuation.trimmed = says && ends_in_blanks(last.content);
  chat.options.continue_final_message = true;
  chat.options.add_generation_prompt = false;
  return continuation;
}

ReplyStart reply_start(const Prompt& prompt) {
  const auto& segments = prompt.segments();
  const std::size_t n = segments.size();
  const bool in_thought = n >= 2 && !segments[n - 1].is_control &&
                          segments[n - 2].text == tag_text(Tag::channel_open) &&
                          segments[n - 1].text.starts_with(kThoughtLabel);
  return {.in_thought = in_thought, .begun = prompt.behind_mark()};
}

}  // namespace pleiad::text
