// The report as people read it: what it was measured on, then a table.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/bench/report.h"
#include "apps/common/weights_text.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

constexpr std::size_t kColumns = 7;
using Row = std::array<std::string, kColumns>;

/// 5.4, 0.097, 123: three significant digits, never an exponent.
std::string short_number(double value) {
  return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

std::string operations(double per_second) {
  return per_second >= 1e11 ? short_number(per_second / 1e12) + " TFLOP/s"
                            : short_number(per_second / 1e9) + " GFLOP/s";
}

std::string bandwidth(double per_second) { return short_number(per_second / 1e9) + " GB/s"; }

Row row_of(const ThreadRun& run, const TestResult& result) {
  const bench::Spread& rate = result.tokens_per_second;
  const bool reads = result.bound == Bound::read;
  return {result.test.name(),
          std::string(name(result.test.kv_type)),
          std::to_string(run.threads),
          short_number(rate.median),
          fmt::format("{}..{}", short_number(rate.min), short_number(rate.max)),
          reads ? bandwidth(result.bytes_per_second) : operations(result.operations_per_second),
          fmt::format("{:.1f}% of {}", 100 * result.share_of_limit, name(result.bound))};
}

std::vector<Row> rows_of(const BenchReport& report) {
  std::vector<Row> rows = {
      {"test", "kv", "threads", "tokens/s", "min..max", "achieved", "of the limit"}};
  for (const ThreadRun& run : report.runs) {
    for (const TestResult& result : run.results) rows.push_back(row_of(run, result));
  }
  return rows;
}

std::vector<std::string> conditions(const BenchReport& report) {
  std::vector<std::string> lines = {
      fmt::format("{}, {}, {}; a token reads {:.1f} MB of weights", report.model_name,
                  report.model_type, format_bytes(report.model_bytes),
                  report.bytes_per_token / 1e6),
      fmt::format("{}, {}; {}", report.processor, report.isa, report.program)};
  for (const ThreadRun& run : report.runs) {
    const cpu::MachineLimits& limits = run.limits;
    std::string line = fmt::format(
        "{} thread{}: reads {} at most ({} in 4 KiB pages, {}), {} ({})", run.threads,
        run.threads == 1 ? "" : "s", bandwidth(limits.read_bytes_per_second),
        bandwidth(limits.small_page_bytes_per_second),
        limits.huge_pages ? bandwidth(limits.huge_page_bytes_per_second) + " in huge ones"
                          : std::string("no huge ones to be had"),
        operations(limits.float_operations_per_second), limits.float_instructions);
    if (limits.int8_operations_per_second > 0) {
      line += fmt::format(", {} TOP/s ({})", short_number(limits.int8_operations_per_second / 1e12),
                          limits.int8_instructions);
    }
    line += fmt::format("; loaded in {}", format_seconds(run.load_seconds));
    const std::string weights = weights_text(run.weights);
    if (!weights.empty()) line += ", weights: " + weights;
    if (run.peak_resident_bytes) {
      line += fmt::format(", {} resident at most", format_bytes(*run.peak_resident_bytes));
    }
    lines.push_back(line);
  }
  if (report.interrupted) lines.emplace_back("Interrupted: not every test was run.");
  return lines;
}

/// Columns of text are flush left, columns of numbers flush right.
bool is_number(std::size_t column) { return column >= 2 && column <= 4; }

std::string as_table(const std::vector<Row>& rows) {
  std::array<std::size_t, kColumns> widths = {};
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < kColumns; ++column) {
      if (column > 0) line += "  ";
      line += is_number(column) ? fmt::format("{:>{}}", row[column], widths[column])
                                : fmt::format("{:<{}}", row[column], widths[column]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string as_markdown(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    text += "|";
    for (const std::string& cell : row) text += fmt::format(" {} |", cell);
    text += "\n";
    if (&row != &rows.front()) continue;
    for (std::size_t column = 0; column < kColumns; ++column) {
      text += is_number(column) ? "|---:" : "|---";
    }
    text += "|\n";
  }
  return text;
}

}  // namespace

std::string report_as_text(const BenchReport& report, bool markdown) {
  std::string text;
  for (const std::string& line : conditions(report)) {
    text += fmt::format("{}{}\n", markdown ? "- " : "", line);
  }
  const std::vector<Row> rows = rows_of(report);
  return text + "\n" + (markdown ? as_markdown(rows) : as_table(rows));
}

}  // namespace pleiad::apps
