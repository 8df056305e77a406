#pragma once

#include <filesystem>
#include <optional>

#include "formats/gguf/reader.h"
#include "formats/safetensors/folder.h"
#include "model/checkpoint.h"
#include "model/checkpoint_audio.h"
#include "model/checkpoint_tensors.h"
#include "model/checkpoint_vision.h"

namespace pleiad {

/// What an opened checkpoint holds.
struct Checkpoint::State {
  std::filesystem::path path;
  gemma4::Config config;
  GenerationDefaults generation;
  CheckpointTensors tensors;
  CheckpointVision vision;
  CheckpointAudio audio;
  gemma4::MediaTokens media_tokens;
  gemma4::SoundTokens sound_tokens;
  TokenizerSource tokenizer = TokenizerSource::none;
  std::filesystem::path tokenizer_json;
  // One of the two.
  std::optional<gguf::File> gguf;
  std::optional<safetensors::Folder> folder;
};

}  // namespace pleiad
