#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/measurement_text.h"
#include "base/text_format.h"
#include "server_bench/mark_rules.h"

namespace pleiad::server_bench {
namespace {

const std::vector<Figure> kOfOurClock = {Figure::first_token, Figure::client_prefill,
                                         Figure::client_generation};

void mark_thinking(Run& run) {
  const Answer& answer = run.answer;
  const std::int64_t told = answer.thinking_tokens.value_or(0);
  if (answer.thinking_bytes > 0 || told > 0) {
    add_mark(run.marks, "thinking",
             told > 0 ? fmt::format("the model thought in {} tokens, though thinking is off", told)
                      : fmt::format("the model thought ({}), though thinking is off",
                                    format_bytes(answer.thinking_bytes)));
    return;
  }
  if (!answer.generated_tokens) return;
  // A token is a piece of the stream, or at least two bytes of it where pieces are put together.
  const double shown =
      std::max(static_cast<double>(answer.n_pieces), static_cast<double>(answer.text_bytes) / 2);
  const auto counted = static_cast<double>(*answer.generated_tokens);
  if (counted - shown <= std::max(8.0, counted / 4)) return;
  add_mark(
      run.marks, "hidden_tokens",
      fmt::format("the server counts {} generated tokens; what it showed ({} in {} pieces) is {} "
                  "at most: thoughts that are not shown, or tokens without text",
                  *answer.generated_tokens, format_bytes(answer.text_bytes), answer.n_pieces,
                  std::ceil(shown)),
      kOfOurClock);
}

/// Where text is held back, the first token is there long before its piece.
void mark_few_pieces(Run& run, const Shape& shape) {
  const Answer& answer = run.answer;
  // Uncounted, but cut at the length that was asked for.
  const std::int64_t cut_at = answer.finish_reason == "length" ? shape.generated_tokens : 0;
  const std::int64_t generated = answer.generated_tokens.value_or(cut_at);
  const bool is_hidden = run.spoils(Figure::client_generation);  // thoughts: known already
  constexpr std::int64_t kMostInAPiece = 8;
  if (is_hidden || generated < 16 || answer.n_pieces * kMostInAPiece >= generated) return;
  add_mark(
      run.marks, "buffered",
      fmt::format("{} tokens came in {}: the server, or something on the way, holds the text "
                  "back, and our clock does not see it begin",
                  generated,
                  answer.n_pieces == 1 ? "one piece" : fmt::format("{} pieces", answer.n_pieces)),
      kOfOurClock);
}

/// Many pieces, but all at the end. What generation takes is the server's account, or else how
/// much later than a single token (after `probe` seconds; 0: unknown) the first piece came.
void mark_late_pieces(Run& run, double probe) {
  const Answer& answer = run.answer;
  constexpr double kLongEnough = 0.1;  // seconds: shorter times say nothing
  if (answer.n_pieces < 2 || run.spoils(Figure::client_generation)) return;
  const double first = answer.first_token_seconds;
  const double window = answer.last_token_seconds - first;
  double expected = answer.generation_seconds.value_or(0);
  if (!answer.generation_seconds && probe > 0) expected = first - probe;
  // The text was held back for as long as it took to make.
  if (expected < kLongEnough || window > expected / 4) return;
  add_mark(run.marks, "buffered",
           fmt::format("all {} pieces came within {}, though making them took some {}: the server, "
                       "or something on the way, holds the text back",
                       answer.n_pieces, format_seconds(window), format_seconds(expected)),
           kOfOurClock);
}

/// Seconds of a prompt for one token, where every run began much later; otherwise 0.
double slowest_probe(const Row& row) {
  double probe = 0;
  for (const Answer& answer : row.fresh) probe = std::max(probe, answer.first_token_seconds);
  const bool all_later = std::all_of(row.runs.begin(), row.runs.end(), [&](const Run& run) {
    return run.answer.first_token_seconds > 2 * probe;
  });
  return all_later ? probe : 0;
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
    spoils = {Figure::generation, Figure::client_generation};
  }
  add_mark(run.marks, "early_stop",
           fmt::format(
               "the answer ended after {} of {} tokens ({})", generated, shape.generated_tokens,
               answer.finish_reason.empty() ? "no reason told" : printable(answer.finish_reason)),
           std::move(spoils));
}

/// Where what the server says of its speed cannot be what we saw.
void mark_disagreement(Run& run) {
  const Answer& answer = run.answer;
  const auto told = value_of(answer, Figure::generation);
  const auto seen = value_of(answer, Figure::client_generation);
  const double window = answer.last_token_seconds - answer.first_token_seconds;
  constexpr double kOftenEnough = 0.1;  // seconds: a shorter time says nothing
  if (told && seen && !run.spoils(Figure::client_generation) && window >= kOftenEnough &&
      std::abs(*told / *seen - 1) > 0.1) {
    add_mark(run.marks, "clocks_differ",
             fmt::format("generation: {} tokens/s by the server's account, {} by our clock",
                         short_number(*told), short_number(*seen)));
  }
  if (!answer.prompt_seconds || answer.n_pieces == 0) return;
  const double prompt = *answer.prompt_seconds;
  const double first = answer.first_token_seconds;
  if (prompt > first * 1.05 + 0.005) {
    add_mark(
        run.marks, "clocks_differ",
        fmt::format("the prompt took {} by the server's account, but the first piece came after {}",
                    format_seconds(prompt), format_seconds(first)));
  } else if (first > 1.5 * (prompt + answer.load_seconds.value_or(0)) + 0.1 &&
             !run.spoils(Figure::first_token)) {
    add_mark(
        run.marks, "waited",
        fmt::format("the first piece came after {}, of which the server's account of the prompt "
                    "explains {}",
                    format_seconds(first), format_seconds(prompt)));
  }
}

}  // namespace

void mark_answers(Row& row) {
  bool counted = true;
  for (Run& run : row.runs) {
    if (!run.failure.empty()) continue;
    mark_thinking(run);
    mark_few_pieces(run, row.shape);
    mark_length(run, row.shape);
    counted = counted && run.answer.generated_tokens;
  }
  if (!counted) {
    add_mark(row.marks, "no_counts",
             "the server does not count tokens: a piece of the stream is taken for one");
  }
}

void mark_clocks(Row& row) {
  // With company, the server's account has the time of the others in it.
  if (row.n_parallel > 1) return;
  const double probe = slowest_probe(row);
  for (Run& run : row.runs) {
    mark_late_pieces(run, probe);
    mark_disagreement(run);
  }
}

}  // namespace pleiad::server_bench
