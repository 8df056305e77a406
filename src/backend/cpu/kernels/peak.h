#pragma once

#include <cstddef>
#include <cstdint>

// Loops that find the limits of the machine, private to backend/cpu; the rules
// of kernels.h hold: plain function pointers, nothing else leaves the files.

namespace pleiad::kernels {

/// One set of instructions at its fastest, in one thread.
struct PeakKernels {
  /// Loads n bytes (a multiple of 1024, at a multiple of 64) once, in order,
  /// and returns a sum of them, so that no load can be left out.
  std::uint64_t (*read_sum)(const std::byte* data, std::int64_t n);

  /// Multiplies and adds in registers only; returns the operations done (a
  /// multiply-add is two), which grow with `iterations` alone.
  double (*float_peak)(std::int64_t iterations);
  const char* float_instructions;  // "avx512_fma"

  /// The same for products of bytes, in the instructions that kernels sum them with; null: not
  /// measured.
  double (*int8_peak)(std::int64_t iterations);
  const char* int8_instructions;
};

// Each overwrites what its instruction set does faster. The caller makes sure
// that the processor has it; for AMX also that the system gave permission.
void add_peak_scalar(PeakKernels& kernels);
void add_peak_neon(PeakKernels& kernels);
void add_peak_i8mm(PeakKernels& kernels);
void add_peak_avx2(PeakKernels& kernels);
void add_peak_avxvnni(PeakKernels& kernels);
void add_peak_avx512(PeakKernels& kernels);
void add_peak_amx(PeakKernels& kernels);

}  // namespace pleiad::kernels
