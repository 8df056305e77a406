#include "media/prepare.h"

#include <algorithm>

#include "base/check.h"
#include "media/budget.h"
#include "media/decoders/decoder.h"
#include "media/pick_kernels.h"
#include "media/row_resizer.h"

namespace pleiad::media {

Result<PreparedPicture> prepare_picture(std::span<const std::byte> bytes,
                                        const PictureOptions& options, const DecodeLimits& limits) {
  CHECK(!options.budget ||
            std::find(kBudgets.begin(), kBudgets.end(), *options.budget) != kBudgets.end(),
        "budget {}", *options.budget);
  try {
    PreparedPicture prepared;
    RowResizer resizer(
        [&](PictureSize upright) {
          prepared.budget = options.budget.value_or(automatic_budget(upright));
          return target_size(upright, prepared.budget);
        },
        best_kernels());
    decode_rows(bytes, limits, resizer);
    prepared.original = resizer.original();
    prepared.pixels = resizer.take();
    prepared.n_soft_tokens = soft_tokens(prepared.pixels.size);
    return prepared;
  } catch (const BadPicture& error) {
    return Failure{error.what()};
  }
}

}  // namespace pleiad::media
