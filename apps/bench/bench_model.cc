#include "apps/bench/bench_model.h"

#include <algorithm>

#include "apps/bench/model_source.h"
#include "apps/common/limit_options.h"
#include "apps/common/model_flags.h"
#include "apps/common/version.h"
#include "backend/cpu/processors.h"
#include "base/clock.h"
#include "base/mapped_file.h"
#include "base/os/processors.h"
#include "base/os/resident_memory.h"
#include "model/gemma4/gemma4.h"

namespace pleiad::apps {
namespace {

cpu::MachineLimits measure_limits(int threads, const Environment& environment) {
  cpu::ThreadPool pool(threads);
  return cpu::measure_machine_limits(pool, cpu::pick_isa(environment.isa),
                                     limit_options(environment));
}

/// Loads the model on a backend of so many threads and runs every test. The
/// limits are measured before and after, and the better ones count: a machine
/// that others use has good and bad seconds.
ThreadRun run_with(int threads, const BenchAsk& ask, const std::vector<bench::Case>& tests,
                   const ModelSource& source, const Environment& environment,
                   const BenchWatch& watch) {
  ThreadRun run;
  run.threads = threads;
  run.limits = measure_limits(threads, environment);
  const bool peak_is_known = os::reset_peak_resident();
  const double started = monotonic_seconds();
  const Checkpoint checkpoint = Checkpoint::open(source.path());
  cpu::CpuBackend backend({environment.isa, threads, kBenchRows, ask.activations});
  gemma4::ModelOptions options;
  options.max_rows = kBenchRows;
  options.online = online_options(ask.online, threads);
  for (const bench::Case& test : tests) {
    options.max_logit_rows = std::max(options.max_logit_rows, static_cast<int>(test.n_sequences));
  }
  gemma4::Gemma4 model(checkpoint, backend, options, watch.loading);
  run.load_seconds = monotonic_seconds() - started;
  run.weights = backend.packed_weights();
  run.of_bytes =
      backend.multiplies_bytes(options.online ? options.online->type : checkpoint.main_dtype());
  watch.loaded();
  const auto measurements = bench::run_tests(model, tests, ask.run, watch.tests);
  if (peak_is_known) run.peak_resident_bytes = os::peak_resident_bytes();
  if (!watch.tests.stop()) {
    run.limits = cpu::best_of(run.limits, measure_limits(threads, environment));
  }
  const bench::WorkCounter work(checkpoint.config(),
                                bench::tensor_sizes(checkpoint, options.online));
  for (const bench::Measurement& measurement : measurements) {
    run.results.push_back(make_result(measurement, work, run.limits, run.of_bytes));
  }
  return run;
}

/// All that is known of a report before anything is measured.
BenchReport begin_report(const BenchAsk& ask, const ModelSource& source,
                         const Checkpoint& checkpoint, const Environment& environment) {
  const auto online = online_options(ask.online, 1);
  BenchReport report;
  report.program = version_text(environment.isa);
  report.processor = os::processor_name();
  report.isa = cpu::name(cpu::pick_isa(environment.isa));
  report.model_name = checkpoint.config().name;
  report.model_type = name(checkpoint.main_dtype());
  if (online) {
    report.model_type += fmt::format(" quantized to {}", gemma4::online_type_name(online->type));
  }
  report.model_path = source.description();
  report.model_bytes = checkpoint.tensor_bytes();
  report.bytes_per_token =
      bench::WorkCounter(checkpoint.config(), bench::tensor_sizes(checkpoint, online))
          .weight_bytes_per_token();
  return report;
}

}  // namespace

BenchReport bench_model(const BenchAsk& ask, const Environment& environment,
                        const BenchWatch& watch) {
  const ModelSource source = ask.synthetic.empty()
                                 ? ModelSource::of_file(ask.model, environment)
                                 : ModelSource::synthetic(ask.synthetic, cpu::usable_processors());
  // Stays open, so that all that is measured is of what it describes.
  const Checkpoint checkpoint = Checkpoint::open(source.path());
  const std::vector<bench::Case> tests =
      bench::make_plan(ask.plan, checkpoint.config().context_length);
  BenchReport report = begin_report(ask, source, checkpoint, environment);
  std::vector<int> threads = ask.threads;
  if (threads.empty()) threads.push_back(cpu::usable_cores());
  for (const int count : threads) {
    report.runs.push_back(read_unchanged(
        checkpoint, [&] { return run_with(count, ask, tests, source, environment, watch); }));
    report.interrupted = watch.tests.stop();
    if (report.interrupted) break;
  }
  return report;
}

}  // namespace pleiad::apps
