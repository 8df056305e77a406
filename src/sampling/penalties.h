#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sampling/options.h"

namespace pleiad::sampling {

/// Lowers the scores of tokens that were seen before.
///
/// repeat_penalty looks at the last repeat_last_n tokens of prompt and reply
/// alike, as llama.cpp and Ollama do: a positive score is divided by it, another
/// multiplied, once however often the token occurs.
///
/// presence_penalty and frequency_penalty look at the whole reply and never at
/// the prompt, as OpenAI describes them: a token that occurred n > 0 times loses
/// presence_penalty + n * frequency_penalty.
class Penalties {
 public:
  Penalties(const SamplingOptions& options, std::size_t vocab_size);

  /// False when no penalty can ever change a score.
  bool active() const { return repeats_count_ || replies_count_; }

  void accept_prompt(std::int32_t token);
  void accept_reply(std::int32_t token);
  /// Undoes the last accept_reply()s, which told of these tokens, in their order.
  void take_back_reply(std::span<const std::int32_t> tokens);

  void apply(std::span<float> scores) const;

 private:
  std::size_t first_in_window() const;

  std::size_t vocab_size_;
  double repeat_penalty_;
  int repeat_last_n_;
  double presence_penalty_;
  double frequency_penalty_;
  bool repeats_count_;
  bool replies_count_;

  std::vector<std::int32_t> history_;        // prompt and reply
  std::vector<std::int32_t> last_position_;  // [vocab_size], in history_
  std::vector<std::int32_t> n_in_reply_;     // [vocab_size]
  std::vector<std::int32_t> reply_tokens_;   // each once
};

}  // namespace pleiad::sampling
