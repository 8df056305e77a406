#pragma once

#include <optional>
#include <vector>

#include "engine/reply_reader.h"
#include "sampling/sampler.h"
#include "serving/answer.h"

namespace pleiad::serving {

/// Tokens -> deltas: what a reader sees, names for the calls, and the logprobs of the
/// tokens since the last delta. Tokens of a thought that is not shown have none. Of a call that the
/// reply's end cut off comes nothing more, and a warning.
class AnswerWriter {
 public:
  struct Options {
    bool logprobs = false;
    bool show_control = false;  // control tokens count as their spelling, as in `text`
    bool drop_thoughts = true;
    bool one_call = false;  // the reply ends after a tool call
  };
  AnswerWriter(const text::Vocabulary& vocabulary, ReplyReader reader, Options options)
      : vocabulary_(vocabulary), reader_(std::move(reader)), options_(options) {}

  std::vector<AnswerDelta> push(const sampling::SampledToken& token);
  /// `is_cut`: see ReplyReader::finish().
  std::vector<AnswerDelta> finish(FinishReason reason, bool is_cut = false);

  /// No more tokens are wanted.
  bool ended() const { return reader_.ended() || (options_.one_call && called_tools_); }
  /// What comes next belongs to a call, as far as is known.
  bool in_call() const { return reader_.in_call(); }
  /// The reply's end cut a call off; after finish().
  bool has_cut_call() const { return has_cut_call_; }
  /// Fills in what the reply knows of its end; after finish().
  void describe(AnswerResult& result);
  /// What a client has to be told of the reply's calls; after finish().
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  std::vector<AnswerDelta> deltas(std::vector<text::ReplyEvent> events);
  void note_logprob(const sampling::SampledToken& token);

  const text::Vocabulary& vocabulary_;
  ReplyReader reader_;
  Options options_;
  std::vector<AnswerLogprob> pending_;
  bool called_tools_ = false;
  bool has_cut_call_ = false;
  std::string open_call_;  // the id of the call that has begun
  std::vector<std::string> warnings_;
  std::int64_t thinking_tokens_ = 0;  // with the tags around the thoughts
};

/// What a token says; of a control token its spelling, where that is shown.
TokenText token_text(const text::Vocabulary& vocabulary, std::int32_t token, double logprob,
                     bool show_control);

/// "call_" and eight of [a-z0-9], at random.
std::string new_tool_call_id();

}  // namespace pleiad::serving
