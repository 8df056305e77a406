#pragma once

#include <cstdint>
#include <vector>

#include "media/picture.h"

namespace pleiad::media {

/// How the pixels along one side make those of another length: bicubic (a = -0.5), widened by the
/// factor by which the side shrinks. The arithmetic is that of Pillow's Resample.c, in its order,
/// so that the weights are equal.
struct AxisWeights {
  int n_in = 0;
  int n_out = 0;
  int n_weights = 0;                 // the most that a pixel has, rounded up to a multiple of 4
  std::vector<std::int32_t> starts;  // [n_out]: the first pixel that counts
  std::vector<std::int32_t> counts;  // [n_out]: how many count from there, at least one
  std::vector<std::int32_t>
      weights;  // [n_out, n_weights], 22 fractional bits, zeros behind the last
};

AxisWeights bicubic_weights(int n_in, int n_out);

/// The weights for a side that is stored in the other direction and is to stay so.
AxisWeights mirrored(const AxisWeights& axis);

/// Whether columns come before rows: where the height shrinks by more than twice as many pixels as
/// the width, as Pillow does it since version 13 (before, rows always came first). Each pass is
/// rounded to 8 bits, so that it matters.
bool columns_first(PictureSize from, PictureSize to);

}  // namespace pleiad::media
