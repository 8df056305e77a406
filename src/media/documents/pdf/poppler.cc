#include "media/documents/pdf/poppler.h"

#include <unistd.h>

#include "base/error.h"

namespace pleiad::media {

Poppler find_poppler(std::span<const std::filesystem::path> folders) {
  for (const auto& folder : folders) {
    const Poppler found = {folder / "pdfinfo", folder / "pdftotext", folder / "pdftoppm"};
    const auto is_program = [](const std::filesystem::path& path) {
      return ::access(path.c_str(), X_OK) == 0;
    };
    if (is_program(found.pdfinfo) && is_program(found.pdftotext) && is_program(found.pdftoppm)) {
      return found;
    }
  }
  throw Error(
      "no PDF can be read here: pdfinfo, pdftotext and pdftoppm are not installed (package "
      "poppler-utils; on Arch Linux poppler)");
}

}  // namespace pleiad::media
