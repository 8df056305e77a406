#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/result.h"
#include "media/decode.h"
#include "media/picture.h"

namespace pleiad::media {

struct PictureOptions {
  /// One of kBudgets; empty: automatic_budget() of the picture.
  std::optional<int> budget;
};

/// Why no picture can be prepared so; nothing where it can.
std::optional<Failure> refuse_options(const PictureOptions& options);

/// A picture as a tower sees it.
struct PreparedPicture {
  PictureSize original;  // upright, before it was resized
  Pixels pixels;         // resized: sides are multiples of 48
  int budget = 0;        // soft tokens that it was allowed
  int n_soft_tokens = 0;
};

/// decode_picture, then resize_bicubic to target_size, row by row, so that no whole picture is held
/// where its format allows that. The same pixels as one after the other.
Result<PreparedPicture> prepare_picture(std::span<const std::byte> bytes,
                                        const PictureOptions& options, const DecodeLimits& limits);

}  // namespace pleiad::media
