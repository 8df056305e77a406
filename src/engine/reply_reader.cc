#include "engine/reply_reader.h"

#include <utility>

namespace pleiad {
namespace {

std::vector<text::ReplyEvent> as_content(std::string text) {
  std::vector<text::ReplyEvent> events;
  if (!text.empty()) events.push_back({.text = std::move(text)});
  return events;
}

}  // namespace

void forbid_calls(const text::Vocabulary& vocabulary, GenerationOptions& options) {
  const auto opens = vocabulary.tag(text::Tag::tool_call_open);
  if (opens) options.sampling.suppressed_tokens.push_back(*opens);
}

const text::ReplyParser* ReplyReader::parser() const {
  const auto* stream = std::get_if<text::ReplyStream>(&source_);
  return stream ? &stream->parser() : nullptr;
}

std::vector<text::ReplyEvent> ReplyReader::push(text::TokenId token) {
  const bool was_in_thought = in_thought();
  std::vector<text::ReplyEvent> events = read(token);
  watch(token, was_in_thought);
  return events;
}

void ReplyReader::watch(text::TokenId token, bool was_in_thought) {
  if (!watch_) return;
  watch_->set_patient(has_form_ || in_call());
  watch_thoughts(token, was_in_thought);
  if (shows_thoughts_ && (was_in_thought || in_thought())) {
    watch_->reset();
  } else {
    watch_->push(token);
  }
}

/// Other loops are left to those that watch what they are in.
void ReplyReader::watch_thoughts(text::TokenId token, bool was_in_thought) {
  if (!thoughts_watch_) return;
  if (was_in_thought && !in_thought()) {
    since_thought_ = 0;
  } else if (since_thought_ <= sampling::RepetitionGuard::kLongestPeriod) {
    ++since_thought_;
  }
  if (thoughts_watch_->push(token)) return;
  if (since_thought_ >= thoughts_watch_->found()->period) thoughts_watch_->reset();
}

std::vector<text::ReplyEvent> ReplyReader::read(text::TokenId token) {
  if (auto* stream = std::get_if<text::ReplyStream>(&source_)) {
    return up_to_stop(stream->push(token));
  }
  return up_to_stop(as_content(std::get<text::StreamDecoder>(source_).push(token)));
}

std::vector<text::ReplyEvent> ReplyReader::finish(FinishReason reason, bool is_cut) {
  reason_ = reason;
  if (reason == FinishReason::cancelled && ended()) {
    const bool by_model = parser() && parser()->ended();
    reason_ = repeats() && !by_model ? FinishReason::repetition : FinishReason::stop_token;
  }
  std::vector<text::ReplyEvent> events;
  if (!stops_.stopped()) {
    auto* stream = std::get_if<text::ReplyStream>(&source_);
    const bool is_whole = reason_ == FinishReason::stop_token && !is_cut;
    events = up_to_stop(stream ? stream->finish(!is_whole)
                               : as_content(std::get<text::StreamDecoder>(source_).finish()));
    std::string kept_back = stops_.flush();
    if (!kept_back.empty()) events.push_back({.text = std::move(kept_back)});
  }
  if (stops_.stopped()) reason_ = FinishReason::stop_string;
  return events;
}

std::vector<text::ReplyEvent> ReplyReader::up_to_stop(std::vector<text::ReplyEvent> events) {
  std::vector<text::ReplyEvent> out;
  for (text::ReplyEvent& event : events) {
    if (stops_.stopped()) break;
    const bool is_content = event.kind == text::ReplyEvent::Kind::content;
    std::string content = is_content ? stops_.push(event.text) : stops_.flush();
    if (!content.empty()) out.push_back({.text = std::move(content)});
    if (!is_content) out.push_back(std::move(event));
  }
  return out;
}

bool ReplyReader::ended() const {
  return stops_.stopped() || (parser() && parser()->ended()) || repeats();
}

bool ReplyReader::in_thought() const { return parser() && parser()->in_thought(); }

bool ReplyReader::in_call() const { return parser() && parser()->in_call(); }

std::optional<std::string> ReplyReader::stop_string() const {
  return stops_.found() ? std::optional(*stops_.found()) : std::nullopt;
}

std::optional<sampling::Repetition> ReplyReader::repetition() const {
  if (watch_ && watch_->found()) return watch_->found();
  return thoughts_watch_ ? thoughts_watch_->found() : std::nullopt;
}

std::size_t ReplyReader::dropped_thinking_bytes() const {
  return parser() ? parser()->dropped_thinking_bytes() : 0;
}

}  // namespace pleiad
