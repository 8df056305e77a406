#include "serving/answer_prompt.h"

#include <algorithm>
#include <utility>

#include "base/text_format.h"
#include "serving/conversation.h"
#include "serving/request_error.h"
#include "text/chat_input.h"

namespace pleiad::serving {
namespace {

std::int64_t count(const std::vector<text::TokenId>& tokens) {
  return static_cast<std::int64_t>(tokens.size());
}

/// The prompt and at least one token of a reply.
bool fits(const AnswerPrompt& prompt, const PromptRoom& room) {
  return count(prompt.tokens) < room.context_length;
}

[[noreturn]] void refuse(const AnswerPrompt& prompt, const PromptRoom& room,
                         std::string_view more = "") {
  ServiceError error;
  error.code = ServiceError::Code::context_exceeded;
  error.prompt_tokens = count(prompt.tokens);
  error.limit_tokens = room.context_length;
  error.message = fmt::format(
      "the prompt has {} tokens and the context holds {}: there is no room for a reply{}",
      format_count(prompt.tokens.size()),
      format_count(static_cast<std::uint64_t>(room.context_length)), more);
  throw RequestError(error);
}

bool has_tool(const Json& tools, const std::string& name) {
  return std::any_of(tools.begin(), tools.end(), [&](const Json& tool) {
    return tool.is_object() && tool.contains("function") && tool["function"].is_object() &&
           tool["function"].value("name", "") == name;
  });
}

AnswerPrompt render(const AnswerRequest& request, const Json& messages, const PromptModel& model) {
  const Json tools = offered_tools(request);
  const bool think = request.think.value_or(false);
  const Result<text::ChatInput> input = text::parse_chat_input({{"messages", messages},
                                                                {"tools", tools},
                                                                {"enable_thinking", think},
                                                                {"add_generation_prompt", true}});
  if (!input) throw bad_field(input.message());
  const text::Prompt rendered = text::render_chat(model.family, input.value());
  AnswerPrompt prompt;
  prompt.tokens = model.tokenizer->encode(rendered);
  prompt.text = rendered.str();
  prompt.reply.started_in_thinking = text::reply_begins_in_thought(rendered);
  prompt.reply.thinking_enabled = think;
  prompt.reply.tools_enabled = !tools.empty();
  prompt.reply.spelled_tags = false;  // the model has control tokens for its tags
  return prompt;
}

/// Without the oldest messages, as few as it takes.
AnswerPrompt shortened(const AnswerRequest& request, const Json& messages, const PromptModel& model,
                       const PromptRoom& room) {
  const std::vector<std::size_t> cuts = cuts_of(messages);
  const auto cut_at = [&](std::size_t cut) {
    AnswerPrompt prompt = render(request, without_oldest(messages, cuts[cut]), model);
    prompt.dropped_messages = static_cast<std::int64_t>(cuts[cut]);
    return prompt;
  };
  if (cuts.empty()) refuse(render(request, messages, model), room);
  AnswerPrompt best = cut_at(cuts.size() - 1);
  if (!fits(best, room)) refuse(best, room, ", even without the earlier messages");
  // The first cut that leaves the wanted room lies in [low, high).
  std::size_t low = 0;
  std::size_t high = cuts.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    AnswerPrompt tried = cut_at(middle);
    if (count(tried.tokens) <= room.context_length - room.reply_tokens) {
      best = std::move(tried);
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  best.warnings.push_back(
      fmt::format("the {} oldest messages were dropped: the context holds {} tokens",
                  best.dropped_messages, room.context_length));
  return best;
}

AnswerPrompt chat_prompt(const AnswerRequest& request, const store::Recipe& recipe,
                         const PromptModel& model, const std::optional<PromptRoom>& room) {
  const Json messages = conversation(request, recipe);
  AnswerPrompt prompt = render(request, messages, model);
  if (!room || fits(prompt, *room)) return prompt;
  if (!request.truncate) refuse(prompt, *room);
  return shortened(request, messages, model, *room);
}

AnswerPrompt text_prompt(const AnswerRequest& request, const PromptModel& model,
                         const std::optional<PromptRoom>& room) {
  if (!offered_tools(request).empty()) throw bad_field("tools: only chats can have them");
  AnswerPrompt prompt;
  prompt.text = request.text;
  prompt.tokens = model.tokenizer->encode_with_control(request.text);
  const auto bos = model.tokenizer->vocabulary().bos();
  if (bos && (prompt.tokens.empty() || prompt.tokens.front() != *bos)) {
    prompt.tokens.insert(prompt.tokens.begin(), *bos);
  }
  if (!room || fits(prompt, *room)) return prompt;
  const std::int64_t kept = room->context_length - room->reply_tokens;
  const std::int64_t first = bos ? 1 : 0;
  if (!request.truncate || kept <= first) refuse(prompt, *room);
  const std::int64_t dropped = count(prompt.tokens) - kept;
  prompt.tokens.erase(prompt.tokens.begin() + first, prompt.tokens.begin() + first + dropped);
  prompt.warnings.push_back(
      fmt::format("the first {} tokens of the prompt were dropped: the context holds {}", dropped,
                  room->context_length));
  return prompt;
}

}  // namespace

Json offered_tools(const AnswerRequest& request) {
  using Kind = ToolChoice::Kind;
  const ToolChoice& choice = request.tool_choice;
  if (choice.kind == Kind::none || request.tools.is_null()) return Json::array();
  if (!request.tools.is_array()) throw bad_field("tools: expected a list");
  if (choice.kind == Kind::required && request.tools.empty()) {
    throw bad_field("tool_choice: a call is required, and there are no tools");
  }
  if (choice.kind == Kind::named && !has_tool(request.tools, choice.name)) {
    throw bad_field(fmt::format("tool_choice: there is no tool named {}", printable(choice.name)));
  }
  return request.tools;
}

AnswerPrompt make_prompt(const AnswerRequest& request, const store::Recipe& recipe,
                         const PromptModel& model, const std::optional<PromptRoom>& room) {
  return request.form == AnswerRequest::Form::chat ? chat_prompt(request, recipe, model, room)
                                                   : text_prompt(request, model, room);
}

}  // namespace pleiad::serving
