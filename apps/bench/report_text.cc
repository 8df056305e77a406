// The report as people read it: what it was measured on, then a table.

#include <fmt/format.h>

#include "apps/bench/report.h"
#include "apps/common/weights_text.h"
#include "base/measurement_text.h"
#include "base/text_format.h"
#include "base/text_table.h"

namespace pleiad::apps {
namespace {

std::string operations(double per_second) {
  return per_second >= 1e11 ? short_number(per_second / 1e12) + " TFLOP/s"
                            : short_number(per_second / 1e9) + " GFLOP/s";
}

std::string bandwidth(double per_second) { return short_number(per_second / 1e9) + " GB/s"; }

TextTable table_of(const BenchReport& report) {
  TextTable table({{"test"},
                   {"kv"},
                   {"threads", true},
                   {"tokens/s", true},
                   {"min..max", true},
                   {"achieved"},
                   {"of the limit"}});
  for (const ThreadRun& run : report.runs) {
    for (const TestResult& result : run.results) {
      const Spread& rate = result.tokens_per_second;
      const bool reads = result.bound == Bound::read;
      table.add(
          {result.test.name(), std::string(name(result.test.kv_type)), std::to_string(run.threads),
           short_number(rate.median),
           fmt::format("{}..{}", short_number(rate.min), short_number(rate.max)),
           reads ? bandwidth(result.bytes_per_second) : operations(result.operations_per_second),
           fmt::format("{:.1f}% of {}", 100 * result.share_of_limit, name(result.bound))});
    }
  }
  return table;
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
      if (run.of_bytes) {
        line += fmt::format(", of which {} is the limit here", limits.int8_instructions);
      }
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

}  // namespace

std::string report_as_text(const BenchReport& report, bool markdown) {
  std::string text;
  for (const std::string& line : conditions(report)) {
    text += fmt::format("{}{}\n", markdown ? "- " : "", printable(line, std::string::npos));
  }
  const TextTable table = table_of(report);
  return text + "\n" + (markdown ? table.markdown() : table.text());
}

}  // namespace pleiad::apps
