#include "pull/registry/model_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text_format.h"
#include "store/parameters.h"
#include "store/recipe.h"

namespace pleiad::pull {
namespace {

enum class LayerKind : std::uint8_t {
  model,
  projector,
  system,
  params,
  messages,
  license,
  chat_template,
  adapter,
  tensor,
  draft,
  unknown
};

struct LayerType {
  std::string_view media_type;
  LayerKind kind;
};
constexpr std::array kLayerTypes = {
    LayerType{"application/vnd.ollama.image.model", LayerKind::model},
    LayerType{"application/vnd.ollama.image.projector", LayerKind::projector},
    LayerType{"application/vnd.ollama.image.template", LayerKind::chat_template},
    LayerType{"application/vnd.ollama.image.prompt", LayerKind::chat_template},
    LayerType{"application/vnd.ollama.image.system", LayerKind::system},
    LayerType{"application/vnd.ollama.image.params", LayerKind::params},
    LayerType{"application/vnd.ollama.image.messages", LayerKind::messages},
    LayerType{"application/vnd.ollama.image.license", LayerKind::license},
    LayerType{"application/vnd.ollama.image.adapter", LayerKind::adapter},
    LayerType{"application/vnd.ollama.image.tensor", LayerKind::tensor},
    LayerType{"application/vnd.ollama.image.draft", LayerKind::draft},
    LayerType{"application/vnd.docker.ai.gguf.v3", LayerKind::model},
    LayerType{"application/vnd.docker.ai.mmproj", LayerKind::projector},
    LayerType{"application/vnd.docker.ai.license", LayerKind::license},
    LayerType{"application/vnd.docker.ai.chat.template.jinja", LayerKind::chat_template},
};

constexpr std::size_t kMostTexts = 64;
constexpr std::size_t kMostNamed = 16;  // of layers that nobody knows

LayerKind kind_of(std::string_view media_type) {
  const auto found = std::ranges::find(kLayerTypes, media_type, &LayerType::media_type);
  return found == kLayerTypes.end() ? LayerKind::unknown : found->kind;
}

/// "application/x (layer 0123456789ab, 1.2 MB)"
std::string show_layer(const Descriptor& layer) {
  return fmt::format("{} (layer {}, {})", printable(layer.media_type), layer.hex.substr(0, 12),
                     format_bytes(layer.size));
}

/// Goes through the layers of an image; throws Error, caught in sort_layers.
class LayerSorter {
 public:
  ModelLayers sort(const ImageManifest& manifest) {
    for (const Descriptor& layer : manifest.layers) take(layer);
    if (n_tensors_ > 0) {
      throw Error(
          "stores its weights tensor by tensor ({}), for another engine; take a tag whose "
          "weights are one GGUF file",
          n_tensors_);
    }
    if (!has_model_) {
      throw Error("holds no model file{}{}", unknown_.empty() ? "" : "; its layers are ",
                  fmt::join(unknown_, ", "));
    }
    for (const std::string& layer : unknown_) result_.left_out.push_back(layer + ": not known");
    if (n_unknown_ > unknown_.size()) {
      result_.left_out.push_back(
          fmt::format("{} more layers of types that are not known", n_unknown_ - unknown_.size()));
    }
    return std::move(result_);
  }

 private:
  void take(const Descriptor& layer) {
    if (layer.size == 0) throw Error("has an empty layer, {}", show_layer(layer));
    switch (kind_of(layer.media_type)) {
      case LayerKind::model:
        if (has_model_) {
          throw Error(
              "has its model in several files, which is not supported; merge them into one "
              "GGUF file first");
        }
        has_model_ = true;
        result_.model = layer;
        return;
      case LayerKind::projector:
        // Where there are several, which no model of Ollama's has, it takes the first.
        if (result_.projector) throw Error("has several projectors, of which a model has one");
        result_.projector = layer;
        return;
      case LayerKind::system:
        return take_text(TextLayer::Kind::system, layer);
      case LayerKind::params:
        return take_text(TextLayer::Kind::params, layer);
      case LayerKind::messages:
        return take_text(TextLayer::Kind::messages, layer);
      case LayerKind::license:
        return take_text(TextLayer::Kind::license, layer);
      case LayerKind::chat_template:
        result_.left_out.emplace_back(
            "its chat template: Gemma 4's own is built in and cannot be replaced");
        return;
      case LayerKind::adapter:
        throw Error(
            "brings an adapter (LoRA), and these are not supported; merge it into the model "
            "first");
      case LayerKind::tensor:
        ++n_tensors_;
        return;
      case LayerKind::draft:
        result_.left_out.push_back(fmt::format("its draft model ({}): drafting is not supported",
                                               format_bytes(layer.size)));
        return;
      case LayerKind::unknown:
        ++n_unknown_;
        if (unknown_.size() < kMostNamed) unknown_.push_back(show_layer(layer));
        return;
    }
  }

