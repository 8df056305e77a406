#include "quantize/pick_kernels.h"

namespace pleiad::quantize {
namespace {

// libgcc asks the processor and, for its registers, the system.
#if defined(PLEIAD_X86)
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}
#endif

}  // namespace

std::vector<Kernels> usable_kernels() {
  std::vector<Kernels> usable = {baseline_kernels()};
#if defined(PLEIAD_X86)
  if (has_avx2()) usable.push_back(avx2_kernels());
  if (has_avx512()) usable.push_back(avx512_kernels());
#endif
  return usable;
}

Kernels best_kernels() {
#if defined(PLEIAD_X86)
  if (has_avx512()) return avx512_kernels();
  if (has_avx2()) return avx2_kernels();
#endif
  return baseline_kernels();
}

}  // namespace pleiad::quantize
