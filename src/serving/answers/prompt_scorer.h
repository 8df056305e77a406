#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sampling/top_selector.h"
#include "serving/answer.h"
#include "text/tokenizer.h"

namespace pleiad::serving {

struct AnswerPrompt;

/// Throws RequestError where a prompt of so many tokens is too long to be scored.
void check_scored(const AnswerRequest::PromptLogprobs& wanted, std::size_t n_tokens);

/// Makes of a prompt's rows of logits what the model thought of its tokens; keeps of a row the
/// alternatives that are asked for.
class PromptScorer {
 public:
  /// `vocabulary` outlives it; the model's `vocab_size` may be larger. `ends`: the tokens that
  /// would end a reply.
  PromptScorer(const text::Vocabulary& vocabulary, std::size_t vocab_size,
               const AnswerRequest& request, const AnswerPrompt& prompt,
               std::vector<std::int32_t> ends);

  /// Some rows of [n, vocab_size], in the order of the prompt's tokens.
  void take(std::span<const float> rows);

  /// So many tokens are told together; whoever is told of them makes text of them while others
  /// wait for their next token.
  static constexpr std::size_t kToldTogether = 256;
  /// Enough came since the last time, or all: then take_scores().
  bool is_due() const {
    return scores_.tokens.size() >= kToldTogether || n_rows_ == prompt_.size();
  }
  /// What came since the last time.
  PromptScores take_scores();

 private:
  void take_row(std::span<const float> row);
  AnswerLogprob entry(std::span<const float> row, text::TokenId token);

  const text::Vocabulary& vocabulary_;
  const std::size_t vocab_size_;
  const std::size_t n_top_;
  const std::vector<text::TokenId> prompt_;
  std::vector<std::int32_t> ends_;
  sampling::TopSelector selector_;
  PromptScores scores_;
  std::size_t n_rows_ = 0;  // that were taken
};

}  // namespace pleiad::serving
