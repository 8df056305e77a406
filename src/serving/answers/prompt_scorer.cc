#include "serving/answers/prompt_scorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text_format.h"
#include "sampling/softmax.h"
#include "serving/answers/answer_prompt.h"
#include "serving/answers/answer_writer.h"
#include "serving/request_error.h"

namespace pleiad::serving {

void check_scored(const AnswerRequest::PromptLogprobs& wanted, std::size_t n_tokens) {
  if (std::cmp_less_equal(n_tokens, wanted.most_tokens)) return;
  throw bad_field(fmt::format(
      "{}: a prompt of {} tokens is too long for the log probabilities of all of them: expected {} "
      "at most with so many prompts and alternatives in one request",
      wanted.field, format_count(n_tokens),
      format_count(static_cast<std::uint64_t>(wanted.most_tokens))));
}

PromptScorer::PromptScorer(const text::Vocabulary& vocabulary, std::size_t vocab_size,
                           const AnswerRequest& request, const AnswerPrompt& prompt,
                           std::vector<std::int32_t> ends)
    : vocabulary_(vocabulary),
      vocab_size_(vocab_size),
      n_top_(static_cast<std::size_t>(request.prompt_logprobs->n_top)),
      prompt_(prompt.tokens),
      ends_(std::move(ends)) {
  std::erase_if(ends_, [&](std::int32_t token) {
    return token < 0 || static_cast<std::size_t>(token) >= vocab_size;
  });
  scores_.text = prompt.text;
  const auto bos = vocabulary.bos();
  scores_.began_with_bos = request.form == AnswerRequest::Form::text && bos &&
                           prompt_.front() == *bos &&
                           !prompt.text.starts_with(vocabulary.text(*bos));
  scores_.tokens.reserve(std::min(prompt_.size(), kToldTogether));
  scores_.tokens.push_back({token_text(vocabulary, prompt_.front(), 0, true), {}});
}

void PromptScorer::take(std::span<const float> rows) {
  for (; !rows.empty(); rows = rows.subspan(vocab_size_)) take_row(rows.first(vocab_size_));
}

/// A token's logits are those behind the token before it; the last row says what would come next.
void PromptScorer::take_row(std::span<const float> row) {
  if (++n_rows_ < prompt_.size()) {
    scores_.tokens.push_back(entry(row, prompt_[n_rows_]));
  } else if (!ends_.empty()) {
    scores_.end = entry(row, *std::ranges::max_element(ends_, {}, [&](std::int32_t token) {
                          return row[static_cast<std::size_t>(token)];
                        }));
  }
}

PromptScores PromptScorer::take_scores() {
  PromptScores next;
  next.begins = false;
  return std::exchange(scores_, std::move(next));
}

AnswerLogprob PromptScorer::entry(std::span<const float> row, text::TokenId token) {
  const double log_sum = sampling::log_sum_exp(row);
  const auto named = [&](text::TokenId id) {
    const double logit = row[static_cast<std::size_t>(id)];
    return token_text(vocabulary_, id, logit - log_sum, true);
  };
  AnswerLogprob entry;
  entry.token = named(token);
  const auto best = selector_.select(row, n_top_);
  std::ranges::sort(best, sampling::ranks_before);
  entry.top.reserve(best.size());
  for (const sampling::ScoredToken& scored : best) entry.top.push_back(named(scored.token));
  return entry;
}

}  // namespace pleiad::serving
