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

/// What stands between the parser's events and the caller: stop strings end the
/// content, and everything is collected.
class ReplyCollector {
 public:
  ReplyCollector(sampling::StopMatcher matcher, const OnReplyEvent& on_event)
      : matcher_(std::move(matcher)), on_event_(on_event) {}

  /// False: generate no more.
  bool take(std::vector<text::ReplyEvent> events) {
    for (text::ReplyEvent& event : events) {
      if (matcher_.stopped() || !wanted_) return false;
      if (event.kind == text::ReplyEvent::Kind::content) {
        event.text = matcher_.push(event.text);
        if (!event.text.empty()) deliver(std::move(event));
      } else {
        flush();
        deliver(std::move(event));
      }
    }
    return wanted_ && !matcher_.stopped();
  }

  void flush() {
    text::ReplyEvent rest;
    rest.text = matcher_.flush();
    if (!rest.text.empty()) deliver(std::move(rest));
  }

  const std::string* found_stop() const { return matcher_.found(); }
  text::Reply& reply() { return reply_; }

 private:
  void deliver(text::ReplyEvent event) {
    wanted_ = on_event_(event) && wanted_;
    reply_.add(std::move(event));
  }

  sampling::StopMatcher matcher_;
  const OnReplyEvent& on_event_;
  text::Reply reply_;
  bool wanted_ = true;
};

}  // namespace

Result<ChatReply> answer_chat(Session& session, LoadedModel& model, const ChatRequest& request,
                              const OnReplyEvent& on_event, const Session::OnPrompt& on_prompt) {
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
  ReplyCollector collector(std::move(matcher).value(), on_event);

  const GenerationResult result = session.generate(
      tokens, request.generation,
      [&](text::TokenId token) {
        return collector.take(stream.push(token)) && !stream.parser().ended();
      },
      on_prompt);

  ChatReply reply;
  reply.reason = result.reason;
  if (result.reason == FinishReason::cancelled && stream.parser().ended()) {
    reply.reason = FinishReason::stop_token;
  }
  const bool cut_off = reply.reason != FinishReason::stop_token;
  if (!collector.found_stop()) {
    collector.take(stream.finish(cut_off));
    collector.flush();
  }
  if (collector.found_stop()) {
    reply.reason = FinishReason::stop_string;
    reply.stop_string = *collector.found_stop();
  }
  reply.reply = std::move(collector.reply());
  reply.stats = result.stats;
  reply.seed = result.seed;
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
                        const std::function<bool(std::string_view)>& on_text,
                        const Session::OnPrompt& on_prompt) {
  auto matcher_or = sampling::StopMatcher::create(stop);
  if (!matcher_or) throw Error("{}", matcher_or.message());
  sampling::StopMatcher matcher = std::move(matcher_or).value();
  const text::Vocabulary& vocabulary = model.tokenizer().vocabulary();
  std::vector<text::TokenId> tokens = model.tokenizer().encode_with_control(prompt);
  const auto bos = vocabulary.bos();
  if (bos && (tokens.empty() || tokens.front() != *bos)) tokens.insert(tokens.begin(), *bos);

  ChatReply reply;
  const auto deliver = [&](const std::string& text) {
    reply.reply.content += text;
    return text.empty() || on_text(text);
  };
  text::StreamDecoder decoder(vocabulary, {.show_control = true});
  const GenerationResult result = session.generate(
      tokens, options,
      [&](text::TokenId token) {
        return deliver(matcher.push(decoder.push(token))) && !matcher.stopped();
      },
      on_prompt);
  if (!matcher.stopped()) deliver(matcher.push(decoder.finish()));
  if (!matcher.stopped()) deliver(matcher.flush());
  reply.reason = matcher.stopped() ? FinishReason::stop_string : result.reason;
  if (matcher.found()) reply.stop_string = *matcher.found();
  reply.stats = result.stats;
  reply.seed = result.seed;
  return reply;
}

}  // namespace pleiad
