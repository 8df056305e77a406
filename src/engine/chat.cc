#include "engine/chat.h"

#include <utility>

#include "base/error.h"
#include "sampling/stop_matcher.h"
#include "text/chat_input.h"
#include "text/chat_template.h"
#include "text/reply_stream.h"
#include "text/stream_decoder.h"

namespace pleiad {
namespace {

bool wants_more(const ReplyObserver& observer) {
  return !observer.wants_more || observer.wants_more();
}

Session::OnPrompt prompt_watcher(const ReplyObserver& observer) {
  return [&observer](std::int64_t done, std::int64_t total) {
    if (observer.on_prompt) observer.on_prompt(done, total);
    return wants_more(observer);
  };
}

/// What stands between the parser's events and the caller: stop strings end the
/// content, and everything is collected.
class ReplyCollector {
 public:
  ReplyCollector(sampling::StopMatcher matcher, const ReplyObserver& observer)
      : matcher_(std::move(matcher)), observer_(observer) {}

  void take(std::vector<text::ReplyEvent> events) {
    for (text::ReplyEvent& event : events) {
      if (matcher_.stopped()) return;
      if (event.kind == text::ReplyEvent::Kind::content) {
        event.text = matcher_.push(event.text);
        if (!event.text.empty()) deliver(std::move(event));
      } else {
        flush();
        deliver(std::move(event));
      }
    }
  }

  void take_content(std::string text) {
    text::ReplyEvent event;
    event.text = std::move(text);
    take({std::move(event)});
  }

  /// What was held back for a stop string that did not come.
  void flush() {
    text::ReplyEvent rest;
    rest.text = matcher_.flush();
    if (!rest.text.empty()) deliver(std::move(rest));
  }

  bool stopped() const { return matcher_.stopped(); }

  /// Puts what was collected into a reply that ended as `result` says.
  ChatReply finish(const GenerationResult& result, FinishReason reason) {
    ChatReply reply;
    reply.reply = std::move(reply_);
    reply.reason = matcher_.found() ? FinishReason::stop_string : reason;
    if (matcher_.found()) reply.stop_string = *matcher_.found();
    reply.stats = result.stats;
    reply.seed = result.seed;
    return reply;
  }

 private:
  void deliver(text::ReplyEvent event) {
    if (observer_.on_event) observer_.on_event(event);
    reply_.add(std::move(event));
  }

  sampling::StopMatcher matcher_;
  const ReplyObserver& observer_;
  text::Reply reply_;
};

}  // namespace

Result<ChatReply> answer_chat(Session& session, LoadedModel& model, const ChatRequest& request,
                              const ReplyObserver& observer) {
  const Result<text::ChatInput> input = text::parse_chat_input({{"messages", request.messages},
                                                                {"tools", request.tools},
                                                                {"enable_thinking", request.think},
                                                                {"add_generation_prompt", true}});
  if (!input) return Failure{input.message()};
  auto matcher = sampling::StopMatcher::create(request.stop);
  if (!matcher) return Failure{matcher.message()};

  const text::Prompt prompt = text::render_chat(model.family(), input.value());
  const std::vector<text::TokenId> tokens = model.tokenizer().encode(prompt);
  text::ReplyOptions parse_options;
  parse_options.started_in_thinking = text::reply_begins_in_thought(prompt);
  parse_options.thinking_enabled = request.think;
  parse_options.tools_enabled = !request.tools.empty();
  parse_options.spelled_tags = false;  // the model has control tokens for its tags
  text::ReplyStream stream(model.tokenizer().vocabulary(), parse_options);
  ReplyCollector collector(std::move(matcher).value(), observer);

  const GenerationResult result = session.generate(
      tokens, request.generation,
      [&](text::TokenId token) {
        collector.take(stream.push(token));
        return !collector.stopped() && !stream.parser().ended() && wants_more(observer);
      },
      prompt_watcher(observer));

  FinishReason reason = result.reason;
  if (reason == FinishReason::cancelled && stream.parser().ended()) {
    reason = FinishReason::stop_token;
  }
  if (!collector.stopped()) {
    collector.take(stream.finish(reason != FinishReason::stop_token));
    if (!collector.stopped()) collector.flush();
  }
  ChatReply reply = collector.finish(result, reason);
  reply.dropped_thinking_bytes = stream.parser().dropped_thinking_bytes();
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
                        const GenerationOptions& options, const std::vector<std::string>& stop,
                        const ReplyObserver& observer) {
  auto matcher = sampling::StopMatcher::create(stop);
  if (!matcher) throw Error("{}", matcher.message());
  const text::Vocabulary& vocabulary = model.tokenizer().vocabulary();
  std::vector<text::TokenId> tokens = model.tokenizer().encode_with_control(prompt);
  const auto bos = vocabulary.bos();
  if (bos && (tokens.empty() || tokens.front() != *bos)) tokens.insert(tokens.begin(), *bos);

  ReplyCollector collector(std::move(matcher).value(), observer);
  text::StreamDecoder decoder(vocabulary, {.show_control = true});
  const GenerationResult result = session.generate(
      tokens, options,
      [&](text::TokenId token) {
        collector.take_content(decoder.push(token));
        return !collector.stopped() && wants_more(observer);
      },
      prompt_watcher(observer));
  if (!collector.stopped()) {
    collector.take_content(decoder.finish());
    if (!collector.stopped()) collector.flush();
  }
  return collector.finish(result, result.reason);
}

}  // namespace pleiad
