#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace pleiad::eval {

struct SandboxLimits {
  double seconds = 10;  // from start to end
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::size_t output_bytes = std::size_t{64} << 10;  // more is dropped
};

struct SandboxResult {
  bool timed_out = false;
  int status = 0;      // of the program; 128 + the signal that ended it
  std::string output;  // both of its outputs, as they came
};

/// Runs Python programs where they can do no harm, by bubblewrap: a file system with the system's
/// programs, read-only, and an empty /tmp, no network, no sight of other processes and no
/// processes of its own (but for root), and limits on time, memory and output.
class Sandbox {
 public:
  /// Finds bwrap and Python and tries them. Throws Error that says what is missing.
  explicit Sandbox(SandboxLimits limits = {});

  /// Throws Error where the sandbox itself cannot be started.
  SandboxResult run_python(const std::string& program) const;

 private:
  SandboxLimits limits_;
  std::filesystem::path bwrap_;
  std::filesystem::path python_;
};

}  // namespace pleiad::eval
