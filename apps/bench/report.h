#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cpu/huge_page_use.h"
#include "backend/cpu/machine_limits.h"
#include "base/statistics.h"
#include "bench/plan.h"
#include "bench/runner.h"
#include "bench/work.h"

namespace pleiad::apps {

/// What of the machine bounds a test: the bytes that it reads or the
/// operations that it does.
enum class Bound : std::uint8_t { read, matrix };

/// One test, beside the limit of the machine.
struct TestResult {
  bench::Case test;
  Spread tokens_per_second;  // of all sequences together
  int n_repetitions = 0;
  double bytes_per_second = 0;       // the bytes that it needs, at the median
  double operations_per_second = 0;  // the operations that it needs, at the median
  Bound bound = Bound::read;         // what would take longer at the machine's limits
  double share_of_limit = 0;         // that time, of the time that it took; 1: at the limit
};

TestResult make_result(const bench::Measurement& measurement, const bench::WorkCounter& work,
                       const cpu::MachineLimits& limits, bool of_bytes);

/// Everything that was measured with one number of threads.
struct ThreadRun {
  int threads = 0;
  cpu::MachineLimits limits;
  bool of_bytes = false;    // cpu::matrix_rate()
  double load_seconds = 0;  // from opening the file until the first token can come
  std::optional<std::uint64_t> peak_resident_bytes;  // of loading and the tests
  cpu::HugePageUse weights;                          // those that are packed
  std::vector<TestResult> results;
};

struct BenchReport {
  std::string program;  // with version and commit
  std::string processor;
  std::string isa;
  std::string model_name;
  std::string model_type;  // "q4_0", of most weights
  std::string model_path;
  std::uint64_t model_bytes = 0;
  double bytes_per_token = 0;  // weights that one decoded token reads
  bool interrupted = false;
  std::vector<ThreadRun> runs;  // at least one
};

enum class ReportFormat : std::uint8_t { table, markdown, csv, json };

std::string format_report(const BenchReport& report, ReportFormat format);

// One a format, behind format_report().
std::string report_as_text(const BenchReport& report, bool markdown);
std::string report_as_csv(const BenchReport& report);
std::string report_as_json(const BenchReport& report);

std::string_view name(Bound bound);

}  // namespace pleiad::apps
