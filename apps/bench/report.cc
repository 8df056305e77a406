#include "apps/bench/report.h"

#include <algorithm>

namespace pleiad::apps {

std::string_view name(Bound bound) { return bound == Bound::read ? "read" : "matrix"; }

TestResult make_result(const bench::Measurement& measurement, const bench::WorkCounter& work,
                       const cpu::MachineLimits& limits, bool of_bytes) {
  const bench::Case& test = measurement.test;
  const bench::Work needed =
      test.kind == bench::TestKind::prompt
          ? work.prompt(test.depth, test.n_tokens, test.kv_type)
          : work.generation(test.depth, test.n_tokens, test.n_sequences, test.kv_type);
  TestResult result;
  result.test = test;
  result.tokens_per_second = spread_of(measurement.tokens_per_second);
  result.n_repetitions = static_cast<int>(measurement.tokens_per_second.size());
  const double seconds = static_cast<double>(test.total_tokens()) / result.tokens_per_second.median;
  result.bytes_per_second = needed.bytes / seconds;
  result.operations_per_second = needed.operations / seconds;
  const double read_share = result.bytes_per_second / limits.read_bytes_per_second;
  const double matrix_share =
      result.operations_per_second / cpu::matrix_rate(limits, of_bytes).per_second;
  result.bound = read_share >= matrix_share ? Bound::read : Bound::matrix;
  result.share_of_limit = std::max(read_share, matrix_share);
  return result;
}

std::string format_report(const BenchReport& report, ReportFormat format) {
  switch (format) {
    case ReportFormat::json:
      return report_as_json(report);
    case ReportFormat::csv:
      return report_as_csv(report);
    case ReportFormat::markdown:
      return report_as_text(report, true);
    case ReportFormat::table:
      break;
  }
  return report_as_text(report, false);
}

}  // namespace pleiad::apps
