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
#include "model/gemma4/audio/config_load.h"
#include "model/gemma4/vision/config_load.h"
#include "model/gemma4/vision/config_rules.h"
#include "model/projector_choice.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNone = "has no vision tower";

CheckpointVision without_tower(std::string why) {
  CheckpointVision vision;
  vision.problem = fmt::format("{}{}", kNone, why);
  return vision;
}

/// None, though there is something that could be one.
CheckpointVision unusable_tower(std::string why) {
  CheckpointVision vision = without_tower(std::move(why));
  vision.is_unusable = true;
  return vision;
}

/// Whether a projector file may be meant for this model. One of another architecture or width,
/// or without a tower for pictures, is not.
bool belongs_to(const gguf::File& file, const gemma4::Config& text) {
  if (!gemma4::has_vision_tower(file)) return false;
  ProblemList problems(file.name());
  const auto type = file.metadata().find_string("clip.vision.projector_type");
  const auto width = file.metadata().find_integer("clip.vision.projection_dim");
  return (!type || *type == gemma4::kTowerType || *type == gemma4::kEmbedderType) &&
         (!width || *width == text.model_dim);
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
  if (!gemma4::has_vision_tower(file) && gemma4::has_audio_tower(file)) {
    return without_tower(fmt::format(": {} holds none", printable(path.filename().string())));
  }
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
  const fs::path* chosen = fitting.empty() ? nullptr : preferred_projector(fitting, model);
  if (chosen == nullptr && fitting.size() > 1) {
    return unusable_tower(fmt::format(
        " that is certain: {} projector files lie beside it ({}); name one with --mmproj",
        fitting.size(), listed_files(fitting)));
  }
  if (chosen != nullptr) {
    try {
      return read_projector(*chosen, gguf::File::open(*chosen), text);
    } catch (const LoadError& error) {
      damage = error.what();
    }
  }
  if (!damage.empty()) return unusable_tower(" that can be used: " + damage);
  if (!others.empty()) {
    return without_tower(fmt::format(": the projector files beside it belong to other models ({})",
                                     listed_files(others)));
  }
  return without_tower(
      ": there is none in the file, and no projector file (*mmproj*.gguf) lies beside it; name one "
      "with --mmproj");
}

}  // namespace pleiad
