#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/repetition_watch.h"
#include "engine/session.h"
#include "sampling/stop_matcher.h"
#include "text/reply_stream.h"
#include "text/stream_decoder.h"

namespace pleiad {

/// Where no tools are declared: the token that opens a call is never chosen, whatever the options
/// prefer. What the model says instead is text, which comes as it is written.
void forbid_calls(const text::Vocabulary& vocabulary, GenerationOptions& options);

/// Tokens of a reply -> what its reader sees: thoughts, content and tool calls,
/// the content up to the first stop string.
class ReplyReader {
 public:
  /// A chat's reply.
  ReplyReader(const text::Vocabulary& vocabulary, const text::ReplyOptions& options,
              sampling::StopMatcher stops)
      : source_(std::in_place_type<text::ReplyStream>, vocabulary, options),
        stops_(std::move(stops)),
        shows_thoughts_(options.thinking_enabled) {}
  /// Text without a template: everything is content, control tokens are shown.
  ReplyReader(const text::Vocabulary& vocabulary, sampling::StopMatcher stops)
      : source_(std::in_place_type<text::StreamDecoder>, vocabulary,
                text::DecodeOptions{.show_control = true}),
        stops_(std::move(stops)) {}

  /// Ends the reply where it repeats itself (see RepetitionGuard). Thoughts that are shown are left
  /// to a ThoughtLimit, which can do better, unless whole thoughts are what is repeated. In
  /// calls, and throughout where the reply `has_form`, it takes more of what repeats. The
  /// vocabulary outlives the reader.
  void watch_repetition(const text::Vocabulary& vocabulary, bool has_form = false) {
    has_form_ = has_form;
    watch_.emplace(vocabulary);
    if (shows_thoughts_) thoughts_watch_.emplace(vocabulary);
  }

  std::vector<text::ReplyEvent> push(text::TokenId token);
  /// The rest, after the last token; `reason` is why generating ended. `is_cut`: a stop token ended
  /// it that is none of the model's own, so that the reply need not be whole. Once only.
  std::vector<text::ReplyEvent> finish(FinishReason reason, bool is_cut = false);

  /// Nothing more will come: a stop string was found, the model ended its turn, or the reply
  /// repeats itself.
  bool ended() const;
  /// What comes next belongs to a thought, as far as is known.
  bool in_thought() const;
  /// Likewise to a call.
  bool in_call() const;
  /// Why the reply ended; known after finish().
  FinishReason reason() const { return reason_; }
  std::optional<std::string> stop_string() const;
  /// What the reply repeated; where that ended it, reason() says so.
  std::optional<sampling::Repetition> repetition() const;
  std::size_t dropped_thinking_bytes() const;

 private:
  std::vector<text::ReplyEvent> read(text::TokenId token);
  void watch(text::TokenId token, bool was_in_thought);
  void watch_thoughts(text::TokenId token, bool was_in_thought);
  bool repeats() const { return repetition().has_value(); }
  std::vector<text::ReplyEvent> up_to_stop(std::vector<text::ReplyEvent> events);
  const text::ReplyParser* parser() const;

  std::variant<text::ReplyStream, text::StreamDecoder> source_;
  sampling::StopMatcher stops_;
  bool shows_thoughts_ = false;
  bool has_form_ = false;
  std::optional<RepetitionWatch> watch_;           // of what is not in a thought
  std::optional<RepetitionWatch> thoughts_watch_;  // of all: what it finds has whole thoughts in it
  std::int64_t since_thought_ = std::numeric_limits<std::int64_t>::max();  // tokens
  FinishReason reason_ = FinishReason::cancelled;
};

}  // namespace pleiad
