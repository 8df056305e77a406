#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "formats/gguf/reader.h"
#include "formats/problem_list.h"
#include "model/checkpoint_tensors.h"
#include "model/gemma4/config.h"
#include "model/gemma4/vision/config.h"

namespace pleiad {

/// The vision tower of a checkpoint, or why there is none.
struct CheckpointVision {
  std::optional<gemma4::VisionConfig> config;
  TensorsByName tensors;
  std::string problem;              // "has no vision tower ..."; empty where there is one
  bool is_unusable = false;         // none, and a file that could hold it lies there: `problem`
  std::filesystem::path projector;  // the file that it comes from, if not the model's own
  std::optional<gguf::File> projector_file;
};

/// The tower in a GGUF file of a model. What is wrong goes to the list.
CheckpointVision own_vision(const gguf::File& file, const gemma4::Config& text,
                            ProblemList& problems);

/// The tower of a projector file that the user named. Throws LoadError with all that is wrong.
CheckpointVision named_projector(const std::filesystem::path& path, const gemma4::Config& text);

/// The tower of the one projector file beside `model` that belongs to it: *mmproj*.gguf, for a
/// tower of our architecture and a text model of this width. Of several it is mmproj-NAME.gguf
/// beside NAME.gguf, or of one tower as several types the first of bf16, f16, f32, q8_0. Where
/// there is none, where it is not clear which, or where it is damaged, `problem` says so.
CheckpointVision projector_beside(const std::filesystem::path& model, const gemma4::Config& text);

}  // namespace pleiad
