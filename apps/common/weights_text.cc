#include "apps/common/weights_text.h"

#include <fmt/format.h>

#include "base/text_format.h"

namespace pleiad::apps {

std::string weights_text(const cpu::HugePageUse& weights) {
  if (weights.bytes == 0) return "";
  const std::string all = format_bytes(weights.bytes);
  if (!weights.huge_bytes) return fmt::format("{} (the system does not say in which pages)", all);
  const std::size_t huge = *weights.huge_bytes;
  if (huge >= weights.bytes - weights.bytes / 100) return fmt::format("{} in huge pages", all);
  return fmt::format(
      "{} of {} in huge pages ({}; decoding is slower)", huge == 0 ? "none" : format_bytes(huge),
      all, weights.mode == "never" ? "transparent_hugepage is 'never'" : "the system gave no more");
}

}  // namespace pleiad::apps
