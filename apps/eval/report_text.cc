// The report as people read it.

#include <algorithm>
#include <cmath>
#include <set>

#include "apps/eval/report.h"
#include "base/text_format.h"
#include "base/text_table.h"

namespace pleiad::apps {
namespace {

std::string count(std::int64_t n) { return format_count(static_cast<std::uint64_t>(n)); }

/// Of names, which may come from files: one line.
std::string one_line(const std::string& text) { return printable(text, std::string::npos); }

/// "0.0123..0.0145", or a dash where nothing bounds it.
std::string range(eval::Interval interval, int digits) {
  if (!std::isfinite(interval.low) || !std::isfinite(interval.high)) return "-";
  return fmt::format("{:.{}f}..{:.{}f}", interval.low, digits, interval.high, digits);
}

eval::Interval scaled(eval::Interval interval, double factor) {
  return {interval.low * factor, interval.high * factor};
}

/// The first row has the titles; names stand in the first column, numbers in the others.
/// Shorter rows end with empty cells.
std::string as_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<TextTable::Column> columns;
  for (const std::string& title : rows.front()) columns.push_back({title, !columns.empty()});
  TextTable table(columns);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    std::vector<std::string> row = rows[i];
    row.resize(columns.size());
    table.add(std::move(row));
  }
  return table.text();
}

std::string describe_windows(const EvalReport::Text& text) {
  const eval::WindowOptions& windows = text.windows;
  return windows.method == eval::WindowMethod::sliding
             ? fmt::format("windows of {} with a stride of {}", count(windows.context),
                           count(windows.stride))
             : fmt::format("chunks of {}, of which the second half counts", count(windows.context));
}

std::string comparison_text(const eval::TextComparison& comparison, const std::string& judged) {
  const eval::DivergenceSummary& tokens = comparison.tokens;
  const eval::GroupedMean& kl = tokens.divergence();
  std::string text = fmt::format("\n{} against {}, 95 % intervals from {} windows:\n",
                                 one_line(judged), one_line(comparison.reference), kl.groups());
  std::vector<std::vector<std::string>> rows = {{"", "value", "interval"}};
  rows.push_back(
      {"KL divergence, mean (nats)", fmt::format("{:.6f}", kl.mean()), range(kl.interval(), 6)});
  if (tokens.bound() > 0) {
    rows.push_back({"  may be more by at most", fmt::format("{:.6f}", tokens.bound()), ""});
  }
  for (const double share : {0.5, 0.9, 0.99, 0.999, 1.0}) {
    rows.push_back(
        {share == 1.0 ? std::string("  largest") : fmt::format("  {:g} % below", 100 * share),
         fmt::format("{:.6f}", tokens.quantile(share)), ""});
  }
  const eval::GroupedMean& same = tokens.same_top();
  rows.push_back({"same likeliest token (%)", fmt::format("{:.2f}", 100 * same.mean()),
                  range(scaled(same.interval(), 100), 2)});
  const eval::Interval squares = tokens.squared_difference().interval();
  rows.push_back(
      {"RMS difference of the token's probability (%)",
       fmt::format("{:.3f}", 100 * std::sqrt(tokens.squared_difference().mean())),
       range({100 * std::sqrt(std::max(0.0, squares.low)), 100 * std::sqrt(squares.high)}, 3)});
  rows.push_back({"mean difference of the token's probability (%)",
                  fmt::format("{:.3f}", 100 * tokens.difference().mean()),
                  range(scaled(tokens.difference().interval(), 100), 3)});
  const eval::Interval ratio = comparison.loss_difference.interval();
  rows.push_back({"ratio of the perplexities",
                  fmt::format("{:.5f}", std::exp(comparison.loss_difference.mean())),
                  range({std::exp(ratio.low), std::exp(ratio.high)}, 5)});
  return text + as_table(rows);
}

std::string text_part(const EvalReport& report) {
  const EvalReport::Text& text = *report.text;
  const eval::TextReport& result = text.result;
  std::string out =
      fmt::format("{}: {} tokens in {}{}, {} of which count; cache {}\n\n", one_line(text.source),
                  count(result.n_text_tokens), describe_windows(text),
                  result.complete() ? ""
                                    : fmt::format(" (PARTIAL: {} of {})", count(result.n_windows),
                                                  count(result.n_windows_asked)),
                  count(result.models.front().loss.count()), text.kv_type);
  if (result.n_windows == 0) return out + "Not one window was finished.\n";
  std::vector<std::vector<std::string>> rows = {
      {"model", "perplexity", "95 % interval", "error if tokens were independent"}};
  for (const eval::Perplexity& model : result.models) {
    rows.push_back({model.model, fmt::format("{:.4f}", model.value()), range(model.interval(), 4),
                    fmt::format("{:.5f}", model.standard_error())});
  }
  out += as_table(rows);
  if (result.comparison) out += comparison_text(*result.comparison, result.models.back().model);
  return out;
}

