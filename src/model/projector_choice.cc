#include "model/projector_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <system_error>

#include "base/ascii.h"
#include "base/text_format.h"
#include "model/gemma4/projector_file.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxCandidates = 64;

/// "mmproj-x" of "mmproj-x-BF16.gguf", for each way that makers write the type; with it how good
/// that type is: the lower, the better.
struct ProjectorName {
  std::string stem;
  std::size_t type = 0;
};

ProjectorName split_projector_name(const fs::path& path) {
  constexpr std::array<std::string_view, 4> kTypes = {"bf16", "f16", "f32", "q8_0"};
  ProjectorName name{ascii_lower(path.stem().string()), kTypes.size()};
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    const std::size_t at = name.stem.rfind(kTypes[i]);
    if (at == std::string::npos || at == 0) continue;
    const char before = name.stem[at - 1];
    if (before != '-' && before != '.' && before != '_') continue;
    name.stem.erase(at - 1, kTypes[i].size() + 1);
    name.type = i;
    break;
  }
  return name;
}

}  // namespace

std::vector<fs::path> projectors_beside(const fs::path& model) {
  std::vector<fs::path> found;
  std::error_code error;
  const fs::path folder = model.has_parent_path() ? model.parent_path() : fs::path(".");
  // A folder that cannot be read to its end holds what could be read.
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool is_projector = name.ends_with(".gguf") && name.find("mmproj") != std::string::npos;
    std::error_code ignored;
    if (is_projector && at->is_regular_file(ignored)) found.push_back(at->path());
  }
  std::ranges::sort(found);
  if (found.size() > kMaxCandidates) found.resize(kMaxCandidates);
  return found;
}

const fs::path* preferred_projector(const std::vector<fs::path>& fitting, const fs::path& model) {
  const fs::path own = gemma4::projector_path_beside(model).filename();
  for (const fs::path& path : fitting) {
    if (path.filename() == own) return &path;
  }
  const fs::path* best = nullptr;
  for (const fs::path& path : fitting) {
    const ProjectorName name = split_projector_name(path);
    if (name.stem != split_projector_name(fitting[0]).stem) return nullptr;
    if (best == nullptr || name.type < split_projector_name(*best).type) best = &path;
  }
  return best;
}

std::string listed_files(const std::vector<fs::path>& paths) {
  std::string text;
  for (const fs::path& path : paths) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", printable(path.filename().string()));
  }
  return text;
}

}  // namespace pleiad
