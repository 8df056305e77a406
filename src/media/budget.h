#pragma once

#include <cstdint>

#include "base/picture_budgets.h"
#include "media/picture.h"

namespace pleiad::media {

// How large a picture is shown to a tower. A soft token stands for 3 x 3 patches of 16 x 16 pixels.

/// Soft tokens that a picture may take at most.
inline constexpr const auto& kBudgets = kPictureBudgets;

/// Whether it is one of them.
bool is_budget(std::int64_t n_soft_tokens);

/// Pixels of a side that a soft token stands for: sides are multiples of it.
inline constexpr int kSoftTokenSide = 48;

/// What a picture is resized to: the largest size with (about) its aspect that takes at most
/// `budget` soft tokens, both sides multiples of 48. Small pictures grow. A picture that is thinner
/// than its budget allows for gets a short side of 48 and a long one by its aspect rounded down.
PictureSize target_size(PictureSize original, int budget);

/// How many soft tokens a picture of that size takes.
int soft_tokens(PictureSize target);

/// The least of kBudgets that makes no side of the picture shorter; the largest where none does.
int automatic_budget(PictureSize original);

}  // namespace pleiad::media
