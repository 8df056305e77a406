#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/problem_list.h"
#include "model/gemma4/config.h"
#include "model/gemma4/vision/config.h"

namespace pleiad::gguf {
class File;
}

namespace pleiad::gemma4 {

/// What the files of a Hugging Face folder say of pictures.
struct MediaConfig {
  std::optional<VisionConfig> vision;  // empty: no tower
  MediaTokens tokens;
};

/// Of a config.json, whose text model is `text`. Throws one LoadError with all that is wrong.
MediaConfig media_config_from_json(std::string_view json, const std::string& file,
                                   const Config& text);

/// The soft tokens of a picture that processor_config.json or preprocessor_config.json
/// names; nothing where it names none. Throws LoadError.
std::optional<int> default_budget_from_json(std::string_view json, const std::string& file);

/// Whether a GGUF file holds a vision tower, alone (a projector file) or beside a model.
bool has_vision_tower(const gguf::File& file);

/// Of the tower in a GGUF file: keys "clip.vision.*" as in a projector file, or
/// "gemma4.vision.*" as in one that holds model and tower. `text` is the model that it
/// belongs to. What is wrong goes to the list.
VisionConfig vision_config_from_gguf(const gguf::File& file, const Config& text,
                                     ProblemList& problems);

/// The tokens by their names in the file's vocabulary.
MediaTokens media_tokens_from_gguf(const gguf::File& file);

/// Why the tower cannot take the pictures that are made for one, following the model's name; empty
/// where it can. A model is read for its text whatever its tower is.
std::string tower_problem(const VisionConfig& config);

/// How the fields must fit together, once each is in its own range.
void check_vision_config(const VisionConfig& config, ProblemList& problems);

}  // namespace pleiad::gemma4
