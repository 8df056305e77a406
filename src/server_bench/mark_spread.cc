#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text_format.h"
#include "server_bench/mark_rules.h"

namespace pleiad::server_bench {
namespace {

/// Seconds that stand behind a figure of a run; those of generation for the length asked for.
std::optional<double> seconds_of(const Run& run, Figure figure, const Shape& shape) {
  const auto value = value_of(run.answer, figure);
  if (!value || run.spoils(figure)) return std::nullopt;
  switch (figure) {
    case Figure::prefill:
      return run.answer.prompt_seconds;
    case Figure::client_prefill:
    case Figure::first_token:
      return run.answer.first_token_seconds;
    default:
      return static_cast<double>(shape.generated_tokens) / *value;
  }
}

const char* subject(Figure figure) {
  switch (figure) {
    case Figure::generation:
      return "generation, by the server's account";
    case Figure::client_generation:
      return "generation";
    case Figure::prefill:
      return "the prompt, by the server's account";
    default:
      return "the first piece";
  }
}

}  // namespace

/// Half as slow or as fast again as the median says that something else was going on: a load that
/// is not told, other work on the machine. It shall not hide in the least and the most.
void mark_spread(Row& row) {
  constexpr double kTimes = 1.5;
  if (row.n_parallel > 1) return;
  std::vector<Mark> found(row.runs.size());
  for (const Figure figure : kFigures) {
    std::vector<double> values;
    for (const Run& run : row.runs) {
      if (!run.failure.empty()) continue;
      if (const auto seconds = seconds_of(run, figure, row.shape)) values.push_back(*seconds);
    }
    if (values.size() < 3) continue;
    const double median = spread_of(std::move(values)).median;
    for (std::size_t i = 0; i < row.runs.size(); ++i) {
      if (!row.runs[i].failure.empty()) continue;
      const auto seconds = seconds_of(row.runs[i], figure, row.shape);
      if (!seconds || std::abs(*seconds - median) <= kShort) continue;
      if (*seconds <= kTimes * median && *seconds * kTimes >= median) continue;
      found[i].spoils.push_back(figure);
      if (!found[i].text.empty()) continue;
      found[i].text = fmt::format("{} took {}, in the median of the runs {}", subject(figure),
                                  format_seconds(*seconds), format_seconds(median));
    }
  }
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    if (found[i].text.empty()) continue;
    add_mark(row.runs[i].marks, "uneven", found[i].text, found[i].spoils);
  }
}

}  // namespace pleiad::server_bench
