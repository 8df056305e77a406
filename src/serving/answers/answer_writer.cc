#include "serving/answers/answer_writer.h"

#include <fmt/format.h>

#include <utility>

#include "base/random_bytes.h"

namespace pleiad::serving {
namespace {

std::string broken_call_warning(const text::ReplyEvent& call, bool has_begun) {
  return fmt::format("a tool call could not be used ({}); {}", call.problem,
                     has_begun ? "what came of it is not all of it" : "it is left out");
}

}  // namespace

TokenText token_text(const text::Vocabulary& vocabulary, std::int32_t token, double logprob,
                     bool show_control) {
  TokenText out{token, {}, logprob};
  const bool is_control = vocabulary.contains(token) && text::is_control(vocabulary.kind(token));
  if (is_control && show_control) {
    out.bytes = vocabulary.text(token);
  } else {
    text::append_piece_bytes(vocabulary, token, out.bytes);
  }
  return out;
}

void AnswerWriter::note_logprob(const sampling::SampledToken& token) {
  AnswerLogprob logprob;
  logprob.token =
      token_text(vocabulary_, token.token, token.logprob.value_or(0), options_.show_control);
  // What might have come instead is only read by people: the end of the turn has a name.
  for (const sampling::TokenLogprob& top : token.top_logprobs) {
    logprob.top.push_back(token_text(vocabulary_, top.token, top.logprob, true));
  }
  pending_.push_back(std::move(logprob));
}

std::vector<AnswerDelta> AnswerWriter::push(const sampling::SampledToken& token) {
  if (ended()) return {};
  const bool was_in_thought = reader_.in_thought();
  std::vector<text::ReplyEvent> events = reader_.push(token.token);
  const bool in_thought = was_in_thought || reader_.in_thought();
  if (in_thought) ++thinking_tokens_;
  const bool hidden = options_.drop_thoughts && in_thought;
  if (options_.logprobs && !hidden) note_logprob(token);
  return deltas(std::move(events));
}

std::vector<AnswerDelta> AnswerWriter::finish(FinishReason reason, bool is_cut) {
  const bool had_its_call = options_.one_call && called_tools_;
  return deltas(reader_.finish(had_its_call ? FinishReason::stop_token : reason, is_cut));
}

std::vector<AnswerDelta> AnswerWriter::deltas(std::vector<text::ReplyEvent> events) {
  using Kind = text::ReplyEvent::Kind;
  std::vector<AnswerDelta> out;
  for (text::ReplyEvent& event : events) {
    if (options_.one_call && called_tools_) break;
    AnswerDelta delta;
    const bool is_of_call = event.kind == Kind::call_begun || event.kind == Kind::call_arguments ||
                            event.kind == Kind::tool_call;
    if (is_of_call && open_call_.empty()) open_call_ = new_tool_call_id();
    if (is_of_call) delta.tool_call_id = open_call_;
    if (event.kind == Kind::tool_call || event.kind == Kind::broken_tool_call) {
      const bool has_begun = !std::exchange(open_call_, {}).empty();
      called_tools_ = called_tools_ || event.kind == Kind::tool_call;
      if (event.kind == Kind::broken_tool_call && (event.cut_off || has_begun)) {
        has_cut_call_ = has_cut_call_ || event.cut_off;
        warnings_.push_back(broken_call_warning(event, has_begun));
        continue;
      }
    }
    delta.event = std::move(event);
    delta.logprobs = std::exchange(pending_, {});
    out.push_back(std::move(delta));
  }
  return out;
}

void AnswerWriter::describe(AnswerResult& result) {
  result.reason = reader_.reason();
  result.stop_string = reader_.stop_string();
  result.repetition = reader_.repetition();
  result.called_tools = called_tools_;
  result.thinking_tokens = thinking_tokens_;
  result.dropped_thinking_bytes = reader_.dropped_thinking_bytes();
  result.logprobs = std::exchange(pending_, {});
}

std::string new_tool_call_id() { return random_name("call_", 8); }

}  // namespace pleiad::serving
