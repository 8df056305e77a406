#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "media/documents/missing_programs.h"

namespace pleiad::media {

/// The programs that read PDF, by their absolute paths.
struct Poppler {
  std::filesystem::path pdfinfo;
  std::filesystem::path pdftotext;
  std::filesystem::path pdftoppm;
};

/// Where they are looked for; never in the folders of an environment.
inline constexpr const char* kPopplerFolders[] = {"/usr/bin", "/usr/local/bin"};

/// Finds each in the first of these folders that has it. Throws MissingPrograms.
Poppler find_poppler(std::span<const std::filesystem::path> folders);

}  // namespace pleiad::media
