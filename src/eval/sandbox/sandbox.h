#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace pleiad::eval {

struct SandboxLimits {
  double seconds = 10;                                  // from start to end
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // the addresses of the process
  std::uint64_t file_bytes = std::uint64_t{64} << 20;   // all of /tmp
  std::size_t output_bytes = std::size_t{64} << 10;     // of each output; more is dropped
};

struct SandboxResult {
  bool timed_out = false;
  int status = 0;      // of the program; 128 + the signal that ended it
  std::string output;  // what it printed
  std::string errors;  // what it wrote to its standard error
};

/// Runs Python programs apart from everything else, by bubblewrap: Python and its libraries,
/// read-only, and an empty, small /tmp are all files that there are. No network, no other processes
/// and none of its own, no environment, no descriptors but its input and outputs, no privileges,
/// few system calls (system_call_filter.h), and limits on time, memory and output. What root
/// starts runs as nobody. docs/evaluation.md says what this holds and what it does not.
class Sandbox {
 public:
  /// Finds bwrap and Python and tries them. Throws Error that says what is missing: nothing is ever
  /// run without the sandbox.
  explicit Sandbox(SandboxLimits limits = {});

  /// Runs the program with these bytes as its standard input. Throws Error where the sandbox itself
  /// cannot be started.
  SandboxResult run_python(std::string_view program, std::string_view input = {}) const;

 private:
  SandboxLimits limits_;
  std::filesystem::path bwrap_;
  std::filesystem::path python_;
  std::string filter_;  // of system calls
};

}  // namespace pleiad::eval
