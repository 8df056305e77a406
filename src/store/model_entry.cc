#include "store/model_entry.h"

#include "base/check.h"

namespace pleiad::store {

std::string_view name(Source source) {
  switch (source) {
    case Source::own:
      return "pleiad";
    case Source::ollama:
      return "ollama";
    case Source::hugging_face:
      return "hugging face";
    case Source::folder:
      return "folder";
    case Source::path:
      return "file";
    case Source::demo:
      return "demo";
  }
  CHECK(false, "source {}", static_cast<int>(source));
  return {};
}

std::vector<std::filesystem::path> ModelEntry::projectors() const {
  if (!projector.empty()) return {projector};
  return projectors_beside;
}

}  // namespace pleiad::store
