#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/problem_list.h"
#include "model/gemma4/audio/config.h"
#include "model/gemma4/config.h"

namespace pleiad::gguf {
class File;
}

namespace pleiad::gemma4 {

/// What a config.json says of sound.
struct SoundConfig {
  std::optional<AudioConfig> audio;  // empty: no tower
  SoundTokens tokens;
};

/// Of a config.json, whose text model is `text`. Throws one LoadError with all that is wrong.
SoundConfig sound_config_from_json(std::string_view json, const std::string& file,
                                   const Config& text);

/// What projector files call the two kinds.
inline constexpr std::string_view kAudioTowerType = "gemma4a";
inline constexpr std::string_view kAudioEmbedderType = "gemma4ua";

/// Whether a GGUF file (a projector file, or one of model and towers) holds an audio tower or
/// embedder as llama.cpp writes them.
bool has_audio_tower(const gguf::File& file);

/// Keys "clip.audio.*"; sizes that the metadata do not name are those of the tensors. `text` is
/// the model that it belongs to. What is wrong goes to the list.
AudioConfig audio_config_from_gguf(const gguf::File& file, const Config& text,
                                   ProblemList& problems);

/// The tokens by their names in the file's vocabulary.
SoundTokens sound_tokens_from_gguf(const gguf::File& file);

/// Why the tower cannot be computed, following the model's name; empty where it can. A model is
/// read for its text whatever its tower is.
std::string audio_tower_problem(const AudioConfig& config);

/// How the fields must fit together, once each is in its own range.
void check_audio_config(const AudioConfig& config, ProblemList& problems);

}  // namespace pleiad::gemma4