std::vector<std::string> battery_row(const std::string& name,
                                     const std::vector<const eval::CheckResult*>& results) {
  std::vector<std::string> row = {name};
  for (const eval::CheckResult* result : results) {
    if (!result->skipped.empty()) {
      row.insert(row.end(), {"skipped", ""});
      continue;
    }
    row.push_back(fmt::format("{}/{}", result->right(), result->n()));
    row.push_back(result->n() == 0 ? "-" : range(scaled(result->interval(), 100), 0));
  }
  const bool both_ran = std::ranges::all_of(
      results, [](const eval::CheckResult* result) { return result->skipped.empty(); });
  if (results.size() == 2 && both_ran) {
    const eval::PairedCounts pairs = eval::pair_checks(*results[0], *results[1]);
    row.push_back(pairs.n == 0 ? "-" : fmt::format("{:+.0f}", 100 * pairs.difference()));
    row.push_back(pairs.n == 0 ? "-" : range(scaled(eval::paired_interval(pairs), 100), 0));
  }
  return row;
}

std::string battery_table(const std::vector<eval::BatteryReport>& results) {
  std::vector<std::vector<std::string>> rows = {{"check"}};
  for (const eval::BatteryReport& result : results) {
    rows.front().insert(rows.front().end(), {result.model, "95 % of 100"});
  }
  if (results.size() == 2) rows.front().insert(rows.front().end(), {"difference", "95 %"});
  for (std::size_t i = 0; i < results.front().checks.size(); ++i) {
    std::vector<const eval::CheckResult*> checks;
    for (const eval::BatteryReport& result : results) {
      if (i < result.checks.size()) checks.push_back(&result.checks[i]);
    }
    rows.push_back(battery_row(results.front().checks[i].name, checks));
  }
  rows.push_back({"all"});
  for (const eval::BatteryReport& result : results) {
    const eval::Interval interval = eval::wilson_interval(result.right(), result.n());
    rows.back().push_back(fmt::format("{}/{}", result.right(), result.n()));
    rows.back().push_back(result.n() == 0 ? "-" : range(scaled(interval, 100), 0));
  }
  if (results.size() == 2) {
    const eval::PairedCounts pairs = eval::pair_reports(results[0], results[1]);
    rows.back().push_back(fmt::format("{:+.1f}", 100 * pairs.difference()));
    rows.back().push_back(range(scaled(eval::paired_interval(pairs), 100), 1));
  }
  return as_table(rows);
}

/// What checks with pictures and sounds come to for who sees and hears nothing.
std::string guesses_of(const eval::BatteryReport& result) {
  std::string text;
  for (const eval::CheckResult& check : result.checks) {
    if (!check.guessed) continue;
    text += fmt::format("{}{} {}/{}", text.empty() ? "" : ", ", check.name, *check.guessed,
                        check.n_questions);
  }
  return text.empty() ? "" : fmt::format("by guessing, without looking or listening: {}\n", text);
}

std::string failures_of(const eval::BatteryReport& result) {
  std::string text;
  for (const eval::CheckResult& check : result.checks) {
    for (const eval::CaseResult& item : check.cases) {
      if (item.right) continue;
      const std::string sample = item.sample > 0 ? fmt::format(".{}", item.sample + 1) : "";
      text += fmt::format("  {}/{}{}: {}\n", check.name, item.id, sample, one_line(item.why));
    }
  }
  return text.empty() ? "" : fmt::format("\n{}, not right:\n{}", one_line(result.model), text);
}

std::string battery_part(const EvalReport::Battery& battery, bool with_failures) {
  std::string out = fmt::format(
      "{}, {}{}\n\n",
      battery.n_samples == 1 ? std::string("one answer to each question")
                             : fmt::format("{} answers to each question", battery.n_samples),
      battery.greedy ? "greedy" : "sampled as the model's own settings say",
      battery.think ? ", thinking" : "");
  out += battery_table(battery.results) + guesses_of(battery.results.front());
  for (const eval::BatteryReport& result : battery.results) {
    if (!result.complete) {
      out += fmt::format("PARTIAL: {} was interrupted; what was finished counts.\n",
                         one_line(result.model));
    }
  }
  std::set<std::string> told;  // what is missing on this machine is so for both models
  for (const eval::BatteryReport& result : battery.results) {
    for (const eval::CheckResult& check : result.checks) {
      if (check.skipped.empty()) continue;
      const std::string line = fmt::format("{}: {}\n", check.name, one_line(check.skipped));
      if (told.insert(line).second) out += line;
    }
  }
  if (with_failures) {
    for (const eval::BatteryReport& result : battery.results) out += failures_of(result);
  }
  return out;
}

}  // namespace

std::string eval_report_as_text(const EvalReport& report, bool with_failures) {
  std::string text;
  for (const EvalModel& model : report.models) {
    text += fmt::format("{}: {}\n", one_line(model.name), one_line(model.kind));
  }
  text += report.program + "\n\n";
  if (report.text) text += text_part(report);
  if (report.text && report.battery) text += "\n";
  if (report.battery) text += battery_part(*report.battery, with_failures);
  if (report.interrupted) text += "\nInterrupted: not everything was evaluated.\n";
  return text;
}

}  // namespace pleiad::apps
