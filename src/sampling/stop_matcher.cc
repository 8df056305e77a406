#include "sampling/stop_matcher.h"

#include <algorithm>
#include <utility>

#include "base/text_format.h"
#include "base/utf8.h"

namespace pleiad::sampling {
namespace {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

StopMatcher::Pattern::Pattern(std::string pattern_text)
    : text(std::move(pattern_text)), borders(text.size(), 0) {
  for (std::size_t n = 1; n < text.size(); ++n) borders[n] = advance(borders[n - 1], text[n]);
}

/// Bytes matched after `byte`, when `from` (not all) were matched before it.
std::size_t StopMatcher::Pattern::advance(std::size_t from, char byte) const {
  while (from > 0 && text[from] != byte) from = borders[from - 1];
  return text[from] == byte ? from + 1 : 0;
}

Result<StopMatcher> StopMatcher::create(std::vector<std::string> stops) {
  StopMatcher matcher;
  for (std::string& stop : stops) {
    if (stop.empty()) return Failure{"stop: expected text, found an empty string"};
    if (!is_utf8(stop)) {
      return Failure{fmt::format("stop: expected UTF-8, found \"{}\"", printable(stop))};
    }
    matcher.patterns_.emplace_back(std::move(stop));
  }
  return matcher;
}

std::string StopMatcher::push(std::string_view text) {
  if (stopped()) return {};
  const std::string_view kept_before = kept();
  const auto first_bytes = [&](std::size_t size) {
    std::string bytes(kept_before.substr(0, size));
    if (size > kept_before.size()) bytes += text.substr(0, size - kept_before.size());
    return bytes;
  };
  for (std::size_t n_read = 1; n_read <= text.size(); ++n_read) {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      Pattern& pattern = patterns_[i];
      pattern.matched = pattern.advance(pattern.matched, text[n_read - 1]);
      if (pattern.matched < pattern.text.size() || pattern.matched <= longest) continue;
      longest = pattern.matched;
      found_ = i;
    }
    if (found_) return first_bytes(kept_before.size() + n_read - longest);
  }
  return first_bytes(kept_before.size() + text.size() - kept().size());
}

std::string StopMatcher::flush() {
  if (stopped()) return {};
  std::string rest(kept());
  for (Pattern& pattern : patterns_) pattern.matched = 0;
  return rest;
}

std::string_view StopMatcher::kept() const {
  std::string_view longest;
  for (const Pattern& pattern : patterns_) {
    if (pattern.matched <= longest.size()) continue;
    longest = std::string_view(pattern.text).substr(0, pattern.matched);
  }
  return longest;
}

}  // namespace pleiad::sampling
