#include "server_bench/marks.h"

#include <algorithm>
#include <utility>

#include "server_bench/mark_rules.h"

namespace pleiad::server_bench {

void add_mark(std::vector<Mark>& marks, std::string code, std::string text,
              std::vector<Figure> spoils) {
  marks.push_back({std::move(code), std::move(text), std::move(spoils)});
}

Probes probes_of(const Row& row) {
  std::vector<double> seconds;
  for (const Answer& answer : row.fresh) {
    if (answer.n_pieces > 0) seconds.push_back(answer.first_token_seconds);
  }
  if (seconds.empty()) return {};
  const Spread spread = spread_of(std::move(seconds));
  return {spread.min, spread.median, spread.max, true};
}

Lone lone_of(const Row& row) {
  Lone lone;
  for (const Figure figure : kFigures) {
    if (Summary summary = summarize(row, figure); summary.spoiled) {
      lone.spoiled.emplace_back(figure, std::move(summary.reasons));
    }
  }
  const auto keep_least = [](std::optional<double>& least, double value) {
    least = std::min(least.value_or(value), value);
  };
  for (const Run& run : row.runs) {
    if (!run.failure.empty() || run.spoils(Figure::client_generation)) continue;
    if (run.answer.n_pieces < 2) continue;
    keep_least(lone.window, run.answer.last_token_seconds - run.answer.first_token_seconds);
  }
  if (const Probes probes = probes_of(row); probes.any) lone.first_token = probes.fastest;
  for (const Answer& answer : row.fresh) {
    if (answer.prompt_seconds) keep_least(lone.prompt_seconds, *answer.prompt_seconds);
  }
  return lone;
}

void mark(Row& row, const Expectation& expected) {
  mark_prompts(row, expected);
  mark_surroundings(row, expected);
  mark_answers(row);
  mark_pieces(row, expected);
  mark_clocks(row, expected);  // behind the others, which explain differences
  mark_spread(row);
  mark_company(row, expected);
}

}  // namespace pleiad::server_bench
