#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/measurement_text.h"
#include "base/text_format.h"
#include "server_bench/mark_rules.h"

namespace pleiad::server_bench {
namespace {

/// Thoughts whose text is shown are counted with it; others nobody can count.
void mark_thinking(Run& run) {
  const Answer& answer = run.answer;
  const std::int64_t told = answer.thinking_tokens.value_or(0);
  if (answer.thinking_bytes == 0 && told == 0) return;
  add_mark(run.marks, "thinking",
           told > 0 ? fmt::format("the model thought in {} tokens, though thinking is off", told)
                    : fmt::format("the model thought ({}), though thinking is off",
                                  format_bytes(answer.thinking_bytes)),
           answer.thinking_bytes > 0 ? std::vector<Figure>{} : kOfCountsAndOurClock);
}

/// At most so many tokens are in what was shown. Where the server did not count the text again, a
/// token is a piece of the stream, or at least two bytes of it where pieces are put together.
double most_shown(const Answer& answer) {
  const bool untold = answer.thinking_bytes == 0;
  const auto thoughts = static_cast<double>(untold ? answer.thinking_tokens.value_or(0) : 0);
  if (answer.recounted_tokens) return thoughts + static_cast<double>(*answer.recounted_tokens);
  const auto bytes = static_cast<double>(answer.text_bytes + answer.thinking_bytes);
  return thoughts + std::max(static_cast<double>(answer.n_pieces), bytes / 2);
}

void mark_hidden(Run& run) {
  const Answer& answer = run.answer;
  if (answer.n_pieces == 0) {
    add_mark(run.marks, "empty",
             fmt::format("the answer has no text{}",
                         answer.generated_tokens ? fmt::format("; the server counts {} tokens",
                                                               *answer.generated_tokens)
                                                 : ""),
             kOfCountsAndOurClock);
    return;
  }
  if (!answer.generated_tokens) return;
  if (counts_more_than_shown(answer)) {
    add_mark(run.marks, "hidden_tokens",
             fmt::format("the server counts {} generated tokens; what it showed ({} in {} pieces) "
                         "is {} {}: thoughts that are not shown, tokens without text, or none",
                         *answer.generated_tokens,
                         format_bytes(answer.text_bytes + answer.thinking_bytes), answer.n_pieces,
                         std::ceil(most_shown(answer)),
                         answer.recounted_tokens ? "by its own count of that text" : "at most"),
             kOfCountsAndOurClock);
  } else if (answer.recount_failed) {
    add_mark(run.marks, "not_recounted",
             "the server would not count the text of its answer, sent back as a prompt",
             kOfCountsAndOurClock);
  }
}

void mark_length(Run& run, const Shape& shape) {
  const Answer& answer = run.answer;
  const std::int64_t generated = answer.generated_tokens.value_or(answer.n_pieces);
  // Without a count, pieces stand for tokens, and some of them may have been put together.
  const bool cut = answer.finish_reason == "length";
  if (generated > shape.generated_tokens) {
    add_mark(run.marks, "too_long",
             fmt::format("{} tokens were asked for, {} came", shape.generated_tokens, generated));
  }
  if (cut ? !answer.generated_tokens || generated >= shape.generated_tokens
          : generated >= shape.generated_tokens) {
    return;
  }
  std::vector<Figure> spoils;
  if (generated < shape.generated_tokens / 2) {
    spoils = {Figure::generation, Figure::client_generation, Figure::total};
  }
  add_mark(run.marks, "early_stop",
           fmt::format(
               "the answer ended after {} of {} tokens ({})", generated, shape.generated_tokens,
               answer.finish_reason.empty() ? "no reason told" : printable(answer.finish_reason)),
           std::move(spoils));
}

}  // namespace

bool counts_more_than_shown(const Answer& answer) {
  if (!answer.generated_tokens) return false;
  const auto counted = static_cast<double>(*answer.generated_tokens);
  return counted - most_shown(answer) > std::max(8.0, counted / 4);
}

void mark_answers(Row& row) {
  bool counted = true;
  for (Run& run : row.runs) {
    if (!run.failure.empty()) continue;
    mark_thinking(run);
    mark_hidden(run);
    mark_length(run, row.shape);
    counted = counted && run.answer.generated_tokens;
  }
  if (!counted) {
    add_mark(row.marks, "no_counts",
             "the server does not count tokens: a piece of the stream is taken for one");
  }
}

}  // namespace pleiad::server_bench
