#include "backend/cpu/amx.h"

#include <cstdint>

#if PLEIAD_X86
#  include <cpuid.h>
#  include <sys/syscall.h>
#  include <unistd.h>
#endif

namespace pleiad::cpu {

#if PLEIAD_X86
bool request_amx() {
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
  constexpr std::uint32_t kOsxsave = 1U << 27;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & kOsxsave)) return false;
  std::uint32_t saved = 0;  // XCR0: which registers the system saves
  std::uint32_t saved_high = 0;
  asm volatile("xgetbv" : "=a"(saved), "=d"(saved_high) : "c"(0));
  constexpr std::uint32_t kTiles = (1U << 17) | (1U << 18);
  if ((saved & kTiles) != kTiles) return false;
  constexpr std::uint32_t kAmx = (1U << 22) | (1U << 24) | (1U << 25);  // BF16, TILE, INT8
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || (edx & kAmx) != kAmx) return false;
#  ifdef SYS_arch_prctl
  constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#  else
  return false;
#  endif
}
#else
bool request_amx() { return false; }
#endif

}  // namespace pleiad::cpu
