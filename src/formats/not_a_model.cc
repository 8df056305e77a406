#include "formats/not_a_model.h"

#include <string_view>

#include "base/error.h"

namespace pleiad {

void refuse_what_is_no_model(std::span<const std::byte> bytes, const std::string& file) {
  if (bytes.empty()) throw LoadError("{}: the file is empty (0 bytes)", file);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("version https://git-lfs")) {
    throw LoadError(
        "{}: this is a Git LFS pointer, not the file itself; fetch it with `git lfs pull` or "
        "download it again",
        file);
  }
  for (const std::string_view start : {"<!DOCTYPE", "<!doctype", "<html", "<?xml"}) {
    if (text.starts_with(start)) {
      throw LoadError("{}: this is a web page, not a model; the download saved an error page",
                      file);
    }
  }
}

}  // namespace pleiad
