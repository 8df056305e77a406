#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text_format.h"
#include "media/budget.h"
#include "media/video/video.h"

namespace pleiad::media {

std::optional<Failure> refuse_options(const VideoOptions& options) {
  if (!is_budget(options.budget)) {
    return Failure{fmt::format("cannot take {} soft tokens a frame: expected one of {}",
                               options.budget, fmt::join(kBudgets, ", "))};
  }
  const std::int64_t most = kMaxVideoTokens / options.budget;
  if (options.n_frames >= 1 && options.n_frames <= most) return std::nullopt;
  return Failure{fmt::format("cannot be shown in {} frames of {} soft tokens: expected 1 to {}",
                             options.n_frames, options.budget, most)};
}

}  // namespace pleiad::media
