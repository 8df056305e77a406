#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/bench/report.h"
#include "apps/common/environment.h"
#include "backend/cpu/cpu_backend.h"
#include "model/model.h"

namespace pleiad::apps {

/// Tokens of a pass, as in `pleiad run`: no more sequences can generate
/// together.
inline constexpr int kBenchRows = 512;

/// What is measured, and how.
struct BenchAsk {
  std::string model;      // as of `pleiad run`; empty: synthetic
  std::string synthetic;  // "e4b:q4_0": made in memory
  bench::PlanOptions plan;
  std::vector<int> threads;  // empty: all physical cores
  std::optional<DType> online;
  cpu::ActivationForm activations = cpu::ActivationForm::automatic;
  bench::RunOptions run;
};

/// How a caller follows it; none may be empty.
struct BenchWatch {
  LoadProgress loading;          // what it throws ends it
  std::function<void()> loaded;  // once for each number of threads
  bench::Observer tests;         // stop: what was measured so far comes back
};

/// Loads the model for each number of threads and runs every test. Throws
/// LoadError, and Error where there is no such model, or a test does not fit
/// into its context.
BenchReport bench_model(const BenchAsk& ask, const Environment& environment,
                        const BenchWatch& watch);

}  // namespace pleiad::apps
