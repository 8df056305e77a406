#include "backend/cpu/machine_limits.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "backend/cpu/huge_memory.h"
#include "backend/cpu/huge_page_use.h"
#include "backend/cpu/kernels/peak.h"
#include "base/available_memory.h"
#include "base/clock.h"

namespace pleiad::cpu {
namespace {

kernels::PeakKernels peak_kernels_for(Isa isa) {
  kernels::PeakKernels table = {};
  kernels::add_peak_scalar(table);
#if PLEIAD_X86
  if (isa >= Isa::avx2) kernels::add_peak_avx2(table);
  if (isa == Isa::avxvnni) kernels::add_peak_avxvnni(table);
  if (isa >= Isa::avx512) kernels::add_peak_avx512(table);
    // A lesser set is asked for to see what a lesser machine does.
#  if PLEIAD_TILES
  if (isa == Isa::amx) kernels::add_peak_amx(table);
#  endif
#elif PLEIAD_ARM64
  if (isa >= Isa::neon) kernels::add_peak_neon(table);
  if (isa == Isa::i8mm) kernels::add_peak_i8mm(table);
#endif
  return table;
}

/// Runs task(thread) on every thread of the pool at once; returns seconds.
template <typename Task>
double timed(ThreadPool& pool, const Task& task) {
  const double started = monotonic_seconds();
  pool.run(pool.size(), [&](std::int64_t index, int) { task(index); });
  return monotonic_seconds() - started;
}

/// Bytes a second; every thread reads a contiguous part of its own.
double read_rate(ThreadPool& pool, const kernels::PeakKernels& peak, const HugeMemory& buffer,
                 int n_passes) {
  constexpr std::int64_t kUnit = 1024;  // bytes of one turn of read_sum, at most
  const std::int64_t part = static_cast<std::int64_t>(buffer.size()) / pool.size() / kUnit * kUnit;
  timed(pool, [&](std::int64_t thread) {
    std::memset(buffer.data() + thread * part, 1, static_cast<std::size_t>(part));
  });
  std::atomic<std::uint64_t> sum = 0;
  double best = 0;
  for (int pass = 0; pass < n_passes; ++pass) {
    const double seconds = timed(pool, [&](std::int64_t thread) {
      sum += peak.read_sum(buffer.data() + thread * part, part);
    });
    best = std::max(best, static_cast<double>(part * pool.size()) / seconds);
  }
  return best;
}

using Peak = double (*)(std::int64_t iterations);

/// Operations a second of all threads.
double operation_rate(ThreadPool& pool, Peak peak, const LimitOptions& options) {
  std::int64_t iterations = 1000;
  while (timed(pool, [&](std::int64_t) { peak(iterations); }) < options.pass_seconds) {
    iterations *= 2;
  }
  double best = 0;
  for (int pass = 0; pass < options.n_passes; ++pass) {
    std::atomic<double> operations = 0;
    const double seconds = timed(pool, [&](std::int64_t) { operations += peak(iterations); });
    best = std::max(best, operations / seconds);
  }
  return best;
}

}  // namespace

MachineLimits measure_machine_limits(ThreadPool& pool, Isa isa, const LimitOptions& options) {
  const kernels::PeakKernels peak = peak_kernels_for(isa);
  MachineLimits limits;
  constexpr std::int64_t kLeast = std::int64_t{16} << 20;
  const auto quarter = static_cast<std::int64_t>(available_memory() / 4);
  limits.read_buffer_bytes = std::max(kLeast, std::min(options.read_buffer_bytes, quarter));
  const auto bytes = static_cast<std::size_t>(limits.read_buffer_bytes);
  {
    const HugeMemory buffer(bytes, PageSize::base);
    limits.small_page_bytes_per_second = read_rate(pool, peak, buffer, options.n_passes);
  }
  {
    const HugeMemory buffer(bytes, PageSize::huge);
    limits.huge_page_bytes_per_second = read_rate(pool, peak, buffer, options.n_passes);
    limits.huge_pages =
        bytes_in_huge_pages({{buffer.data(), buffer.size()}}).value_or(0) > bytes / 2;
  }
  limits.read_bytes_per_second =
      std::max(limits.small_page_bytes_per_second, limits.huge_page_bytes_per_second);
  limits.float_instructions = peak.float_instructions;
  limits.float_operations_per_second = operation_rate(pool, peak.float_peak, options);
  if (peak.int8_peak) {
    limits.int8_instructions = peak.int8_instructions;
    limits.int8_operations_per_second = operation_rate(pool, peak.int8_peak, options);
  }
  return limits;
}

MatrixRate matrix_rate(const MachineLimits& limits, bool of_bytes) {
  if (of_bytes && limits.int8_operations_per_second > 0) {
    return {limits.int8_operations_per_second, limits.int8_instructions};
  }
  return {limits.float_operations_per_second, limits.float_instructions};
}

MachineLimits best_of(const MachineLimits& a, const MachineLimits& b) {
  MachineLimits best = a;
  const auto keep_larger = [](double& value, double other) { value = std::max(value, other); };
  keep_larger(best.read_bytes_per_second, b.read_bytes_per_second);
  keep_larger(best.huge_page_bytes_per_second, b.huge_page_bytes_per_second);
  keep_larger(best.small_page_bytes_per_second, b.small_page_bytes_per_second);
  keep_larger(best.float_operations_per_second, b.float_operations_per_second);
  keep_larger(best.int8_operations_per_second, b.int8_operations_per_second);
  best.huge_pages = a.huge_pages || b.huge_pages;
  best.read_buffer_bytes = std::max(a.read_buffer_bytes, b.read_buffer_bytes);
  return best;
}

}  // namespace pleiad::cpu
