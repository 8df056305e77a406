#include "backend/cpu/isa.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/os/processors.h"

#if PLEIAD_X86
#  include <cpuid.h>
#elif PLEIAD_ARM64
#  include <asm/hwcap.h>
#  include <sys/auxv.h>
#  ifndef HWCAP2_I8MM
#    define HWCAP2_I8MM (1UL << 13)  // older headers lack it
#  endif
#endif

namespace pleiad::cpu {
namespace {

constexpr std::array kIsas = {Isa::scalar,  Isa::neon,   Isa::i8mm, Isa::avx2,
                              Isa::avxvnni, Isa::avx512, Isa::amx};

#if PLEIAD_X86
// Which register files the operating system saves (XCR0).
std::uint64_t saved_state() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

struct CpuidLeaf {
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
};

CpuidLeaf cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
  CpuidLeaf r;
  if (!__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx)) return {};
  return r;
}

constexpr bool has(std::uint32_t word, std::initializer_list<int> bits) {
  return std::all_of(bits.begin(), bits.end(), [&](int bit) { return (word >> bit) & 1; });
}

bool can_run(Isa isa) {
  if (isa == Isa::scalar) return true;
  if (isa == Isa::neon || isa == Isa::i8mm) return false;
  // FMA, OSXSAVE, F16C.
  if (!has(cpuid(1, 0).ecx, {12, 27, 29})) return false;
  constexpr std::uint64_t kYmm = 0x6;
  constexpr std::uint64_t kZmm = 0xE6;
  const std::uint64_t saved = saved_state();
  const CpuidLeaf seven = cpuid(7, 0);
  const CpuidLeaf seven_one = seven.eax >= 1 ? cpuid(7, 1) : CpuidLeaf();
  const bool avx2 = (saved & kYmm) == kYmm && has(seven.ebx, {5});
  if (isa == Isa::avx2) return avx2;
  if (isa == Isa::avxvnni) return avx2 && has(seven_one.eax, {4});
  // F, DQ, BW, VL; VNNI.
  const bool avx512 =
      avx2 && (saved & kZmm) == kZmm && has(seven.ebx, {16, 17, 30, 31}) && has(seven.ecx, {11});
  if (isa == Isa::avx512) return avx512;
#  if PLEIAD_EMULATED_TILES
  // Tiles and bf16 are tests/emulated_tiles; what remains is VBMI and GFNI.
  if (isa == Isa::amx) return avx512 && has(seven.ecx, {1, 8});
#  endif
  constexpr std::uint64_t kTiles = 0x60000;
  // AVX512_BF16; AVX512_VBMI, GFNI; AMX_BF16, AMX_TILE, AMX_INT8.
  return avx512 && (saved & kTiles) == kTiles && has(seven_one.eax, {5}) &&
         has(seven.ecx, {1, 8}) && has(seven.edx, {22, 24, 25}) && os::may_use_tiles();
}
#elif PLEIAD_ARM64
bool can_run(Isa isa) {
  if (isa == Isa::scalar) return true;
  // Arithmetic of half floats, of one and in vectors; the dot product.
  constexpr unsigned long kNeeded = HWCAP_FPHP | HWCAP_ASIMDHP | HWCAP_ASIMDDP;
  const bool neon = (::getauxval(AT_HWCAP) & kNeeded) == kNeeded;
  if (isa == Isa::neon) return neon;
  return isa == Isa::i8mm && neon && (::getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
}
#else
bool can_run(Isa isa) { return isa == Isa::scalar; }
#endif

}  // namespace

std::string_view name(Isa isa) {
  constexpr std::array<std::string_view, kIsas.size()> names = {"scalar",  "neon",   "i8mm", "avx2",
                                                                "avxvnni", "avx512", "amx"};
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
  if (isa >= Isa::avx2) {
    kernels::add_avx2(table);
    kernels::add_avx2_products(table);
  }
  if (isa == Isa::avxvnni) kernels::add_avxvnni(table);
  if (isa >= Isa::avx512) kernels::add_avx512(table);
#  if PLEIAD_TILES
  if (isa == Isa::amx) kernels::add_amx(table);
#  endif
#elif PLEIAD_ARM64
  if (isa >= Isa::neon) kernels::add_neon(table);
  if (isa == Isa::i8mm) kernels::add_i8mm(table);
#endif
  return table;
}

}  // namespace pleiad::cpu
