#include "fit/verdict.h"

#include <fmt/format.h>

#include <array>

#include "base/text_format.h"

namespace pleiad::fit {

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 3> names = {"does not fit", "tight", "comfortable"};
  return names[static_cast<std::size_t>(verdict)];
}

Judgement judge(std::uint64_t needed_bytes, std::uint64_t memory_bytes, double decode_rate) {
  if (needed_bytes > memory_bytes) {
    return {Verdict::does_not_fit,
            fmt::format("{} more memory needed", format_bytes(needed_bytes - memory_bytes))};
  }
  const double share = static_cast<double>(needed_bytes) / static_cast<double>(memory_bytes);
  if (share > kComfortableMemory) {
    return {Verdict::tight, fmt::format("takes {:.0f}% of the memory", 100 * share)};
  }
  if (decode_rate < kReadingRate) return {Verdict::tight, "slower than reading"};
  return {Verdict::comfortable, ""};
}

}  // namespace pleiad::fit
