#include "server_bench/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/measurement_text.h"
#include "base/text_format.h"

namespace pleiad::server_bench {
namespace {

const std::vector<Figure> kOfThePrompt = {Figure::prefill, Figure::client_prefill,
                                          Figure::first_token};

void add(std::vector<Mark>& marks, std::string code, std::string text,
         std::vector<Figure> spoils = {}) {
  marks.push_back({std::move(code), std::move(text), std::move(spoils)});
}

// ---- The prompt cache ----

/// Every prompt begins with the template, so finding that much is no hit: the rate counts
/// the other tokens. Two more, since later prompts share a letter or two.
void mark_told_hits(Run& run, const Expectation& expected) {
  const std::int64_t cached = run.answer.cached_tokens.value_or(0);
  if (cached <= expected.overhead + 2) return;
  add(run.marks, "cache_hit",
      fmt::format("{} of {} prompt tokens came from the server's cache", format_count(cached),
                  format_count(run.answer.prompt_tokens.value_or(0))),
      kOfThePrompt);
}

/// The time that a prompt took.
struct Clock {
  std::optional<double> (*seconds)(const Answer&);
  double noise;  // seconds that say nothing
  const char* name;
};
constexpr Clock kOurs = {[](const Answer& answer) { return value_of(answer, Figure::first_token); },
                         0.005, "by our clock"};
constexpr Clock kTheServers = {[](const Answer& answer) { return answer.prompt_seconds; }, 0.001,
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
      cache_evidence(all_of(row.fresh, clock), all_of(row.repeated, clock), clock.noise);
  if (!evidence.visible) return;
  const bool told = std::all_of(row.repeated.begin(), row.repeated.end(), [](const Answer& answer) {
    return answer.cached_tokens.value_or(0) > 0;
  });
  const bool noted = std::any_of(row.marks.begin(), row.marks.end(),
                                 [](const Mark& mark) { return mark.code == "untold_cache"; });
  if (!told && !noted) {
    add(row.marks, "untold_cache",
        fmt::format("a repeated prompt took {} at most where a new one took {} at least ({}), and "
                    "the server told of no cached tokens",
                    format_seconds(evidence.slowest_repeat), format_seconds(evidence.fastest_fresh),
                    clock.name));
  }
  for (Run& run : row.runs) {
    const auto took = clock.seconds(run.answer);
    if (!took || *took >= evidence.limit || run.spoils(Figure::prefill)) continue;
    add(run.marks, "silent_cache",
        fmt::format("its prompt took {} ({}), as a repeated one does ({}); a new one takes {}",
                    format_seconds(*took), clock.name, format_seconds(evidence.slowest_repeat),
                    format_seconds(evidence.fastest_fresh)),
        kOfThePrompt);
  }
}

// ---- Loading ----

/// Ollama's load_duration has some milliseconds of every request; ours is 0 where nothing
/// was loaded.
void mark_reload(Run& run, const Expectation& expected) {
  const double load = run.answer.load_seconds.value_or(0);
  const double usual = expected.product == Product::pleiad ? 0 : 0.3;
  if (load <= usual) return;
  add(run.marks, "reload",
      fmt::format("the model was loaded again, which took {}", format_seconds(load)),
      {Figure::first_token, Figure::client_prefill});
}

void mark_surroundings(Run& run, const Expectation& expected) {
  if (run.running) {
    bool is_there = false;
    std::string others;
    for (const RunningModel& model : *run.running) {
      if (is_same_model(model.name, expected.model)) {
        is_there = true;
      } else {
        others += (others.empty() ? "" : ", ") + printable(model.name, 100);
      }
    }
    if (!others.empty()) {
      add(run.marks, "other_models", "also in the server's memory: " + others);
    }
    if (!is_there) {
      add(run.marks, "unloaded", "the server had unloaded the model when it had answered");
    }
  }
  if (run.context_length && expected.context_length &&
      *run.context_length != *expected.context_length) {
    add(run.marks, "context_changed",
        fmt::format("the context length was {} when the model was loaded, and is {} now",
                    format_count(static_cast<std::uint64_t>(*expected.context_length)),
                    format_count(static_cast<std::uint64_t>(*run.context_length))));
  }
}

// ---- The answer ----

void mark_thinking(Run& run) {
  const Answer& answer = run.answer;
  const std::int64_t told = answer.thinking_tokens.value_or(0);
  if (answer.thinking_bytes > 0 || told > 0) {
    add(run.marks, "thinking",
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
  add(run.marks, "hidden_tokens",
      fmt::format("the server counts {} generated tokens; what it showed ({} in {} pieces) is {} "
                  "at most: thoughts that are not shown, or tokens without text",
                  *answer.generated_tokens, format_bytes(answer.text_bytes), answer.n_pieces,
                  std::ceil(shown)),
      {Figure::first_token, Figure::client_prefill, Figure::client_generation});
}

void mark_length(Run& run, const Shape& shape) {
  const Answer& answer = run.answer;
  const std::int64_t generated = answer.generated_tokens.value_or(answer.n_pieces);
  // Without a count, pieces stand for tokens, and some of them may have been put together.
  const bool cut = answer.finish_reason == "length";
  if (generated > shape.generated_tokens) {
    add(run.marks, "too_long",
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
  add(run.marks, "early_stop",
      fmt::format(
          "the answer ended after {} of {} tokens ({})", generated, shape.generated_tokens,
          answer.finish_reason.empty() ? "no reason told" : printable(answer.finish_reason)),
      std::move(spoils));
}

void mark_prompt_length(Run& run, const Shape& shape, const Expectation& expected) {
  if (!run.answer.prompt_tokens) return;
  const std::int64_t found = *run.answer.prompt_tokens;
  const std::int64_t off = std::abs(found - shape.prompt_tokens);
  if (!expected.counted || off <= std::max<std::int64_t>(1, shape.prompt_tokens / 10)) return;
  add(run.marks, "prompt_length",
      fmt::format("the prompt has {} tokens instead of {}", found, shape.prompt_tokens));
}

// ---- Two clocks ----

/// Where what the server says of its speed cannot be what we saw.
void mark_disagreement(Run& run) {
  const Answer& answer = run.answer;
  const auto told = value_of(answer, Figure::generation);
  const auto seen = value_of(answer, Figure::client_generation);
  const double window = answer.last_token_seconds - answer.first_token_seconds;
  constexpr double kOftenEnough = 0.1;  // seconds: a shorter time says nothing
  if (told && seen && !run.spoils(Figure::client_generation) && window >= kOftenEnough &&
      std::abs(*told / *seen - 1) > 0.1) {
    add(run.marks, "clocks_differ",
        fmt::format("generation: {} tokens/s by the server's account, {} by our clock",
                    short_number(*told), short_number(*seen)));
  }
  if (!answer.prompt_seconds || answer.n_pieces == 0) return;
  const double prompt = *answer.prompt_seconds;
  const double first = answer.first_token_seconds;
  if (prompt > first * 1.05 + 0.005) {
    add(run.marks, "clocks_differ",
        fmt::format("the prompt took {} by the server's account, but the first piece came after {}",
                    format_seconds(prompt), format_seconds(first)));
  } else if (first > 1.5 * (prompt + answer.load_seconds.value_or(0)) + 0.1 &&
             !run.spoils(Figure::first_token)) {
    add(run.marks, "waited",
        fmt::format("the first piece came after {}, of which the server's account of the prompt "
                    "explains {}",
                    format_seconds(first), format_seconds(prompt)));
  }
}

// ---- The machine ----

void mark_machine(Row& row, const Expectation& expected) {
  std::vector<double> clocks;
  std::optional<std::int64_t> events;
  for (const Run& run : row.runs) {
    if (run.machine.megahertz) clocks.push_back(*run.machine.megahertz);
    if (run.machine.throttle_events) events = run.machine.throttle_events;
  }
  if (clocks.size() > 1) {
    const Spread spread = spread_of(clocks);
    if (spread.min < 0.85 * spread.max) {
      add(row.marks, "clock",
          fmt::format("the processors ran at {:.0f} to {:.0f} MHz", spread.min, spread.max));
    }
  }
  if (events && expected.machine.throttle_events && *events > *expected.machine.throttle_events) {
    add(row.marks, "throttled",
        fmt::format("the processors were throttled for their heat {} times",
                    *events - *expected.machine.throttle_events));
  }
  const bool battery = std::any_of(row.runs.begin(), row.runs.end(), [](const Run& run) {
    return run.machine.on_battery.value_or(false);
  });
  if (battery) add(row.marks, "battery", "the machine ran on its battery");
}

/// Requests that were to run together, and did not.
void mark_company(Row& row) {
  if (row.n_parallel < 2) return;
  int n_failed = 0;
  std::string why;
  for (const Run& run : row.runs) {
    if (run.failure.empty()) continue;
    ++n_failed;
    why = run.failure;
  }
  if (n_failed > 0) {
    add(row.marks, "failed",
        fmt::format("{} of {} requests failed; the last: {}", n_failed, row.runs.size(), why));
  }
  bool overlap = false;
  for (const Run& a : row.runs) {
    for (const Run& b : row.runs) {
      const double begins = b.began + b.answer.first_token_seconds;
      overlap = overlap || (&a != &b && a.failure.empty() && b.failure.empty() &&
                            begins > a.began + a.answer.first_token_seconds &&
                            begins < a.began + a.answer.last_token_seconds);
    }
  }
  if (!overlap) {
    add(row.marks, "one_by_one", "the server answered the requests one after another");
  }
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

void mark(Row& row, const Expectation& expected) {
  for (Run& run : row.runs) {
    if (!run.failure.empty()) continue;
    mark_told_hits(run, expected);
    mark_reload(run, expected);
    mark_surroundings(run, expected);
    mark_thinking(run);
    mark_length(run, row.shape);
    mark_prompt_length(run, row.shape, expected);
  }
  mark_silent_hits(row, kOurs);
  mark_silent_hits(row, kTheServers);
  const bool no_count = std::any_of(row.runs.begin(), row.runs.end(), [](const Run& run) {
    return run.failure.empty() && !run.answer.generated_tokens;
  });
  if (no_count) {
    add(row.marks, "no_counts",
        "the server does not count tokens: a piece of the stream is taken for one");
  }
  // With company, the server's account has the time of the others in it.
  if (row.n_parallel == 1) {
    for (Run& run : row.runs) mark_disagreement(run);
  }
  mark_machine(row, expected);
  mark_company(row);
}

}  // namespace pleiad::server_bench
