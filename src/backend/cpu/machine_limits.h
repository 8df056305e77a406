#pragma once

#include <cstdint>
#include <string>

#include "backend/cpu/isa.h"
#include "backend/cpu/thread_pool.h"

namespace pleiad::cpu {

/// What this machine can do at most with the threads of a pool, all at once.
struct MachineLimits {
  double read_bytes_per_second = 0;        // the better of the two below
  double huge_page_bytes_per_second = 0;   // memory in 2 MiB pages
  double small_page_bytes_per_second = 0;  // memory in 4 KiB pages
  bool huge_pages = false;                 // the system gave 2 MiB pages
  std::int64_t read_buffer_bytes = 0;      // what was read

  double float_operations_per_second = 0;  // a multiply-add is two
  std::string float_instructions;          // "amx_bf16", "neon_fma", ...
  double int8_operations_per_second = 0;   // 0: not measured on this machine
  std::string int8_instructions;           // "amx_int8", "neon_dot", ..., or empty
};

struct LimitOptions {
  std::int64_t read_buffer_bytes = std::int64_t{1} << 30;  // less where memory is short
  int n_passes = 6;                                        // the best one counts
  double pass_seconds = 0.03;                              // of the loops in registers
};

/// Measures with the fastest instructions of `isa`. A few hundred milliseconds for each figure.
MachineLimits measure_machine_limits(ThreadPool& pool, Isa isa, const LimitOptions& options = {});

/// What operations are held against.
struct MatrixRate {
  double per_second = 0;     // a multiply-add is two
  std::string instructions;  // "amx_bf16", "avx2_maddubs"
};
/// of_bytes: the rate of products of bytes (CpuBackend::multiplies_bytes()), where it was measured;
/// of floats otherwise.
MatrixRate matrix_rate(const MachineLimits& limits, bool of_bytes);

/// The better of two measurements, figure by figure.
MachineLimits best_of(const MachineLimits& a, const MachineLimits& b);

}  // namespace pleiad::cpu
