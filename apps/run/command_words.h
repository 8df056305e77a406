#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "apps/run/slash_commands.h"

namespace pleiad::apps {

inline std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// "set parameter x" -> "set", and `text` is "parameter x".
inline std::string_view take_word(std::string_view& text) {
  text = trim(text);
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text = trim(text.substr(end));
  return word;
}

inline CommandOutcome done(std::string output) {
  CommandOutcome outcome;
  outcome.output = std::move(output) + "\n";
  return outcome;
}

inline CommandOutcome failed(std::string output) {
  CommandOutcome outcome = done(std::move(output));
  outcome.failed = true;
  return outcome;
}

}  // namespace pleiad::apps