  void take_text(TextLayer::Kind kind, const Descriptor& layer) {
    if (layer.size > kLongestTextLayer) {
      throw Error("has {} of text in {}; {} at most", format_bytes(layer.size), show_layer(layer),
                  format_bytes(kLongestTextLayer));
    }
    if (result_.texts.size() == kMostTexts)
      throw Error("has more than {} layers of text", kMostTexts);
    result_.texts.push_back({kind, layer});
  }

  ModelLayers result_;
  bool has_model_ = false;
  std::size_t n_tensors_ = 0;
  std::size_t n_unknown_ = 0;
  std::vector<std::string> unknown_;
};

}  // namespace

Result<ModelLayers> sort_layers(const ImageManifest& manifest) {
  try {
    return LayerSorter().sort(manifest);
  } catch (const Error& error) {
    return Failure{error.what()};
  }
}

ImageConfig parse_image_config(std::string_view text) {
  const auto json = read_json(text, {});
  ImageConfig config;
  if (!json || !json.value().is_object()) return config;
  const Json& ollama = json.value();
  config.format = text_member(ollama, "model_format");
  config.family = text_member(ollama, "model_family");
  config.size = text_member(ollama, "model_type");
  config.type = text_member(ollama, "file_type");
  config.remote = text_member(ollama, "remote_host");
  if (const Json* docker = find_member(ollama, "config");
      docker != nullptr && config.format.empty()) {
    config.format = text_member(*docker, "format");
    config.family = text_member(*docker, "architecture");
    config.size = text_member(*docker, "parameters");
    config.type = text_member(*docker, "quantization");
  }
  return config;
}

std::string problem_of_config(const ImageConfig& config) {
  if (!config.remote.empty()) {
    return fmt::format("runs at {}, and there is nothing to fetch", printable(config.remote));
  }
  if (!config.format.empty() && ascii_lower(config.format) != "gguf") {
    return fmt::format("has weights of the format '{}'; expected gguf", printable(config.format));
  }
  std::string family = ascii_lower(config.family);
  std::erase_if(family, [](char c) { return c == '-' || c == '_' || c == ' '; });
  if (!family.empty() && !family.starts_with("gemma4")) {
    return fmt::format("is of the family '{}'; Pleiad runs Gemma 4 alone",
                       printable(config.family));
  }
  return {};
}

Result<bool> add_text(store::Recipe& recipe, TextLayer::Kind kind, std::string_view text,
                      std::vector<std::string>& left_out) {
  store::Recipe added;
  std::vector<std::string> problems;
  switch (kind) {
    case TextLayer::Kind::system:
      added.system = text;
      break;
    case TextLayer::Kind::license:
      added.licenses.emplace_back(text);
      break;
    case TextLayer::Kind::params:
    case TextLayer::Kind::messages: {
      const bool params = kind == TextLayer::Kind::params;
      const auto json = read_json(text, {});
      if (!json) {
        return Failure{
            fmt::format("its {}: {}", params ? "parameters" : "messages", json.message())};
      }
      if (params) {
        added.parameters = store::check_parameters(json.value(), problems);
      } else {
        added.messages = store::check_messages(json.value(), problems);
      }
    }
  }
  try {
    recipe = store::merge(recipe, store::checked(std::move(added)));
  } catch (const Error& error) {
    return Failure{error.what()};
  }
  for (std::string& problem : problems) left_out.push_back(std::move(problem));
  return true;
}

}  // namespace pleiad::pull
