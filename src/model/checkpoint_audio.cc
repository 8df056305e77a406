#include "model/checkpoint_audio.h"

#include <exception>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file_changed_error.h"
#include "base/mapped_file.h"
#include "base/text_format.h"
#include "formats/safetensors/folder.h"
#include "model/gemma4/audio/config_load.h"
#include "model/projector_choice.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

CheckpointAudio without_audio(std::string_view why) {
  CheckpointAudio audio;
  audio.problem = fmt::format("has no audio tower{}", why);
  return audio;
}

/// None, though there is something that could be one.
CheckpointAudio unusable_audio(std::string_view why) {
  CheckpointAudio audio = without_audio(why);
  audio.is_unusable = true;
  return audio;
}

/// Throws LoadError with all that is wrong.
void read_tower(CheckpointAudio& audio, const gguf::File& file, const gemma4::Config& text) {
  read_unchanged(file, [&] {
    ProblemList problems(file.name());
    const gemma4::AudioConfig config = gemma4::audio_config_from_gguf(file, text, problems);
    problems.throw_if_any();
    audio.tensors = load_audio_tensors(file, config, problems);
    problems.throw_if_any();
    audio.config = config;
    audio.problem.clear();
  });
}

CheckpointAudio read_audio_projector(const fs::path& path, gguf::File file,
                                     const gemma4::Config& text) {
  CheckpointAudio audio;
  audio.projector = path;
  audio.projector_file = std::move(file);
  read_tower(audio, *audio.projector_file, text);
  return audio;
}

/// Runs `read`; what is wrong with a tower that nobody named is said where it is asked for.
template <typename Read>
CheckpointAudio or_problem(Read read) {
  try {
    return read();
  } catch (const FileChangedError&) {
    throw;
  } catch (const LoadError& error) {
    return unusable_audio(fmt::format(" that can be used: {}", error.what()));
  }
}

/// Whether a projector file may be meant for this model.
bool is_meant_for(const gguf::File& file, const gemma4::Config& text) {
  if (!gemma4::has_audio_tower(file)) return false;
  const auto type = file.metadata().find_string("clip.audio.projector_type");
  const auto width = file.metadata().find_integer("clip.audio.projection_dim");
  const bool is_known =
      !type || *type == gemma4::kAudioTowerType || *type == gemma4::kAudioEmbedderType;
  return is_known && (!width || *width == text.model_dim);
}

}  // namespace

CheckpointAudio own_audio(const gguf::File& file, const gemma4::Config& text) {
  return or_problem([&] {
    CheckpointAudio audio;
    read_tower(audio, file, text);
    return audio;
  });
}

CheckpointAudio folder_audio(const safetensors::Folder& folder, std::string_view config_json,
                             const std::string& config_name, const gemma4::Config& text,
                             gemma4::SoundTokens& tokens) {
  return or_problem([&]() -> CheckpointAudio {
    const gemma4::SoundConfig sound =
        gemma4::sound_config_from_json(config_json, config_name, text);
    tokens = sound.tokens;
    if (!sound.audio) return without_audio(": config.json has no audio_config");
    if (!holds_audio_tower(folder, *sound.audio))
      return without_audio(": its safetensors hold none");
    CheckpointAudio audio;
    read_unchanged(folder, [&] {
      ProblemList problems(config_name);
      audio.tensors = load_audio_tensors(folder, *sound.audio, problems);
      problems.throw_if_any();
    });
    audio.config = sound.audio;
    audio.problem.clear();
    return audio;
  });
}

CheckpointAudio named_audio_projector(const fs::path& path, const gemma4::Config& text) {
  gguf::File file = gguf::File::open(path);
  if (!gemma4::has_audio_tower(file)) {
    return without_audio(fmt::format(": {} holds none", printable(path.filename().string())));
  }
  return read_audio_projector(path, std::move(file), text);
}

CheckpointAudio audio_beside(const fs::path& model, const fs::path& vision,
                             const gemma4::Config& text) {
  std::vector<fs::path> fitting;
  for (const fs::path& path : projectors_beside(model)) {
    try {
      if (!is_meant_for(gguf::File::open(path), text)) continue;
    } catch (const LoadError&) {
      continue;  // the vision tower's search tells of damaged files
    }
    if (path == vision) {
      fitting = {path};
      break;
    }
    fitting.push_back(path);
  }
  if (fitting.empty()) {
    return without_audio(": there is none in the file, nor in a projector file beside it");
  }
  const fs::path* chosen = preferred_projector(fitting, model);
  if (chosen == nullptr) {
    return unusable_audio(fmt::format(
        " that is certain: {} projector files with one lie beside it ({}); name one with --mmproj",
        fitting.size(), listed_files(fitting)));
  }
  return or_problem([&] { return read_audio_projector(*chosen, gguf::File::open(*chosen), text); });
}

}  // namespace pleiad
