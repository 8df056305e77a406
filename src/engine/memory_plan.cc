#include "engine/memory_plan.h"

#include <algorithm>
#include <vector>

namespace pleiad {

bool can_all_finish(std::uint64_t limit, std::uint64_t in_use,
                    std::span<const MemoryClaim> claims) {
  std::uint64_t taken = in_use;
  std::uint64_t wishes = 0;
  for (const MemoryClaim& claim : claims) {
    taken += claim.promised - claim.held;
    wishes += claim.most - claim.promised;
  }
  if (taken > limit) return false;
  std::uint64_t available = limit - taken;
  if (wishes <= available) return true;
  std::vector<MemoryClaim> order(claims.begin(), claims.end());
  std::sort(order.begin(), order.end(), [](const MemoryClaim& a, const MemoryClaim& b) {
    return a.most - a.promised < b.most - b.promised;
  });
  for (const MemoryClaim& claim : order) {
    if (claim.most - claim.promised > available) return false;
    available += claim.promised - claim.held + claim.alone;
  }
  return true;
}

}  // namespace pleiad
