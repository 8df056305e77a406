#include <fmt/ranges.h>

#include "apps/bench/report.h"
#include "base/measurement_text.h"

namespace pleiad::apps {
namespace {

constexpr std::string_view kHeader =
    "program,processor,isa,threads,model,model_type,model_bytes,bytes_per_token,load_s,"
    "peak_resident_bytes,limit_read_gb_s,limit_matrix_tflop_s,matrix_instructions,huge_pages,"
    "test,kind,n_tokens,depth,batch,kv_type,repetitions,tok_s_median,tok_s_min,tok_s_max,"
    "read_gb_s,tflop_s,limit,share_of_limit\n";

std::string number(double value) { return fmt::format("{:.6g}", value); }

std::string csv_line(const BenchReport& report, const ThreadRun& run, const TestResult& result) {
  const bench::Case& test = result.test;
  const Spread& rate = result.tokens_per_second;
  const cpu::MatrixRate matrix = cpu::matrix_rate(run.limits, run.of_bytes);
  const std::vector<std::string> fields = {
      csv_field(report.program),
      csv_field(report.processor),
      report.isa,
      std::to_string(run.threads),
      csv_field(report.model_name),
      report.model_type,
      std::to_string(report.model_bytes),
      fmt::format("{:.0f}", report.bytes_per_token),
      number(run.load_seconds),
      run.peak_resident_bytes ? std::to_string(*run.peak_resident_bytes) : "",
      number(run.limits.read_bytes_per_second / 1e9),
      number(matrix.per_second / 1e12),
      matrix.instructions,
      run.limits.huge_pages ? "yes" : "no",
      test.name(),
      test.kind == bench::TestKind::prompt ? "prompt" : "generation",
      std::to_string(test.n_tokens),
      std::to_string(test.depth),
      std::to_string(test.n_sequences),
      std::string(name(test.kv_type)),
      std::to_string(result.n_repetitions),
      number(rate.median),
      number(rate.min),
      number(rate.max),
      number(result.bytes_per_second / 1e9),
      number(result.operations_per_second / 1e12),
      std::string(name(result.bound)),
      number(result.share_of_limit),
  };
  return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace

std::string report_as_csv(const BenchReport& report) {
  std::string text(kHeader);
  for (const ThreadRun& run : report.runs) {
    for (const TestResult& result : run.results) text += csv_line(report, run, result);
  }
  return text;
}

}  // namespace pleiad::apps
