#include "media/documents/pdf/poppler.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <string_view>
#include <vector>

namespace pleiad::media {

namespace {

/// Empty where none has it.
std::filesystem::path find_program(std::span<const std::filesystem::path> folders,
                                   std::string_view name) {
  for (const auto& folder : folders) {
    std::filesystem::path path = folder / name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

}  // namespace

Poppler find_poppler(std::span<const std::filesystem::path> folders) {
  Poppler found;
  std::vector<std::string_view> missing;
  const auto find = [&](std::filesystem::path& path, std::string_view name) {
    path = find_program(folders, name);
    if (path.empty()) missing.push_back(name);
  };
  find(found.pdfinfo, "pdfinfo");
  find(found.pdftotext, "pdftotext");
  find(found.pdftoppm, "pdftoppm");
  if (missing.empty()) return found;
  throw MissingPrograms(
      "cannot be read: {} {} not installed here. For PDF install the package poppler-utils (on "
      "Arch "
      "Linux poppler)",
      fmt::join(missing, ", "), missing.size() == 1 ? "is" : "are");
}

}  // namespace pleiad::media
