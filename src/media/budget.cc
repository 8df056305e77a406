#include "media/budget.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace pleiad::media {
namespace {

constexpr double kSoftTokenArea = kSoftTokenSide * kSoftTokenSide;

int in_whole_tokens(double side) {
  return static_cast<int>(std::floor(side / kSoftTokenSide)) * kSoftTokenSide;
}

}  // namespace

bool is_budget(std::int64_t n_soft_tokens) {
  return std::ranges::find(kBudgets, n_soft_tokens) != kBudgets.end();
}

PictureSize target_size(PictureSize original, int budget) {
  CHECK(original.width > 0 && original.height > 0, "{} x {}", original.width, original.height);
  CHECK(budget > 0, "budget {}", budget);
  // In the order of the reference's operations: which side of a multiple a product falls on depends
  // on it.
  const double factor =
      std::sqrt(budget * kSoftTokenArea / (static_cast<double>(original.height) * original.width));
  PictureSize target = {in_whole_tokens(factor * original.width),
                        in_whole_tokens(factor * original.height)};
  CHECK(target.width > 0 || target.height > 0, "budget {}", budget);
  if (target.height == 0) {
    target.height = kSoftTokenSide;
    target.width = std::min(original.width / original.height, budget) * kSoftTokenSide;
  } else if (target.width == 0) {
    target.width = kSoftTokenSide;
    target.height = std::min(original.height / original.width, budget) * kSoftTokenSide;
  }
  return target;
}

int soft_tokens(PictureSize target) {
  return (target.width / kSoftTokenSide) * (target.height / kSoftTokenSide);
}

int automatic_budget(PictureSize original) {
  for (const int budget : kBudgets) {
    const PictureSize target = target_size(original, budget);
    if (target.width >= original.width && target.height >= original.height) return budget;
  }
  return kBudgets.back();
}

}  // namespace pleiad::media
