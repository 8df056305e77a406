#include "backend/cpu/isa.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/error.h"

#if PLEIAD_X86
#  include <cpuid.h>
#endif

namespace pleiad::cpu {
namespace {

constexpr std::array kIsas = {Isa::scalar, Isa::avx2, Isa::avx512};

#if PLEIAD_X86
// Which register files the operating system saves (XCR0).
std::uint64_t saved_state() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

bool can_run(Isa isa) {
  if (isa == Isa::scalar) return true;
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return false;
  constexpr std::uint32_t kOsxsave = 1U << 27;
  constexpr std::uint32_t kFma = 1U << 12;
  constexpr std::uint32_t kF16c = 1U << 29;
  if (!(ecx & kOsxsave) || !(ecx & kFma) || !(ecx & kF16c)) return false;
  constexpr std::uint64_t kYmm = 0x6;
  constexpr std::uint64_t kZmm = 0xE6;
  const std::uint64_t saved = saved_state();
  if ((saved & kYmm) != kYmm) return false;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return false;
  if (!(ebx & (1U << 5))) return false;  // AVX2
  if (isa == Isa::avx2) return true;
  constexpr std::uint32_t kAvx512 =
      (1U << 16) | (1U << 17) | (1U << 30) | (1U << 31);  // F DQ BW VL
  return (saved & kZmm) == kZmm && (ebx & kAvx512) == kAvx512;
}
#else
bool can_run(Isa isa) { return isa == Isa::scalar; }
#endif

}  // namespace

std::string_view name(Isa isa) {
  constexpr std::array<std::string_view, kIsas.size()> names = {"scalar", "avx2", "avx512"};
  return names[static_cast<std::size_t>(isa)];
}

std::vector<Isa> usable_isas() {
  std::vector<Isa> usable;
  for (const Isa isa : kIsas) {
    if (can_run(isa)) usable.push_back(isa);
  }
  return usable;
}

Isa pick_isa(std::string_view forced) {
  const std::vector<Isa> usable = usable_isas();
  if (forced.empty()) return usable.back();
  std::vector<std::string_view> names;
  for (const Isa isa : usable) {
    if (name(isa) == forced) return isa;
    names.push_back(name(isa));
  }
  const bool known =
      std::any_of(kIsas.begin(), kIsas.end(), [&](Isa isa) { return name(isa) == forced; });
  throw Error("PLEIAD_ISA: {} '{}'; this machine can run: {}",
              known ? "this machine cannot run" : "there is no instruction set", forced,
              fmt::join(names, ", "));
}

kernels::Kernels kernels_for(Isa isa) {
  kernels::Kernels table = {};
  kernels::add_scalar(table);
#if PLEIAD_X86
  if (isa >= Isa::avx2) kernels::add_avx2(table);
  if (isa >= Isa::avx512) kernels::add_avx512(table);
#endif
  return table;
}

}  // namespace pleiad::cpu
