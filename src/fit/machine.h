#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pleiad::fit {

/// Whose loops compute: shares of the machine's limits differ by it.
enum class KernelSet : std::uint8_t { amx, avx512, avx2, neon, scalar, unknown };

/// What predictions need to know of a machine.
struct Machine {
  std::string name;
  std::uint64_t memory_bytes = 0;    // that a program may take
  double read_bytes_per_second = 0;  // from memory, all threads together
  /// Of the fastest multiply-adds in 16 or 32 bits, a multiply-add being two.
  /// Nothing: not known, and prompts cannot be predicted.
  std::optional<double> operations_per_second;
  KernelSet kernels = KernelSet::unknown;
};

/// One that is described by its makers: of `memory_bytes` the system and other
/// programs keep a tenth, and 2 GiB at least.
Machine described_machine(double read_bytes_per_second, std::uint64_t memory_bytes,
                          std::optional<double> operations_per_second);

}  // namespace pleiad::fit
