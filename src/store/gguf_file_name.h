#pragma once

#include <string>
#include <string_view>

namespace pleiad::store {

/// What the name of a .gguf file says.
struct GgufFileName {
  std::string stem;          // without ".gguf" and the number of a part
  std::string quantization;  // "Q4_K_M", "BF16"; empty where the name does not say
  int part = 1;
  int n_parts = 1;
  bool is_encoder = false;  // an mmproj file: of vision or sound, no model by itself

  /// Something that a model can be opened from: no encoder and no later part.
  bool is_model() const { return !is_encoder && part == 1; }
};

/// True for names that end with ".gguf".
bool is_gguf_file_name(std::string_view name);

/// Of a name that ends with ".gguf".
GgufFileName parse_gguf_file_name(std::string_view name);

}  // namespace pleiad::store
