#include "media/prepare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "media/budget.h"
#include "media/decoders/decoder.h"
#include "media/pick_kernels.h"
#include "media/row_resizer.h"

namespace pleiad::media {

std::optional<Failure> refuse_options(const PictureOptions& options) {
  if (!options.budget || is_budget(*options.budget)) return std::nullopt;
  return Failure{fmt::format("cannot take {} soft tokens at most: expected one of {}",
                             *options.budget, fmt::join(kBudgets, ", "))};
}

Result<PreparedPicture> prepare_picture(std::span<const std::byte> bytes,
                                        const PictureOptions& options, const DecodeLimits& limits) {
  if (auto refused = refuse_options(options)) return *std::move(refused);
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
