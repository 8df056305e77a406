#include "backend/cpu/machine_limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "backend/cpu/huge_memory.h"
#include "backend/cpu/kernels/peak.h"

namespace pleiad::cpu {
namespace {

constexpr LimitOptions kQuick = {std::int64_t{16} << 20, 1, 1e-4};

TEST(MachineLimits, EveryInstructionSetHasThem) {
  ThreadPool pool(2);
  for (const Isa isa : usable_isas()) {
    const MachineLimits limits = measure_machine_limits(pool, isa, kQuick);
    EXPECT_GT(limits.small_page_bytes_per_second, 0);
    EXPECT_GT(limits.huge_page_bytes_per_second, 0);
    EXPECT_GE(limits.read_bytes_per_second, limits.small_page_bytes_per_second);
    EXPECT_GT(limits.float_operations_per_second, 0);
    EXPECT_EQ(limits.int8_operations_per_second > 0, !limits.int8_instructions.empty());
    EXPECT_GT(limits.read_buffer_bytes, 0);
  }
}

TEST(MachineLimits, AreThoseOfTheInstructionSetInUse) {
  struct Instructions {
    std::string of_floats;
    std::string of_bytes;
  };
  const std::map<Isa, Instructions> expected = {
      {Isa::scalar, {"baseline", ""}},          {Isa::neon, {"neon_fma", "neon_dot"}},
      {Isa::i8mm, {"neon_fma", "neon_i8mm"}},   {Isa::avx2, {"avx2_fma", "avx2_maddubs"}},
      {Isa::avxvnni, {"avx2_fma", "avx_vnni"}}, {Isa::avx512, {"avx512_fma", "avx512_vnni"}},
      {Isa::amx, {"amx_bf16", "amx_int8"}}};
  ThreadPool pool(1);
  for (const Isa isa : usable_isas()) {
    const MachineLimits limits = measure_machine_limits(pool, isa, kQuick);
    EXPECT_EQ(limits.float_instructions, expected.at(isa).of_floats) << name(isa);
    EXPECT_EQ(limits.int8_instructions, expected.at(isa).of_bytes) << name(isa);
  }
}

TEST(MachineLimits, CanBeMeasuredAgainOnTheSameThreads) {
  ThreadPool pool(2);
  const Isa best = usable_isas().back();
  const MachineLimits first = measure_machine_limits(pool, best, kQuick);
  const MachineLimits second = measure_machine_limits(pool, best, kQuick);
  const MachineLimits both = best_of(first, second);
  EXPECT_EQ(both.read_bytes_per_second,
            std::max(first.read_bytes_per_second, second.read_bytes_per_second));
  EXPECT_EQ(both.float_operations_per_second,
            std::max(first.float_operations_per_second, second.float_operations_per_second));
}

TEST(MatrixRate, IsThatOfBytesWhereTheyAreMultipliedAndWereMeasured) {
  MachineLimits limits;
  limits.float_operations_per_second = 2e11;
  limits.float_instructions = "avx2_fma";
  limits.int8_operations_per_second = 6e11;
  limits.int8_instructions = "avx2_maddubs";
  EXPECT_EQ(matrix_rate(limits, true).per_second, 6e11);
  EXPECT_EQ(matrix_rate(limits, true).instructions, "avx2_maddubs");
  EXPECT_EQ(matrix_rate(limits, false).per_second, 2e11);
  EXPECT_EQ(matrix_rate(limits, false).instructions, "avx2_fma");
  limits.int8_operations_per_second = 0;
  EXPECT_EQ(matrix_rate(limits, true).per_second, 2e11);
  EXPECT_EQ(matrix_rate(limits, true).instructions, "avx2_fma");
}

TEST(PeakKernels, ReadEveryByteOnce) {
  const std::int64_t n = 5 * 1024;
  const HugeMemory buffer(static_cast<std::size_t>(n), PageSize::base);
  std::uint64_t expected = 0;
  for (std::int64_t word = 0; word < n / 8; ++word) {
    const auto value = static_cast<std::uint64_t>(word) * 0x9E3779B97F4A7C15U;
    std::memcpy(buffer.data() + word * 8, &value, 8);
    expected += value;
  }
  using Add = void (*)(kernels::PeakKernels&);
  std::vector<Add> sets = {kernels::add_peak_scalar};
#if defined(__x86_64__)
  if (usable_isas().back() >= Isa::avx2) sets.push_back(kernels::add_peak_avx2);
  if (usable_isas().back() >= Isa::avx512) sets.push_back(kernels::add_peak_avx512);
#elif defined(__aarch64__)
  if (usable_isas().back() >= Isa::neon) sets.push_back(kernels::add_peak_neon);
#endif
  for (const Add add : sets) {
    kernels::PeakKernels table = {};
    add(table);
    EXPECT_EQ(table.read_sum(buffer.data(), n), expected) << table.float_instructions;
    EXPECT_EQ(table.float_peak(20), 2 * table.float_peak(10)) << table.float_instructions;
  }
}

}  // namespace
}  // namespace pleiad::cpu
