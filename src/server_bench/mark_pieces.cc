// Our clock sees pieces of text. These rules find pieces that did not come when they were made.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text_format.h"
#include "server_bench/mark_rules.h"

namespace pleiad::server_bench {
namespace {

/// So far a server's own account, or a single token's time, must be off to say something.
constexpr double kLongEnough = 0.1;

double window_of(const Answer& answer) {
  return answer.last_token_seconds - answer.first_token_seconds;
}

double n_tokens_of(const Answer& answer) {
  return static_cast<double>(answer.generated_tokens.value_or(answer.n_pieces));
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

/// Many pieces, but all at the end, by the server's own account of generation or beside answers
/// that nobody else slowed.
void mark_quick_pieces(Run& run, const std::optional<Lone>& lone) {
  const Answer& answer = run.answer;
  if (answer.n_pieces < 2 || run.spoils(Figure::client_generation)) return;
  const double window = window_of(answer);
  const double told = answer.generation_seconds.value_or(0);
  const double alone = lone && lone->window ? *lone->window : 0;
  double expected = 0;
  if (told >= kLongEnough && window <= told / 4) expected = told;
  if (alone >= kLongEnough && window <= alone / 4) expected = alone;
  if (expected == 0) return;
  add_mark(run.marks, "buffered",
           fmt::format("all {} pieces came within {}, though making them took some {}: the server, "
                       "or something on the way, holds the text back",
                       answer.n_pieces, format_seconds(window), format_seconds(expected)),
           kOfOurClock);
}

/// A steady stream has a twentieth of its text in a twentieth of its time. What comes at once with
/// the first piece was made before it, and our clock did not see that.
void mark_burst(Run& run) {
  const Answer& answer = run.answer;
  const double window = answer.n_pieces < 2 ? 0 : window_of(answer);
  if (window < kLongEnough || run.spoils(Figure::client_generation)) return;
  double n_bytes = 0, bytes_at_once = 0, pieces_at_once = 0;
  for (const Piece& piece : answer.pieces) {
    const bool at_once = piece.seconds <= answer.first_token_seconds + window / 20;
    n_bytes += static_cast<double>(piece.bytes);
    if (at_once) bytes_at_once += static_cast<double>(piece.bytes);
    pieces_at_once += at_once;
  }
  if (n_bytes <= 0) return;
  // Where a piece is a token, words of different lengths say nothing.
  const auto n_pieces = static_cast<double>(answer.n_pieces);
  const bool are_tokens = std::abs(n_pieces / n_tokens_of(answer) - 1) < 0.1;
  const double share = are_tokens ? pieces_at_once / n_pieces : bytes_at_once / n_bytes;
  if (share <= 0.15 || share * n_tokens_of(answer) <= 8) return;
  add_mark(
      run.marks, "buffered",
      fmt::format("{:.0f} % of the text came in the first 5 % of its time: it was made before, "
                  "and held back",
                  share * 100),
      kOfOurClock);
}

/// A first piece that has no token in it, to look quick: the next one comes when a token is there.
void mark_early_piece(Run& run) {
  const Answer& answer = run.answer;
  const std::size_t n = answer.pieces.size();
  if (n < 4 || run.spoils(Figure::first_token)) return;
  const double pause = answer.pieces[1].seconds - answer.pieces[0].seconds;
  const double usual =
      (answer.last_token_seconds - answer.pieces[1].seconds) / static_cast<double>(n - 2);
  double longest = 0;  // servers that step several tokens at a time pause before each step
  for (std::size_t i = 2; i < n; ++i) {
    longest = std::max(longest, answer.pieces[i].seconds - answer.pieces[i - 1].seconds);
  }
  if (pause < kShort || pause < 8 * usual || pause < 2 * longest) return;
  add_mark(run.marks, "early_piece",
           fmt::format("the second piece came {} after the first, the others every {}: the first "
                       "one was sent before there was a token",
                       format_seconds(pause), format_seconds(usual)),
           kOfOurClock);
}

/// The first piece comes no later than that of a prompt as long for a single token.
void mark_late(Row& row) {
  const Probes probes = probes_of(row);
  if (!probes.any) return;
  const auto is_late = [&](const Run& run) {
    const Answer& answer = run.answer;
    const double first = answer.first_token_seconds - answer.load_seconds.value_or(0);
    return run.failure.empty() && answer.n_pieces > 0 && first > 2 * probes.slowest &&
           first - probes.slowest > kLongEnough;
  };
  const bool all = std::all_of(row.runs.begin(), row.runs.end(), [&](const Run& run) {
    return !run.failure.empty() || run.answer.n_pieces == 0 || is_late(run);
  });
  for (Run& run : row.runs) {
    if (!is_late(run) || run.spoils(Figure::first_token)) continue;
    const std::string late = fmt::format(
        "the first piece came after {}; that of a new prompt as long, for one token, after {}",
        format_seconds(run.answer.first_token_seconds), format_seconds(probes.slowest));
    if (all) {
      add_mark(run.marks, "buffered",
               late + ": the text is held back, or something is made before it", kOfOurClock);
    } else {
      add_mark(run.marks, "late_start", late, {Figure::first_token, Figure::client_prefill});
    }
  }
}

/// A prompt's tokens are computed together, generated ones after each other: a model reads faster
/// than it writes. Where it writes 50 times as fast as it reads, it wrote before.
void mark_implausible(Run& run, const Shape& shape, double way_seconds) {
  constexpr double kTimes = 50;
  constexpr double kLeast = 0.02;  // seconds of reading; less is the way there and back
  const Answer& answer = run.answer;
  const double n = n_tokens_of(answer);
  if (answer.n_pieces < 2 || n < 16 || run.spoils(Figure::client_generation)) return;
  const auto prompt = static_cast<double>(std::max<std::int64_t>(
      1, answer.prompt_tokens.value_or(shape.prompt_tokens) - answer.cached_tokens.value_or(0)));
  const double reading = answer.first_token_seconds - answer.load_seconds.value_or(0) - way_seconds;
  const double writing = window_of(answer) / (n - 1);
  if (reading < kLeast || writing * kTimes >= reading / prompt) return;
  add_mark(run.marks, "implausible",
           fmt::format("{} tokens of the prompt took {}, {} generated ones {}: no model writes so "
                       "much faster than it reads",
                       prompt, format_seconds(reading), n, format_seconds(window_of(answer))),
           kEverything);
}

void mark_short(Run& run) {
  const Answer& answer = run.answer;
  if (answer.n_pieces == 0 || run.spoils(Figure::client_generation)) return;
  const double window = window_of(answer);
  if (answer.n_pieces > 1 && window >= kShort) return;
  add_mark(run.marks, "too_short",
           fmt::format("the text came within {}: too short for clocks to be compared closely; "
                       "longer answers (--shapes) are",
                       format_seconds(window)));
}

}  // namespace

void mark_pieces(Row& row, const Expectation& expected) {
  const bool alone = row.n_parallel == 1;
  for (Run& run : row.runs) {
    if (!run.failure.empty()) continue;
    mark_few_pieces(run, row.shape);
    mark_quick_pieces(run, expected.lone);
    mark_burst(run);
    // With company, prompts of others may come between any two pieces.
    if (alone) mark_early_piece(run);
  }
  if (alone) mark_late(row);
  for (Run& run : row.runs) {
    if (!run.failure.empty()) continue;
    if (alone) mark_implausible(run, row.shape, expected.way_seconds);
    mark_short(run);
  }
}

}  // namespace pleiad::server_bench
