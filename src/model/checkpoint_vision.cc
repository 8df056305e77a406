#include "model/checkpoint_vision.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text_format.h"
#include "model/gemma4/vision/config_load.h"
#include "model/gemma4/vision/projector_file.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNone = "has no vision tower";
constexpr std::size_t kMaxCandidates = 64;

CheckpointVision without_tower(std::string why) {
  CheckpointVision vision;
  vision.problem = fmt::format("{}{}", kNone, why);
  return vision;
}

/// The GGUF files beside a model that are called projectors, by name.
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

/// Whether a projector file may be meant for this model. One of another architecture or width,
/// or without a tower for pictures, is not.
bool belongs_to(const gguf::File& file, const gemma4::Config& text) {
  if (!gemma4::has_vision_tower(file)) return false;
  ProblemList problems(file.name());
  const auto type = file.metadata().find_string("clip.vision.projector_type");
  const auto width = file.metadata().find_integer("clip.vision.projection_dim");
  return (!type || *type == "gemma4v") && (!width || *width == text.model_dim);
}

/// Throws LoadError with all that is wrong.
CheckpointVision read_projector(const fs::path& path, gguf::File file, const gemma4::Config& text) {
  CheckpointVision vision;
  vision.projector = path;
  vision.projector_file = std::move(file);
  read_unchanged(*vision.projector_file, [&] {
    ProblemList problems(path.string());
    vision.config = gemma4::vision_config_from_gguf(*vision.projector_file, text, problems);
    problems.throw_if_any();
    vision.tensors = load_vision_tensors(*vision.projector_file, *vision.config, problems);
    problems.throw_if_any();
  });
  return vision;
}

std::string listed(const std::vector<fs::path>& paths) {
  std::string text;
  for (const fs::path& path : paths) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", printable(path.filename().string()));
  }
  return text;
}

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

/// The one of several files that is meant: that with the model's own name; or where they are one
/// tower as several types, the first of bf16, f16, f32, q8_0. Null where neither tells.
const fs::path* preferred(const std::vector<fs::path>& fitting, const fs::path& model) {
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

}  // namespace

CheckpointVision own_vision(const gguf::File& file, const gemma4::Config& text,
                            ProblemList& problems) {
  CheckpointVision vision;
  ProblemList of_config(file.name());
  vision.config = gemma4::vision_config_from_gguf(file, text, of_config);
  if (of_config.empty()) {
    vision.tensors = load_vision_tensors(file, *vision.config, problems);
  } else {
    problems.add_error(of_config.message());
  }
  return vision;
}

CheckpointVision named_projector(const fs::path& path, const gemma4::Config& text) {
  gguf::File file = gguf::File::open(path);
  if (!gemma4::has_vision_tower(file)) {
    const auto architecture = file.metadata().find_string("general.architecture");
    throw LoadError("{}: no projector file: it holds no vision tower (architecture '{}')",
                    path.string(), printable(architecture.value_or("")));
  }
  return read_projector(path, std::move(file), text);
}

CheckpointVision projector_beside(const fs::path& model, const gemma4::Config& text) {
  std::vector<fs::path> fitting;
  std::vector<fs::path> others;
  std::string damage;  // of the first file that cannot be read
  for (const fs::path& path : projectors_beside(model)) {
    try {
      const gguf::File file = gguf::File::open(path);
      (belongs_to(file, text) ? fitting : others).push_back(path);
    } catch (const LoadError& error) {
      if (damage.empty()) damage = error.what();
    }
  }
  const fs::path* chosen = fitting.empty() ? nullptr : preferred(fitting, model);
  if (chosen == nullptr && fitting.size() > 1) {
    return without_tower(fmt::format(
        " that is certain: {} projector files lie beside it ({}); name one with --mmproj",
        fitting.size(), listed(fitting)));
  }
  if (chosen != nullptr) {
    try {
      return read_projector(*chosen, gguf::File::open(*chosen), text);
    } catch (const LoadError& error) {
      damage = error.what();
    }
  }
  if (!damage.empty()) return without_tower(" that can be used: " + damage);
  if (!others.empty()) {
    return without_tower(
        fmt::format(": the projector files beside it belong to other models ({})", listed(others)));
  }
  return without_tower(
      ": there is none in the file, and no projector file (*mmproj*.gguf) lies beside it; name one "
      "with --mmproj");
}

}  // namespace pleiad
