#include "engine/chat.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "engine/reply_reader.h"
#include "sampling/stop_matcher.h"
#include "text/begun_reply.h"
#include "text/chat_input.h"
#include "text/chat_template.h"

namespace pleiad {
namespace {

bool wants_more(const ReplyObserver& observer) {
  return !observer.wants_more || observer.wants_more();
}

Session::OnPrompt prompt_watcher(const ReplyObserver& observer) {
  return [&observer](const PromptProgress& progress) {
    if (observer.on_prompt) observer.on_prompt(progress);
    return wants_more(observer);
  };
}

/// What a reader gives, told to the observer and put into a reply.
class ReplyCollector {
 public:
  ReplyCollector(ReplyReader reader, const ReplyObserver& observer)
      : reader_(std::move(reader)), observer_(observer) {}

  /// False when the reply is complete, or not wanted any more.
  bool push(text::TokenId token) {
    deliver(reader_.push(token));
    return !reader_.ended() && wants_more(observer_);
  }

  ChatReply finish(const GenerationResult& result) {
    deliver(reader_.finish(result.reason));
    ChatReply reply;
    reply.reply = std::move(reply_);
    reply.reason = reader_.reason();
    reply.stop_string = reader_.stop_string();
    reply.stats = result.stats;
    reply.seed = result.seed;
    reply.dropped_thinking_bytes = reader_.dropped_thinking_bytes();
    reply.repetition = reader_.repetition();
    return reply;
  }

 private:
  void deliver(std::vector<text::ReplyEvent> events) {
    for (text::ReplyEvent& event : events) {
      if (observer_.on_event) observer_.on_event(event);
      reply_.add(std::move(event));
    }
  }

