#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace pleiad::media {

/// The programs that read PDF, by their absolute paths.
struct Poppler {
  std::filesystem::path pdfinfo;
  std::filesystem::path pdftotext;
  std::filesystem::path pdftoppm;
};

/// Where they are looked for; never in the folders of an environment.
inline constexpr const char* kPopplerFolders[] = {"/usr/bin", "/usr/local/bin"};

/// Finds them in the first of these folders that has all. Throws Error that names the package to
/// install.
Poppler find_poppler(std::span<const std::filesystem::path> folders);

}  // namespace pleiad::media
