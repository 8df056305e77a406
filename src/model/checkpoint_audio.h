#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "formats/gguf/reader.h"
#include "model/checkpoint_tensors.h"
#include "model/gemma4/audio/config.h"
#include "model/gemma4/config.h"

namespace pleiad {

/// The audio tower of a checkpoint, or why there is none. A model is read for its text and its
/// pictures whatever is wrong with a tower that nobody named: `problem` says it.
struct CheckpointAudio {
  std::optional<gemma4::AudioConfig> config;
  TensorsByName tensors;
  std::string problem = "has no audio tower";  // follows the model's name; empty where there is one
  bool is_unusable = false;  // none, and what could be one is there: `problem` says why it is not
  std::filesystem::path projector;  // the file that it comes from, if not the model's own
  std::optional<gguf::File> projector_file;
};

/// The tower in a GGUF file of a model.
CheckpointAudio own_audio(const gguf::File& file, const gemma4::Config& text);

/// The tower in a folder, whose config.json is `config_json`. `tokens`: those of sound.
CheckpointAudio folder_audio(const safetensors::Folder& folder, std::string_view config_json,
                             const std::string& config_name, const gemma4::Config& text,
                             gemma4::SoundTokens& tokens);

/// The tower of a projector file that the user named; it may hold none. Throws LoadError with all
/// that is wrong.
CheckpointAudio named_audio_projector(const std::filesystem::path& path,
                                      const gemma4::Config& text);

/// The tower of a projector file beside `model`: that of its vision tower (`vision`, or empty)
/// where it holds both, else the one that belongs to it, as projector_beside().
CheckpointAudio audio_beside(const std::filesystem::path& model,
                             const std::filesystem::path& vision, const gemma4::Config& text);

}  // namespace pleiad
