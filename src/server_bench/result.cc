#include "server_bench/result.h"

#include <fmt/format.h>

#include <algorithm>

namespace pleiad::server_bench {
namespace {

std::optional<double> rate(std::optional<double> count, std::optional<double> seconds) {
  if (!count || !seconds || *count <= 0 || *seconds <= 0) return std::nullopt;
  return *count / *seconds;
}

std::optional<double> generated(const Answer& answer) {
  if (answer.generated_tokens) return static_cast<double>(*answer.generated_tokens);
  return static_cast<double>(answer.n_pieces);
}

bool is_spoiled_by(const Mark& mark, Figure figure) {
  return std::find(mark.spoils.begin(), mark.spoils.end(), figure) != mark.spoils.end();
}

bool spoils_figure(const std::vector<Mark>& marks, Figure figure) {
  return std::any_of(marks.begin(), marks.end(),
                     [&](const Mark& mark) { return is_spoiled_by(mark, figure); });
}

void add_reasons(const std::vector<Mark>& marks, Figure figure, std::vector<std::string>& reasons) {
  for (const Mark& mark : marks) {
    const bool known = std::find(reasons.begin(), reasons.end(), mark.code) != reasons.end();
    if (!known && is_spoiled_by(mark, figure)) reasons.push_back(mark.code);
  }
}

std::vector<double> total_rates(const Row& row) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < row.round_seconds.size(); ++i) {
    if (row.round_seconds[i] > 0 && row.round_tokens[i] > 0) {
      rates.push_back(static_cast<double>(row.round_tokens[i]) / row.round_seconds[i]);
    }
  }
  return rates;
}

}  // namespace

std::string Shape::name() const { return fmt::format("{} -> {}", prompt_tokens, generated_tokens); }

bool has_code(const std::vector<Mark>& marks, const std::string& code) {
  return std::any_of(marks.begin(), marks.end(),
                     [&](const Mark& mark) { return mark.code == code; });
}

bool Run::spoils(Figure figure) const { return spoils_figure(marks, figure); }

std::optional<double> value_of(const Answer& answer, Figure figure) {
  const auto prompt = answer.prompt_tokens;
  switch (figure) {
    case Figure::generation:
      if (!answer.generated_tokens) return std::nullopt;
      return rate(*answer.generated_tokens, answer.generation_seconds);
    case Figure::client_generation:
      // The first piece begins the time, so its token is not in it.
      if (answer.n_pieces < 2) return std::nullopt;
      return rate(*generated(answer) - 1, answer.last_token_seconds - answer.first_token_seconds);
    case Figure::prefill:
      if (!prompt) return std::nullopt;
      return rate(*prompt - answer.cached_tokens.value_or(0), answer.prompt_seconds);
    case Figure::client_prefill:
      if (!prompt) return std::nullopt;
      return rate(*prompt - answer.cached_tokens.value_or(0), answer.first_token_seconds);
    case Figure::first_token:
      if (answer.n_pieces < 1) return std::nullopt;
      return answer.first_token_seconds;
    case Figure::total:
      break;  // of no single answer
  }
  return std::nullopt;
}

Summary summarize(const Row& row, Figure figure) {
  Summary summary;
  std::vector<double> values;
  bool any = false;
  add_reasons(row.marks, figure, summary.reasons);
  for (const Run& run : row.runs) add_reasons(run.marks, figure, summary.reasons);
  if (figure == Figure::total) {
    values = total_rates(row);
    any = !values.empty();
    if (!summary.reasons.empty()) values.clear();
  } else {
    const bool none = spoils_figure(row.marks, figure);
    for (const Run& run : row.runs) {
      if (!run.failure.empty()) continue;
      const auto value = value_of(run.answer, figure);
      any = any || value;
      if (value && !none && !run.spoils(figure)) values.push_back(*value);
    }
  }
  summary.n_used = static_cast<int>(values.size());
  summary.spoiled = any && values.empty();
  if (!values.empty()) summary.spread = spread_of(std::move(values));
  return summary;
}

}  // namespace pleiad::server_bench
