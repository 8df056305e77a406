#include "serving/answers/answer_prompt.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/text_format.h"
#include "serving/answers/conversation.h"
#include "serving/request_error.h"
#include "text/begun_reply.h"
#include "text/chat_input.h"

namespace pleiad::serving {
namespace {

std::int64_t count(const std::vector<text::TokenId>& tokens) {
  return static_cast<std::int64_t>(tokens.size());
}

/// The prompt and what its reply has at least.
bool fits(const AnswerPrompt& prompt, const PromptRoom& room) {
  return prompt.least_tokens == 0 && count(prompt.tokens) + room.least_reply <= room.context_length;
}

text::EncodeLimit limit_of(const std::optional<PromptRoom>& room,
                           const std::function<bool()>& stop) {
  text::EncodeLimit limit;
  if (room) limit.tokens = static_cast<std::size_t>(room->context_length + kCountedBeyond);
  limit.stop = stop;
  return limit;
}

[[noreturn]] void refuse(const AnswerPrompt& prompt, const PromptRoom& room,
                         std::string_view more = "") {
  const bool is_counted = prompt.least_tokens == 0;
  const std::uint64_t tokens = is_counted ? prompt.tokens.size() : prompt.least_tokens;
  ServiceError error;
  error.code = ServiceError::Code::context_exceeded;
  error.prompt_tokens = static_cast<std::int64_t>(tokens);
  error.limit_tokens = room.context_length;
  error.message = fmt::format("the prompt has {}{} tokens and the context holds {}{}{}",
                              is_counted ? "" : "at least ", format_count(tokens),
                              format_count(static_cast<std::uint64_t>(room.context_length)),
                              room.least_reply > 0 ? ": there is no room for a reply" : "", more);
  throw RequestError(error);
}

bool has_tool(const Json& tools, const std::string& name) {
  return std::any_of(tools.begin(), tools.end(), [&](const Json& tool) {
    return tool.is_object() && tool.contains("function") && tool["function"].is_object() &&
           tool["function"].value("name", "") == name;
  });
}

/// What a prompt is made of, and how far it is looked at.
struct Making {
  const AnswerRequest& request;
  const PromptModel& model;
  text::EncodeLimit limit;
  bool replies = true;                // false: the prompt is only looked at
  std::span<const ShownMedia> shown;  // the request's media
};

/// The encoding, with the tokens of media in their places.
void take(const Making& making, AnswerPrompt& prompt, text::Encoding encoding) {
  MediaPrompt expanded = expand_media(std::move(encoding), making.model.towers, making.shown);
  prompt.tokens = std::move(expanded.encoding.tokens);
  prompt.media = std::move(expanded.spans);
  prompt.least_tokens = expanded.encoding.whole ? 0 : expanded.encoding.least_count;
}

/// All media of the messages are the request's, and stand where the template prints them.
void check_media(const Making& making, const text::ChatInput& input) {
  std::vector<MediaKind> kinds;
  for (const ShownMedia& media : making.shown) kinds.push_back(media.kind);
  const auto error = chat_media_error(
      input, kinds, [&](std::size_t index) { return making.request.media[index].field; });
  if (error) throw bad_field(*error);
}

/// In a text that is continued as it is, each <|image|> stands for the next picture, and so on.
std::vector<SpelledMedia> places_in_text(const Making& making) {
  auto places = find_spelled_media(making.request.text, making.model.tokenizer->vocabulary());
  const auto is_document = [](const ShownMedia& one) { return one.kind == MediaKind::document; };
  if (std::any_of(making.shown.begin(), making.shown.end(), is_document)) {
    throw bad_field("prompt: has no place for documents where it is taken as it is");
  }
  for (const auto kind : {MediaKind::picture, MediaKind::sound, MediaKind::video}) {
    const auto is_of_kind = [&](const auto& one) { return one.kind == kind; };
    const auto n = std::count_if(places.begin(), places.end(), is_of_kind);
    const auto n_given = std::count_if(making.shown.begin(), making.shown.end(), is_of_kind);
    if (n == n_given) continue;
    const std::string_view spelled = text::tag_text(placeholder(kind));
    if (n_given == 0) {
      throw bad_field(fmt::format("prompt: {} stands for {}, and the request has none", spelled,
                                  singular(kind)));
    }
    throw bad_field(fmt::format("prompt: has {} of {}, which stands for {}, and there are {} {}", n,
                                spelled, singular(kind), n_given, plural(kind)));
  }
  return places;
}

/// With room for media where the text spells them.
text::Encoding encode_spelled(const Making& making) {
  const std::string& given = making.request.text;
  const text::Tokenizer& tokenizer = *making.model.tokenizer;
  const std::vector<SpelledMedia> places = places_in_text(making);
  if (places.empty()) return tokenizer.encode_with_control(given, making.limit);
  const SpelledParts spelled = with_parts(given, places, making.shown);
  text::Encoding encoding = tokenizer.encode_with_control(spelled.text, making.limit);
  mark_spelled_media(encoding, tokenizer.vocabulary(), spelled.parts);
  return encoding;
}

void note(const text::Continuation& continuation, std::vector<std::string>& warnings) {
  if (continuation.trimmed) {
    warnings.emplace_back(
        "messages: white space at the end of the last one is left out, as the model's template "
        "leaves it out");
  }
  if (continuation.skips_thought) {
    warnings.emplace_back(
        "thinking: the answer goes on with the content of the last message, without a thought");
  }
}

AnswerPrompt render(const Making& making, const Json& messages) {
  const Json tools = offered_tools(making.request);
  const bool think = making.request.think.value_or(false);
  Result<text::ChatInput> input = text::parse_chat_input(
      {{"messages", messages}, {"tools", tools}, {"enable_thinking", think}});
  if (!input) throw bad_field(input.message());
  const text::Continuation continuation =
      text::begin_reply(input.value(), making.request.continue_last);
  if (continuation.open_calls && making.replies) {
    throw bad_field("messages: the last one calls tools; expected their results behind it");
  }
  check_media(making, input.value());
  const text::Prompt rendered = text::render_chat(making.model.family, input.value());
  AnswerPrompt prompt;
  for (const text::Prompt::Segment& segment : rendered.segments()) {
    if (segment.media >= 0) prompt.shown.push_back(segment.media);
  }
  const text::Tokenizer& tokenizer = *making.model.tokenizer;
  if (const auto missing = tokenizer.missing_control(rendered)) {
    throw RequestError(
        ServiceError::Code::unsupported,
        fmt::format(
            "model: {} cannot chat: its vocabulary has no {}, which Gemma 4's chat template "
            "needs. It can go on with texts: a prompt without a template",
            printable(making.request.model), *missing),
        "model");
  }
  take(making, prompt,
       making.shown.empty() ? tokenizer.encode(rendered, making.limit)
                            : tokenizer.encode(with_parts(rendered, making.shown), making.limit));
  if (prompt.least_tokens == 0) prompt.text = rendered.str();
  text::ReplyStart start = text::reply_start(rendered);
  prompt.reply.started_in_thinking = start.in_thought;
  prompt.reply.begun = std::move(start.begun);
  prompt.reply.thinking_enabled = think;
  prompt.reply.tools_enabled = !tools.empty();
  prompt.reply.spelled_tags = false;  // the model has control tokens for its tags
  note(continuation, prompt.warnings);
  return prompt;
}

/// Without the oldest messages, as few as it takes.
AnswerPrompt shortened(const Making& making, const Json& messages, const PromptRoom& room) {
  const std::vector<std::size_t> cuts = cuts_of(messages);
  const auto cut_at = [&](std::size_t cut) {
    AnswerPrompt prompt = render(making, without_oldest(messages, cuts[cut]));
    prompt.dropped_messages = static_cast<std::int64_t>(cuts[cut]);
    return prompt;
  };
  const auto leaves_room = [&](const AnswerPrompt& prompt) {
    return prompt.least_tokens == 0 &&
           count(prompt.tokens) <= room.context_length - room.reply_tokens;
  };
  if (cuts.empty()) refuse(render(making, messages), room);
  AnswerPrompt best = cut_at(cuts.size() - 1);
  if (!fits(best, room)) refuse(best, room, ", even without the earlier messages");
  // The first cut that leaves the wanted room lies in [low, high). It is looked for from the end:
  // what is rendered on the way is seldom much longer than what remains.
  std::size_t low = 0;
  std::size_t high = cuts.size() - 1;
  for (std::size_t step = 1; low < high && step <= high - low; step *= 2) {
    AnswerPrompt tried = cut_at(high - step);
    if (!leaves_room(tried)) {
      low = high - step + 1;
      break;
    }
    best = std::move(tried);
    high -= step;
  }
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    AnswerPrompt tried = cut_at(middle);
    if (leaves_room(tried)) {
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

AnswerPrompt chat_prompt(const Making& making, const store::Recipe& recipe,
                         const std::optional<PromptRoom>& room) {
  const Json messages = conversation(making.request, recipe);
  AnswerPrompt prompt = render(making, messages);
  if (!room || fits(prompt, *room)) return prompt;
  if (!making.request.truncate) refuse(prompt, *room);
  return shortened(making, messages, *room);
}

/// Puts <bos> where a text without it would begin.
void begin_with_bos(const PromptModel& model, AnswerPrompt& prompt) {
  const auto bos = model.tokenizer->vocabulary().bos();
  if (bos && (prompt.tokens.empty() || prompt.tokens.front() != *bos)) {
    prompt.tokens.insert(prompt.tokens.begin(), *bos);
    for (MediaSpan& span : prompt.media) ++span.first;
    if (prompt.least_tokens > 0) ++prompt.least_tokens;
  }
}

/// The end of a text that is too long, behind its first token.
AnswerPrompt end_of_text(const Making& making, const PromptRoom& room) {
  const auto bos = making.model.tokenizer->vocabulary().bos();
  const auto kept = static_cast<std::size_t>(room.context_length - room.reply_tokens);
  const std::size_t first = bos ? 1 : 0;
  Result<text::Encoding> end =
      making.model.tokenizer->last_tokens(making.request.text, kept - first);
  if (!end) throw bad_field("prompt: " + end.message());
  const bool is_counted = end.value().whole;
  AnswerPrompt prompt;
  prompt.text = making.request.text;
  take(making, prompt, std::move(end).value());
  // Of a text that begins with <bos> by itself that one stays, as does ours.
  if (is_counted) begin_with_bos(making.model, prompt);
  const std::uint64_t tokens = is_counted ? prompt.tokens.size() : prompt.least_tokens;
  const std::uint64_t dropped = tokens - kept;
  std::vector<text::TokenId> last(prompt.tokens.end() - static_cast<std::ptrdiff_t>(kept - first),
                                  prompt.tokens.end());
  if (bos) last.insert(last.begin(), *bos);
  prompt.tokens = std::move(last);
  prompt.least_tokens = 0;
  prompt.warnings.push_back(
      fmt::format("the first {}{} tokens of the prompt were dropped: the context holds {}",
                  is_counted ? "" : "at least ", dropped, room.context_length));
  return prompt;
}

AnswerPrompt text_prompt(const Making& making, const std::optional<PromptRoom>& room) {
  const AnswerRequest& request = making.request;
  if (!offered_tools(request).empty()) throw bad_field("tools: only chats can have them");
  AnswerPrompt prompt;
  take(making, prompt, encode_spelled(making));
  begin_with_bos(making.model, prompt);
  if (!room || fits(prompt, *room)) {
    prompt.text = request.text;
    return prompt;
  }
  const std::int64_t first = making.model.tokenizer->vocabulary().bos() ? 1 : 0;
  if (!request.truncate || room->context_length - room->reply_tokens <= first) {
    refuse(prompt, *room);
  }
  if (!request.media.empty()) {
    refuse(prompt, *room, ", and a text with media is not shortened");
  }
  return end_of_text(making, *room);
}

/// What a token stands for, if for a medium.
std::optional<MediaKind> kind_of_token(const text::Vocabulary& vocabulary, text::TokenId token) {
  if (!vocabulary.contains(token)) return std::nullopt;
  const std::optional<text::Tag> tag = vocabulary.tag_of(token);
  for (const auto kind : {MediaKind::picture, MediaKind::sound, MediaKind::video}) {
    if (tag == placeholder(kind)) return kind;
  }
  return std::nullopt;
}

AnswerPrompt token_prompt(const Making& making, const std::optional<PromptRoom>& room) {
  if (!offered_tools(making.request).empty()) throw bad_field("tools: only chats can have them");
  check_tokens(making.model.tokenizer->vocabulary(), making.request.tokens, "prompt");
  AnswerPrompt prompt;
  prompt.tokens = making.request.tokens;
  if (prompt.tokens.empty()) throw bad_field("prompt: there are no tokens to go on from");
  if (room && !fits(prompt, *room)) refuse(prompt, *room);
  prompt.text = making.model.tokenizer->decode_with_control(prompt.tokens);
  return prompt;
}

}  // namespace

void check_tokens(const text::Vocabulary& vocabulary, std::span<const text::TokenId> tokens,
                  std::string_view field) {
  const auto unknown = std::find_if(tokens.begin(), tokens.end(), [&](text::TokenId token) {
    return !vocabulary.contains(token) || kind_of_token(vocabulary, token);
  });
  if (unknown == tokens.end()) return;
  if (const auto kind = kind_of_token(vocabulary, *unknown)) {
    throw bad_field(
        fmt::format("{}: token {} ({}) stands for {}, which lists of tokens cannot bring", field,
                    *unknown, text::tag_text(placeholder(*kind)), singular(*kind)));
  }
  throw bad_field(fmt::format(
      "{}: there is no token {}, for this model's tokenizer has 0 to {}. Tokens of other "
      "tokenizers mean nothing to it: give text",
      field, *unknown, vocabulary.size() - 1));
}

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
                         const PromptModel& model, const std::optional<PromptRoom>& room,
                         const std::function<bool()>& stop, std::span<const ShownMedia> shown) {
  CHECK(shown.size() == request.media.size());
  const Making making{request, model, limit_of(room, stop), room.has_value(), shown};
  switch (request.form) {
    case AnswerRequest::Form::text:
      return text_prompt(making, room);
    case AnswerRequest::Form::tokens:
      return token_prompt(making, room);
    case AnswerRequest::Form::chat:
      break;
  }
  return chat_prompt(making, recipe, room);
}

}  // namespace pleiad::serving
