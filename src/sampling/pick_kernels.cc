#include "sampling/pick_kernels.h"

#include "base/instruction_sets.h"

namespace pleiad::sampling {

std::vector<Kernels> usable_kernels() {
  std::vector<Kernels> usable = {baseline_kernels()};
#if defined(PLEIAD_X86)
  if (has_avx2()) usable.push_back(avx2_kernels());
#endif
  return usable;
}

Kernels best_kernels() {
  static const Kernels best = usable_kernels().back();
  return best;
}

}  // namespace pleiad::sampling
