#include "base/text_format.h"

#include <fmt/format.h>

#include <array>

#include "base/terminal_text.h"

namespace pleiad {

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  constexpr std::array units = {"KB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return value < 99.95 ? fmt::format("{:.1f} {}", value, units[unit])
                       : fmt::format("{:.0f} {}", value, units[unit]);
}

std::string format_count(std::uint64_t count) {
  const std::string digits = fmt::format("{}", count);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string format_seconds(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 60) return fmt::format("{:.2f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= limit) return out + "…";
    const TerminalCharacter character = first_terminal_character(text);
    out += character.is_safe ? text.substr(0, character.length) : std::string_view(character.shown);
    text.remove_prefix(character.length);
  }
  return out;
}

}  // namespace pleiad
