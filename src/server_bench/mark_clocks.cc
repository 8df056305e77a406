// What the server tells of its times, beside what our clock saw.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text_format.h"
#include "server_bench/mark_rules.h"

namespace pleiad::server_bench {
namespace {

/// Times that generation may have taken by our clock; empty: it saw none.
std::vector<double> generation_times(const Run& run, const Probes& probes) {
  const Answer& answer = run.answer;
  const auto n = static_cast<double>(*answer.generated_tokens);
  const auto with_first = [n](double seconds) { return seconds * n / (n - 1); };
  if (answer.n_pieces > 1 && !run.spoils(Figure::client_generation)) {
    const double window = answer.last_token_seconds - answer.first_token_seconds;
    std::vector<double> times = {window, with_first(window)};
    // Tokens that came together with the first one are not in the window.
    double all = 0, first = 0;
    for (const Piece& piece : answer.pieces) {
      all += static_cast<double>(piece.bytes);
      if (piece.seconds <= answer.first_token_seconds + window / 1000) {
        first += static_cast<double>(piece.bytes);
      }
    }
    if (all > 0 && first < all / 2) times.push_back(window / (1 - first / all));
    return times;
  }
  // Held back: all of the answer but a prompt as long with one token.
  if (!probes.any) return {};
  const double rest = answer.last_token_seconds - answer.load_seconds.value_or(0) - probes.median;
  if (rest <= 0) return {};
  return {rest, with_first(rest)};
}

/// Seconds by which two clocks may be apart.
double tolerance(double seconds) { return seconds < 2 * kShort ? seconds / 2 : seconds / 10; }

void mark_told_generation(Run& run, const Row& row) {
  const Answer& answer = run.answer;
  if (!answer.generated_tokens || *answer.generated_tokens < 2 || !answer.generation_seconds ||
      run.spoils(Figure::generation) || answer.n_pieces == 0) {
    return;
  }
  const bool alone = row.n_parallel == 1;
  const double told = *answer.generation_seconds;
  const std::vector<double> times = generation_times(run, probes_of(row));
  if (times.empty()) {
    add_mark(run.marks, "unchecked",
             "our clock has nothing to compare the server's account of generation with",
             {Figure::generation});
    return;
  }
  const bool agree = std::any_of(times.begin(), times.end(), [&](double seen) {
    // With company, the server's account may have the time of the others in it.
    return std::abs(told - seen) <= tolerance(seen) || (!alone && told > seen);
  });
  if (agree) return;
  // Pieces that came faster than their tokens were made are no measure either; an account that is
  // too short is not believed in its other half.
  const bool ours_is_off = told > times.front();
  std::vector<Figure> spoils = {Figure::generation,
                                ours_is_off ? Figure::client_generation : Figure::prefill};
  add_mark(run.marks, "clocks_differ",
           fmt::format("generation took {} by the server's account, {} by our clock",
                       format_seconds(told), format_seconds(times.front())),
           std::move(spoils));
}

/// The prompt of a run, beside the first piece and beside other prompts as long.
void mark_told_prompt(Run& run, const Row& row, const Expectation& expected) {
  const Answer& answer = run.answer;
  if (!answer.prompt_seconds || answer.n_pieces == 0 || run.spoils(Figure::prefill)) return;
  const double prompt = *answer.prompt_seconds;
  const double first = answer.first_token_seconds;
  if (prompt > first * 1.05 + 0.005) {
    add_mark(
        run.marks, "clocks_differ",
        fmt::format("the prompt took {} by the server's account, but the first piece came after {}",
                    format_seconds(prompt), format_seconds(first)),
        {Figure::prefill});
    return;
  }
  double quickest = expected.lone ? expected.lone->prompt_seconds.value_or(0) : 0;
  double slowest = 0;
  for (const Answer& probe : row.fresh) {
    if (!probe.prompt_seconds) continue;
    slowest = std::max(slowest, *probe.prompt_seconds);
    quickest = quickest == 0 ? *probe.prompt_seconds : std::min(quickest, *probe.prompt_seconds);
  }
  // With company it may take longer, as long as our clock sees when it ends.
  if (row.n_parallel > 1 && run.spoils(Figure::first_token) && quickest > 0 &&
      prompt > 2 * quickest + kShort) {
    add_mark(run.marks, "unchecked",
             fmt::format("its prompt took {} by the server's account, {} alone, and our clock did "
                         "not see it end",
                         format_seconds(prompt), format_seconds(quickest)),
             {Figure::prefill});
    return;
  }
  const bool quicker = prompt < quickest / 2 - 0.02;
  const bool slower = slowest > 0 && prompt > 2 * slowest + kShort;
  if (!quicker && !slower) return;
  add_mark(run.marks, "prompt_time",
           fmt::format("its prompt took {} by the server's account; a new one as long, for one "
                       "token, {}",
                       format_seconds(prompt), format_seconds(quicker ? quickest : slowest)),
           {Figure::prefill});
}

/// What the server's account of an answer leaves unexplained until the first piece: more than half
/// of what it explains, and more than `least`; otherwise 0.
double unexplained(const Answer& answer, double least, double way_seconds) {
  if (!answer.prompt_seconds || answer.n_pieces == 0) return 0;
  double explained = *answer.prompt_seconds + answer.load_seconds.value_or(0);
  if (answer.generation_seconds && answer.generated_tokens.value_or(0) > 0) {
    explained += *answer.generation_seconds / static_cast<double>(*answer.generated_tokens);
  }
  const double rest = answer.first_token_seconds - way_seconds - explained;
  return rest > explained / 2 + least ? rest : 0;
}

std::string waited_text(const Answer& answer) {
  return fmt::format(
      "the first piece came after {}, of which the server's account of the prompt explains {}",
      format_seconds(answer.first_token_seconds), format_seconds(*answer.prompt_seconds));
}

/// A queue, a proxy, or a duration that is told too short. All new prompts for one token: no busy
/// moment of a machine does that, so less is enough.
void mark_waiting(Row& row, double way_seconds) {
  const Answer* least = nullptr;
  for (const Answer& probe : row.fresh) {
    const double rest = unexplained(probe, 0.02, way_seconds);
    if (rest == 0) {
      least = nullptr;
      break;
    }
    if (!least || probe.first_token_seconds < least->first_token_seconds) least = &probe;
  }
  if (least) {
    add_mark(row.marks, "waited", "with all prompts for one token, " + waited_text(*least),
             {Figure::prefill});
    return;
  }
  for (Run& run : row.runs) {
    const bool hidden = run.spoils(Figure::first_token) && !has_code(run.marks, "late_start");
    if (!run.failure.empty() || hidden) continue;
    if (unexplained(run.answer, 0.1, way_seconds) == 0) continue;
    add_mark(run.marks, "waited", waited_text(run.answer), {Figure::prefill});
  }
}

struct PromptTimes {
  std::vector<double> first_token, told, n_tokens;
};

PromptTimes prompt_times(const std::vector<Answer>& answers) {
  PromptTimes times;
  for (const Answer& answer : answers) {
    if (!answer.prompt_seconds || !answer.prompt_tokens || answer.n_pieces == 0) continue;
    times.first_token.push_back(answer.first_token_seconds);
    times.told.push_back(*answer.prompt_seconds);
    times.n_tokens.push_back(static_cast<double>(*answer.prompt_tokens));
  }
  return times;
}

/// What longer prompts take more than shorter ones has nothing of the way, of queues and of other
/// costs of each request: both clocks must see the same.
void mark_prompt_slope(Row& row) {
  const PromptTimes few = prompt_times(row.fresh);
  const PromptTimes many = prompt_times(row.recounts);
  if (few.told.empty() || many.told.empty()) return;
  const auto more = [](const std::vector<double>& a, const std::vector<double>& b) {
    return spread_of(b).median - spread_of(a).median;
  };
  if (more(few.n_tokens, many.n_tokens) < 16) return;
  const double seen = more(few.first_token, many.first_token);
  const double told = more(few.told, many.told);
  if (std::abs(seen - told) <= 0.25 * std::max(seen, told) + 0.02) return;
  add_mark(row.marks, "prompt_time",
           fmt::format("prompts of {} tokens took {} more than those of {} by our clock, and {} by "
                       "the server's account",
                       spread_of(many.n_tokens).median, format_seconds(std::max(0.0, seen)),
                       spread_of(few.n_tokens).median, format_seconds(std::max(0.0, told))),
           {Figure::prefill});
}

}  // namespace

void mark_clocks(Row& row, const Expectation& expected) {
  for (Run& run : row.runs) {
    if (!run.failure.empty()) continue;
    mark_told_generation(run, row);
    mark_told_prompt(run, row, expected);
  }
  if (row.n_parallel > 1) return;
  mark_waiting(row, expected.way_seconds);
  mark_prompt_slope(row);
}

}  // namespace pleiad::server_bench
