#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "server_bench/result.h"
#include "server_bench/server.h"

namespace pleiad::server_bench {

/// What is done with each model.
struct Plan {
  std::vector<Shape> shapes = {{26, 256}, {104, 512}};
  int n_runs = 3;                              // of each shape
  std::vector<int> n_parallel;                 // requests at the same time, after those alone
  std::uint64_t seed = 1;                      // of the prompts
  std::uint64_t fresh_seed = 2;                // of those that no earlier run can have asked
  std::optional<std::int64_t> context_length;  // to load with; for Ollama's API only
  bool unloads = true;                         // what is loaded, before and after each model
  std::filesystem::path sys = "/sys";
};

/// How the work is followed.
struct Observer {
  /// "demo, 26 -> 256, run 2 of 3", and how much of it is done.
  std::function<void(const std::string& what, std::uint64_t done, std::uint64_t total)> progress;
};

/// Measures one model:
///
///   1. everything is unloaded, the model is loaded, a first answer warms it up;
///   2. the server's counts of a few prompts show which words are one token;
///   3. for each shape: a short warm-up, the runs, each with a prompt of its own; then
///      three more prompts for one token, each asked twice; then the answers are sent back as
///      prompts, for the server's count of their text;
///   4. for each number of parallel requests and each shape: as many rounds as runs.
///
/// Throws Stopped, and Error where the server fails; what was measured until then is in
/// `result` in either case.
void measure(Server& server, const Plan& plan, const Observer& observer, ModelResult& result);

}  // namespace pleiad::server_bench
