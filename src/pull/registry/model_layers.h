#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pull/registry/image_manifest.h"
#include "store/model_entry.h"

namespace pleiad::pull {

/// Bytes of a layer that is text (a license, parameters), at most.
inline constexpr std::size_t kLongestTextLayer = 1 << 20;

/// A layer whose text becomes part of a recipe.
struct TextLayer {
  enum class Kind : std::uint8_t { system, params, messages, license };
  Kind kind;
  Descriptor blob;
};

/// What the layers of an image are to us.
struct ModelLayers {
  Descriptor model;                     // a GGUF file
  std::optional<Descriptor> projector;  // of its towers, a GGUF file
  std::vector<TextLayer> texts;
  std::vector<std::string> left_out;  // what is not fetched, and why
};

/// Layers of Ollama ("application/vnd.ollama.image.model") and of Docker's models
/// ("application/vnd.docker.ai.gguf.v3"). A Failure, a sentence without its subject, says why there
/// is no model that could be used: several model files, an adapter, tensors one by one, none at
/// all.
Result<ModelLayers> sort_layers(const ImageManifest& manifest);

/// What the config says of the weights; all may be empty.
struct ImageConfig {
  std::string format;  // "gguf"
  std::string family;  // "gemma4"
  std::string size;    // "5.1B"
  std::string type;    // "Q4_K_M"
  std::string remote;  // where the model runs instead of being here
};

/// Ollama's config or Docker's. Any bytes may be given; what is no such config says nothing.
ImageConfig parse_image_config(std::string_view text);

/// Empty where a model with this config may be one that we run, else why not, as sort_layers says
/// it.
std::string problem_of_config(const ImageConfig& config);

/// Adds a text to a recipe; what of it cannot be used goes to `left_out`. Any bytes may be given: a
/// Failure says why the text as a whole is none.
Result<bool> add_text(store::Recipe& recipe, TextLayer::Kind kind, std::string_view text,
                      std::vector<std::string>& left_out);

}  // namespace pleiad::pull
