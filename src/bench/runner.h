#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/plan.h"
#include "model/model.h"

namespace pleiad::bench {

struct RunOptions {
  int n_repetitions = 5;
  std::uint64_t seed = 1;  // of the random tokens
};

/// What the caller sees of a run; both are asked after every forward pass.
struct Observer {
  /// `what` is "pp512" or "filling 4096"; tokens of it that are done.
  std::function<void(const std::string& what, std::uint64_t done, std::uint64_t total)> progress;
  /// True: stop here.
  std::function<bool()> stop;
};

/// Tokens a second of every repetition that was finished, of all sequences
/// together.
struct Measurement {
  Case test;
  std::vector<double> tokens_per_second;
};

/// Runs the tests in order. Each is warmed up with a short run, and every
/// repetition takes new random tokens; the tokens that fill a context to its
/// depth are evaluated once for all tests at that depth, outside of the time.
/// The time of a generated token does not include sampling. When the observer
/// stops the run, what was finished comes back; tests without a finished
/// repetition are left out.
std::vector<Measurement> run_tests(Model& model, std::span<const Case> tests,
                                   const RunOptions& options, const Observer& observer);

}  // namespace pleiad::bench
