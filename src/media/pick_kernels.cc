#include "media/pick_kernels.h"

namespace pleiad::media {

std::vector<Kernels> usable_kernels() {
  std::vector<Kernels> usable = {baseline_kernels()};
  // libgcc asks the processor and, for its registers, the system.
#if defined(PLEIAD_X86)
  if (__builtin_cpu_supports("avx2") != 0) usable.push_back(avx2_kernels());
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0) {
    usable.push_back(avx512_kernels());
    if (__builtin_cpu_supports("avx512vnni") != 0) usable.push_back(avx512vnni_kernels());
  }
#endif
  return usable;
}

Kernels best_kernels() { return usable_kernels().back(); }

}  // namespace pleiad::media
