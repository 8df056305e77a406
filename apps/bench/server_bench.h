#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/bench/report.h"
#include "apps/commands.h"
#include "apps/common/cli_names.h"
#include "server_bench/answer_reader.h"

namespace pleiad::apps {

/// What `pleiad bench --server` takes; most of it as it was written.
struct ServerFlags {
  std::string url;
  std::vector<std::string> models;
  std::optional<server_bench::Api> api;  // empty: found out
  std::string api_key;
  std::vector<std::string> shapes;  // "26:256"
  std::vector<int> parallel;
  std::optional<std::int64_t> context;
  double patience_seconds = 300;
  bool keep_loaded = false;
  std::filesystem::path chart;
  std::optional<int> n_runs;
  std::optional<std::uint64_t> seed;
  ReportFormat format = ReportFormat::table;
};

/// What --server adds to `pleiad bench`: the functions below.
struct ServerBench {
  std::vector<CLI::Option*> (*add_flags)(CLI::App& command, ServerFlags& flags);
  int (*run)(const ServerFlags& flags, const Environment& environment);
};

/// Adds --server, which comes first in the result, and the flags that only make sense with it.
std::vector<CLI::Option*> add_server_flags(CLI::App& command, ServerFlags& flags);

/// Measures and prints; the status to leave with.
int run_server_bench(const ServerFlags& flags, const Environment& environment);

}  // namespace pleiad::apps
