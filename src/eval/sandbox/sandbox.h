#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace pleiad::eval {

struct SandboxLimits {
  double seconds = 10;                                  // from start to end
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // the addresses of one process
  std::uint64_t file_bytes = std::uint64_t{64} << 20;   // all of /tmp
  std::size_t output_bytes = std::size_t{64} << 10;     // more is dropped
};

struct SandboxResult {
  bool timed_out = false;
  int status = 0;      // of the program; 128 + the signal that ended it
  std::string output;  // both of its outputs, as they came
};

/// Runs Python programs apart from everything else, by bubblewrap: a file system with the system's
/// programs, read-only, and an empty, small /tmp, no network, no sight of other processes, no
/// processes of its own (where root starts it this is not enforced), user and group nobody, and
/// limits on time, memory and output. For what a model writes by mistake; it is no defence
/// against a program that was made to break out.
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
  bool disables_namespaces_ = true;
};

}  // namespace pleiad::eval
