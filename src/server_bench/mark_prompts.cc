#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/measurement_text.h"
#include "base/text_format.h"
#include "server_bench/mark_rules.h"

namespace pleiad::server_bench {
namespace {

/// Every prompt begins with the template, so finding that much is no hit: the rate counts
/// the other tokens. Two more, since later prompts share a letter or two.
void mark_told_hits(Run& run, const Expectation& expected) {
  const std::int64_t cached = run.answer.cached_tokens.value_or(0);
  if (cached <= expected.overhead + 2) return;
  add_mark(run.marks, "cache_hit",
           fmt::format("{} of {} prompt tokens came from the server's cache", format_count(cached),
                       format_count(run.answer.prompt_tokens.value_or(0))),
           kOfThePrompt);
}

/// Less than this says nothing: a busy machine takes it from either.
constexpr double kNoiseSeconds = 0.005;

/// The time that a prompt took.
struct Clock {
  std::optional<double> (*seconds)(const Answer&);
  const char* name;
};
constexpr Clock kOurs = {[](const Answer& answer) { return value_of(answer, Figure::first_token); },
                         "by our clock"};
constexpr Clock kTheServers = {[](const Answer& answer) { return answer.prompt_seconds; },
                               "by the server's account"};

std::vector<double> all_of(const std::vector<Answer>& answers, const Clock& clock) {
  std::vector<double> values;
  for (const Answer& answer : answers) {
    if (const auto value = clock.seconds(answer)) values.push_back(*value);
  }
  return values;
}

/// Hits that the server does not tell: its own repeats show what they look like.
void mark_silent_hits(Row& row, const Clock& clock) {
  const CacheEvidence evidence =
      cache_evidence(all_of(row.fresh, clock), all_of(row.repeated, clock), kNoiseSeconds);
  if (!evidence.visible) return;
  const bool told = std::all_of(row.repeated.begin(), row.repeated.end(), [](const Answer& answer) {
    return answer.cached_tokens.value_or(0) > 0;
  });
  const bool noted = std::any_of(row.marks.begin(), row.marks.end(),
                                 [](const Mark& mark) { return mark.code == "untold_cache"; });
  if (!told && !noted) {
    add_mark(
        row.marks, "untold_cache",
        fmt::format("a repeated prompt took {} at most where a new one took {} at least ({}), and "
                    "the server told of no cached tokens",
                    format_seconds(evidence.slowest_repeat), format_seconds(evidence.fastest_fresh),
                    clock.name));
  }
  for (Run& run : row.runs) {
    const auto took = clock.seconds(run.answer);
    if (!took || *took >= evidence.limit || run.spoils(Figure::prefill)) continue;
    add_mark(run.marks, "silent_cache",
             fmt::format("its prompt took {} ({}), as a repeated one does ({}); a new one takes {}",
                         format_seconds(*took), clock.name, format_seconds(evidence.slowest_repeat),
                         format_seconds(evidence.fastest_fresh)),
             kOfThePrompt);
  }
}

void mark_prompt_length(Run& run, const Shape& shape, const Expectation& expected) {
  if (!run.answer.prompt_tokens) return;
  const std::int64_t found = *run.answer.prompt_tokens;
  const std::int64_t off = std::abs(found - shape.prompt_tokens);
  if (!expected.counted || off <= std::max<std::int64_t>(1, shape.prompt_tokens / 10)) return;
  add_mark(run.marks, "prompt_length",
           fmt::format("the prompt has {} tokens instead of {}", found, shape.prompt_tokens),
           expected.exact && found > shape.prompt_tokens
               ? std::vector<Figure>{Figure::prefill, Figure::client_prefill}
               : std::vector<Figure>{});
}

/// With company nothing is quicker than alone, unless it was known before.
void mark_hits_in_company(Run& run, const Lone& lone) {
  const Answer& answer = run.answer;
  if (!lone.first_token || answer.n_pieces == 0 || run.spoils(Figure::first_token)) return;
  const double first = answer.first_token_seconds;
  if (first > 0.5 * *lone.first_token || first > *lone.first_token - kNoiseSeconds) return;
  add_mark(run.marks, "silent_cache",
           fmt::format("the first piece came after {}; that of a new prompt takes {} alone",
                       format_seconds(first), format_seconds(*lone.first_token)),
           kOfThePrompt);
}

/// No words have fewer tokens than one: where all counts are multiples, they were multiplied.
void mark_counts(Row& row, const Expectation& expected) {
  if (expected.counts_step <= 1) return;
  add_mark(row.marks, "prompt_counts",
           fmt::format("whatever is added to a prompt, the server's count grows by a multiple of "
                       "{}: these are not tokens",
                       expected.counts_step),
           {Figure::generation, Figure::client_generation, Figure::total, Figure::prefill,
            Figure::client_prefill});
}

}  // namespace

CacheEvidence cache_evidence(const std::vector<double>& fresh, const std::vector<double>& repeated,
                             double noise) {
  CacheEvidence evidence;
  if (fresh.empty() || repeated.empty()) return evidence;
  evidence.fastest_fresh = *std::min_element(fresh.begin(), fresh.end());
  evidence.slowest_repeat = *std::max_element(repeated.begin(), repeated.end());
  evidence.visible = evidence.slowest_repeat < 0.7 * evidence.fastest_fresh &&
                     evidence.slowest_repeat < evidence.fastest_fresh - noise;
  evidence.limit = std::sqrt(evidence.fastest_fresh * evidence.slowest_repeat);
  return evidence;
}

void mark_prompts(Row& row, const Expectation& expected) {
  for (Run& run : row.runs) {
    if (!run.failure.empty()) continue;
    mark_told_hits(run, expected);
    mark_prompt_length(run, row.shape, expected);
    if (expected.lone) mark_hits_in_company(run, *expected.lone);
  }
  mark_counts(row, expected);
  mark_silent_hits(row, kOurs);
  mark_silent_hits(row, kTheServers);
}

}  // namespace pleiad::server_bench
