#include "media/documents/markup/converted_text.h"

#include <fmt/format.h>

#include "base/text_format.h"

namespace pleiad::media {
namespace {

constexpr std::string_view kWarning = "warning: ";
constexpr std::string_view kText = "text\n";
constexpr std::size_t kMaxWarnings = 20;
constexpr std::size_t kMaxWarning = 300;

}  // namespace

std::string to_wire(const ConvertedText& converted) {
  std::string bytes;
  for (const std::string& warning : converted.warnings) {
    bytes += fmt::format("{}{}\n", kWarning, printable(warning, kMaxWarning));
  }
  bytes += kText;
  return bytes + converted.text;
}

Result<ConvertedText> from_wire(std::string_view bytes) {
  ConvertedText converted;
  while (bytes.starts_with(kWarning) && converted.warnings.size() < kMaxWarnings) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) break;
    const std::string_view warning = bytes.substr(kWarning.size(), end - kWarning.size());
    converted.warnings.push_back(printable(warning, kMaxWarning));
    bytes.remove_prefix(end + 1);
  }
  if (!bytes.starts_with(kText)) return Failure{"made its converter answer nonsense"};
  converted.text = bytes.substr(kText.size());
  return converted;
}

}  // namespace pleiad::media