  ReplyReader reader_;
  const ReplyObserver& observer_;
  text::Reply reply_;
};

struct ChatPrompt {
  std::vector<text::TokenId> tokens;
  std::vector<PromptMedia> media;
};

/// A Failure says why the media cannot be shown; none is left out.
Result<ChatPrompt> encode_chat(const LoadedModel& model, const text::Prompt& rendered,
                               const text::ChatInput& chat, const ChatRequest& request) {
  const Checkpoint& checkpoint = model.checkpoint();
  std::vector<ShownMedia::Kind> kinds;
  for (const ShownMedia& media : request.media) kinds.push_back(media.kind);
  if (const auto error = chat_media_error(chat, kinds)) return Failure{*error};
  const text::EncodeLimit limit = {.wants_them = true};
  if (request.media.empty()) {
    return ChatPrompt{model.tokenizer().encode(rendered, limit).tokens, {}};
  }
  const PromptTowers towers = prompt_towers(checkpoint);
  for (const ShownMedia::Kind kind : kinds) {
    if (const std::string problem = problem_with(towers, kind); !problem.empty()) {
      return Failure{fmt::format("{} {}", checkpoint.config().name, problem)};
    }
  }
  MediaPrompt expanded = expand_media(
      model.tokenizer().encode(with_parts(rendered, request.media), limit), towers, request.media);
  return ChatPrompt{std::move(expanded.encoding.tokens),
                    prompt_media(expanded.spans, request.media)};
}

ReplyReader watched(ReplyReader reader, const ReplyLimits& limits,
                    const text::Vocabulary& vocabulary, bool has_form) {
  if (limits.repetition_guard) reader.watch_repetition(vocabulary, has_form);
  return reader;
}

/// Null where the thoughts of the reply have no limit.
std::unique_ptr<sampling::TokenConstraint> limit_thoughts(
    const text::Tokenizer& tokenizer, const ChatRequest& request, const text::ReplyOptions& reply,
    std::int64_t room, std::unique_ptr<sampling::TokenConstraint> inner,
    std::shared_ptr<std::optional<EndedThought>> ended, std::vector<std::string>& warnings) {
  if (!request.think && request.limits.thinking_budget && request.limits.thinking_level.empty()) {
    warnings.emplace_back("thinking_budget: has no effect: thinking is off");
  }
  if (!request.think || !ThoughtLimit::can_limit(tokenizer.vocabulary())) return inner;
  ThoughtRules rules;
  rules.ends_repetition = request.limits.repetition_guard;
  if (request.limits.thinking_budget) {
    const std::int64_t most = request.generation.max_tokens;
    const std::int64_t total = most >= 0 ? std::min(most, room) : room;
    ThinkingShare share = share_for_thinking(*request.limits.thinking_budget, total);
    rules.budget = share.budget;
    const bool is_told = request.limits.thinking_level.empty() || !share.budget;
    if (is_told && !share.problem.empty()) warnings.push_back("thinking_budget: " + share.problem);
  }
  if (!rules.any()) return inner;
  auto limit =
      std::make_unique<ThoughtLimit>(tokenizer, rules, reply, std::move(inner), std::move(ended));
  if (const std::string why = limit->why_none(); !why.empty()) {
    warnings.push_back("thinking_budget: " + why);
  }
  return limit;
}

}  // namespace

Result<ChatReply> answer_chat(Session& session, LoadedModel& model, const ChatRequest& request,
                              const ReplyObserver& observer,
                              const ConstraintMaker& make_constraint) {
  const Result<text::ChatInput> input = text::parse_chat_input({{"messages", request.messages},
                                                                {"tools", request.tools},
                                                                {"enable_thinking", request.think},
                                                                {"add_generation_prompt", true}});
  if (!input) return Failure{input.message()};
  auto matcher = sampling::StopMatcher::create(request.stop);
  if (!matcher) return Failure{matcher.message()};

  const text::Prompt prompt = text::render_chat(model.family(), input.value());
  const Result<ChatPrompt> encoded = encode_chat(model, prompt, input.value(), request);
  if (!encoded) return Failure{encoded.message()};
  text::ReplyOptions parse_options;
  parse_options.started_in_thinking = text::reply_start(prompt).in_thought;
  parse_options.thinking_enabled = request.think;
  parse_options.tools_enabled = !request.tools.empty();
  parse_options.spelled_tags = false;  // the model has control tokens for its tags
  std::unique_ptr<sampling::TokenConstraint> constraint;
  CHECK(make_constraint || request.format.is_null());
  if (make_constraint && (parse_options.tools_enabled || !request.format.is_null())) {
    auto made = make_constraint(request.format, parse_options);
    if (!made) return Failure{made.message()};
    constraint = std::move(made).value();
  }
  const text::Vocabulary& vocabulary = model.tokenizer().vocabulary();
  const auto ended = std::make_shared<std::optional<EndedThought>>();
  std::vector<std::string> warnings;
  const std::int64_t room = session.context_length() - std::ssize(encoded.value().tokens);
  constraint = limit_thoughts(model.tokenizer(), request, parse_options, room,
                              std::move(constraint), ended, warnings);
  ReplyCollector collector(
      watched(ReplyReader(vocabulary, parse_options, std::move(matcher).value()), request.limits,
              vocabulary, !request.format.is_null()),
      observer);
  GenerationOptions generation = request.generation;
  if (!parse_options.tools_enabled) forbid_calls(model.tokenizer().vocabulary(), generation);
  const GenerationResult result = session.generate(
      {encoded.value().tokens, encoded.value().media}, generation,
      [&](text::TokenId token) { return collector.push(token); }, prompt_watcher(observer),
      constraint.get());
  ChatReply reply = collector.finish(result);
  reply.ended_thought = *ended;
  reply.warnings = std::move(warnings);
  return reply;
}

Json assistant_message(const text::Reply& reply) {
  Json message = {{"role", "assistant"}, {"content", reply.content}};
  if (!reply.thinking.empty()) message["reasoning"] = reply.thinking;
  Json calls = Json::array();
  for (const text::ReplyEvent& call : reply.tool_calls) {
    if (call.kind != text::ReplyEvent::Kind::tool_call) continue;
    calls.push_back({{"id", fmt::format("call_{}", calls.size())},
                     {"type", "function"},
                     {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  if (!calls.empty()) message["tool_calls"] = std::move(calls);
  return message;
}

ChatReply complete_text(Session& session, LoadedModel& model, std::string_view prompt,
                        const GenerationOptions& options, const ReplyLimits& limits,
                        const std::vector<std::string>& stop, const ReplyObserver& observer) {
  auto matcher = sampling::StopMatcher::create(stop);
  if (!matcher) throw Error("{}", matcher.message());
  const text::Vocabulary& vocabulary = model.tokenizer().vocabulary();
  if (const auto spelled = find_spelled_media(prompt, vocabulary); !spelled.empty()) {
    const ShownMedia::Kind kind = spelled.front().kind;
    throw Error("the prompt: {} stands for {}, and a raw prompt has none",
                text::tag_text(placeholder(kind)), singular(kind));
  }
  text::Encoding encoding = model.tokenizer().encode_with_control(prompt, text::EncodeLimit());
  std::vector<text::TokenId> tokens = std::move(encoding.tokens);
  const auto bos = vocabulary.bos();
  if (bos && (tokens.empty() || tokens.front() != *bos)) tokens.insert(tokens.begin(), *bos);

  ReplyCollector collector(
      watched(ReplyReader(vocabulary, std::move(matcher).value()), limits, vocabulary, false),
      observer);
  const GenerationResult result = session.generate(
      tokens, options, [&](text::TokenId token) { return collector.push(token); },
      prompt_watcher(observer));
  return collector.finish(result);
}

}  // namespace pleiad
