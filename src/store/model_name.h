#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pleiad::store {

/// A model's name in a store, "[host/][namespace/]model[:tag]", by Ollama's rules:
/// letters, digits, '_' and '-', in a model or tag also '.', in a host '.' and ':';
/// the first is a letter, a digit or '_'. Each part has at most 80 characters, a host 255.
/// Letters keep their case, but names that differ in nothing else are the same.
/// No part can leave a folder or name a hidden file, so that path() is safe.
struct ModelName {
  std::string host;
  std::string space;  // the namespace
  std::string model;
  std::string tag;

  /// What is not said has its default: registry.ollama.ai/library/<model>:latest.
  static Result<ModelName> parse(std::string_view text);

  /// From the four folders of a store; a Failure where one of them is no such part.
  static Result<ModelName> from_parts(std::string host, std::string space, std::string model,
                                      std::string tag);

  /// "gemma4:e2b", "someone/gemma4:latest": without host and namespace where they are the defaults.
  std::string text() const;

  /// host/namespace/model/tag
  std::filesystem::path path() const;
};

/// The same name in any case of letters.
bool same_name(std::string_view a, std::string_view b);
bool same_name(const ModelName& a, const ModelName& b);

/// True where `text` can be the model's part of a name.
bool is_model_part(std::string_view text);

/// True where a text that names a model is a path by the look of it: "/x", "./x", "../x", "~/x",
/// ".", "..", "~", or what ends with ".gguf" or ".safetensors". Whether something is there is not
/// asked.
bool is_said_as_path(std::string_view text);

}  // namespace pleiad::store
