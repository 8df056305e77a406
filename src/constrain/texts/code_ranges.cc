#include "constrain/texts/code_ranges.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace pleiad::constrain {

std::vector<CodeRange> sorted_apart(std::vector<CodeRange> ranges) {
  std::ranges::sort(ranges, {}, &CodeRange::first);
  std::vector<CodeRange> out;
  for (const CodeRange& range : ranges) {
    if (!out.empty() && range.first <= out.back().last + 1) {
      out.back().last = std::max(out.back().last, range.last);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

std::vector<CodeRange> all_but(const std::vector<CodeRange>& ranges) {
  std::vector<CodeRange> out;
  char32_t next = 0;
  for (const CodeRange& range : sorted_apart(ranges)) {
    if (range.first > next) out.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLastCharacterCode) out.push_back({next, kLastCharacterCode});
  return out;
}

std::vector<CodeRange> with_both_cases(std::vector<CodeRange> ranges) {
  const std::size_t n = ranges.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto add_between = [&](char32_t first, char32_t last, int shift) {
      first = std::max(first, ranges[i].first);
      last = std::min(last, ranges[i].last);
      const auto moved = [&](char32_t code) {
        return static_cast<char32_t>(static_cast<int>(code) + shift);
      };
      if (first <= last) ranges.push_back({moved(first), moved(last)});
    };
    add_between('A', 'Z', 'a' - 'A');
    add_between('a', 'z', 'A' - 'a');
  }
  return sorted_apart(std::move(ranges));
}

}  // namespace pleiad::constrain
