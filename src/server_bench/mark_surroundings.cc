#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/measurement_text.h"
#include "base/text_format.h"
#include "server_bench/mark_rules.h"
#include "server_bench/report.h"

namespace pleiad::server_bench {
namespace {

/// Ollama's load_duration has some milliseconds of every request; ours is 0 where nothing
/// was loaded.
void mark_reload(Run& run, const Expectation& expected) {
  const double load = run.answer.load_seconds.value_or(0);
  const double usual = expected.product == Product::pleiad ? 0 : 0.3;
  if (load <= usual) return;
  add_mark(run.marks, "reload",
           fmt::format("the model was loaded again, which took {}", format_seconds(load)),
           {Figure::first_token, Figure::client_prefill});
}

/// The context is the one that was asked for, and stays as it was.
void mark_context(Run& run, const Expectation& expected) {
  const auto count = [](std::int64_t n) { return format_count(static_cast<std::uint64_t>(n)); };
  const auto& now = run.context_length;
  if (!now) {
    if (expected.asked_context) {
      add_mark(run.marks, "context_untold",
               fmt::format("a context length of {} was asked for; which one it is was not told",
                           count(*expected.asked_context)));
    }
    return;
  }
  if (expected.asked_context && *now != *expected.asked_context) {
    add_mark(run.marks, "context_changed",
             fmt::format("a context length of {} was asked for, and it is {}",
                         count(*expected.asked_context), count(*now)));
  } else if (expected.context_length && *now != *expected.context_length) {
    add_mark(run.marks, "context_changed",
             fmt::format("the context length was {} when the model was loaded, and is {} now",
                         count(*expected.context_length), count(*now)));
  }
}

void mark_memory(Run& run, const Expectation& expected) {
  bool is_there = true;
  if (run.running) {
    is_there = false;
    std::string others;
    for (const RunningModel& model : *run.running) {
      if (is_same_model(model.name, expected.model)) {
        is_there = true;
      } else {
        others += (others.empty() ? "" : ", ") + printable(model.name, 100);
      }
    }
    if (!others.empty()) {
      add_mark(run.marks, "other_models", "also in the server's memory: " + others);
    }
    if (!is_there) {
      add_mark(run.marks, "unloaded", "the server had unloaded the model when it had answered");
    }
  }
  if (is_there) mark_context(run, expected);
}

/// Lower case, without a folder and the ending of a file.
std::string plain_name(const std::string& name) {
  std::string plain = name.substr(name.rfind('/') + 1);
  for (char& c : plain) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (plain.ends_with(".gguf")) plain.resize(plain.size() - 5);
  return plain;
}

/// "-2024-08-06"
bool is_date(std::string_view tail) {
  constexpr std::string_view kForm = "-dddd-dd-dd";
  if (tail.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < tail.size(); ++i) {
    const bool digit = tail[i] >= '0' && tail[i] <= '9';
    if (kForm[i] == 'd' ? !digit : tail[i] != '-') return false;
  }
  return true;
}

bool is_listed(const std::string& name, const std::vector<std::string>& listed) {
  return std::any_of(listed.begin(), listed.end(), [&](const std::string& one) {
    return is_same_model(plain_name(one), plain_name(name));
  });
}

void mark_model(Run& run, const Expectation& expected) {
  for (const std::string& told : run.answer.models) {
    if (is_model_asked_for(told, expected)) continue;
    add_mark(run.marks, "other_model",
             fmt::format("the answer says that it is from {}", printable(told, 100)), kEverything);
    return;
  }
}

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
      add_mark(row.marks, "clock",
               fmt::format("the processors ran at {:.0f} to {:.0f} MHz", spread.min, spread.max));
    }
  }
  if (events && expected.machine.throttle_events && *events > *expected.machine.throttle_events) {
    add_mark(row.marks, "throttled",
             fmt::format("the processors were throttled for their heat {} times",
                         *events - *expected.machine.throttle_events));
  }
  const bool battery = std::any_of(row.runs.begin(), row.runs.end(), [](const Run& run) {
    return run.machine.on_battery.value_or(false);
  });
  if (battery) add_mark(row.marks, "battery", "the machine ran on its battery");
}

}  // namespace

bool is_model_asked_for(const std::string& told, const Expectation& expected) {
  const std::string asked = plain_name(expected.model);
  const std::string name = plain_name(told);
  if (is_same_model(asked, name)) return true;
  if (name.starts_with(asked) && is_date(std::string_view(name).substr(asked.size()))) return true;
  // A server of one model takes any name, and tells its own.
  return !is_listed(expected.model, expected.listed) &&
         (expected.listed.empty() || is_listed(told, expected.listed));
}

void mark_surroundings(Row& row, const Expectation& expected) {
  for (Run& run : row.runs) {
    if (!run.failure.empty()) continue;
    mark_model(run, expected);
    mark_reload(run, expected);
    mark_memory(run, expected);
  }
  mark_machine(row, expected);
}

void mark_company(Row& row, const Expectation& expected) {
  if (row.n_parallel < 2) return;
  if (expected.lone && !expected.lone->spoiled.empty()) {
    std::string why;
    std::vector<Figure> spoils;
    for (const auto& [figure, reasons] : expected.lone->spoiled) {
      spoils.push_back(figure);
      why +=
          fmt::format("{}{} ({})", why.empty() ? "" : "; ", name(figure), fmt::join(reasons, ", "));
    }
    add_mark(row.marks, "as_alone", "spoiled alone, so with company too: " + why,
             std::move(spoils));
  }
  int n_failed = 0;
  std::string why;
  for (const Run& run : row.runs) {
    if (run.failure.empty()) continue;
    ++n_failed;
    why = run.failure;
  }
  if (n_failed > 0) {
    add_mark(row.marks, "failed",
             fmt::format("{} of {} requests failed; the last: {}", n_failed, row.runs.size(), why),
             {Figure::total});
  }
  bool overlap = false;
  bool any_text = false;
  for (const Run& a : row.runs) {
    any_text = any_text || a.answer.n_pieces > 1;
    for (const Run& b : row.runs) {
      const double begins = b.began + b.answer.first_token_seconds;
      overlap = overlap || (&a != &b && a.failure.empty() && b.failure.empty() &&
                            begins >= a.began + a.answer.first_token_seconds &&
                            begins < a.began + a.answer.last_token_seconds);
    }
  }
  if (!overlap && any_text) {
    add_mark(row.marks, "one_by_one", "the server answered the requests one after another");
  }
}

}  // namespace pleiad::server_bench
