#include "media/helper/messages.h"

#include <algorithm>
#include <limits>

namespace pleiad::media {
namespace {

int small(std::uint64_t number) {
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(number, kMost));
}

}  // namespace

Question make_question(std::span<const std::byte> bytes, const PictureOptions& options,
                       const DecodeLimits& limits) {
  Question question;
  question.n_bytes = bytes.size();
  question.max_pixels = limits.max_pixels;
  question.max_side = static_cast<std::uint32_t>(limits.max_side);
  question.max_scans = static_cast<std::uint32_t>(limits.max_scans);
  question.budget = static_cast<std::uint64_t>(options.budget.value_or(0));
  return question;
}

DecodeLimits limits_of(const Question& question) {
  DecodeLimits limits;
  limits.max_pixels = question.max_pixels;
  limits.max_side = small(question.max_side);
  limits.max_scans = small(question.max_scans);
  return limits;
}

PictureOptions options_of(const Question& question) {
  PictureOptions options;
  if (question.budget != 0) options.budget = small(question.budget);
  return options;
}

}  // namespace pleiad::media
