#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "formats/gguf/writer.h"
#include "model/gemma4/projector_file.h"
#include "model/gemma4/vision/tensor_table.h"

namespace pleiad::testing_support {

/// A tower of one layer for a text model of this width.
inline gemma4::VisionConfig small_tower(int model_dim) {
  gemma4::VisionConfig config;
  config.hidden_dim = 32;
  config.ffn_dim = 48;
  config.n_layers = 1;
  config.n_heads = 2;
  config.head_dim = 16;
  config.position_table_size = 64;
  config.model_dim = model_dim;
  config.clipped_linears = true;
  return config;
}

/// Its projector file; all weights are small numbers that differ, clip bounds -8 and 8.
inline void write_projector_file(const std::filesystem::path& path,
                                 const gemma4::VisionConfig& config) {
  const std::vector<gemma4::EncoderTensorSpec> table = gemma4::vision_tensor_table(config);
  gguf::Writer writer(path);
  gemma4::set_projector_keys(writer, "small tower", DType::f32);
  gemma4::set_vision_keys(writer, config);
  for (const auto& spec : table) writer.add_tensor(spec.gguf_name, DType::f32, spec.gguf_shape);
  for (const auto& spec : table) {
    std::vector<float> values(static_cast<std::size_t>(element_count(spec.shape)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = spec.optional ? (spec.name.ends_with("_min") ? -8.0F : 8.0F)
                                : 0.01F * static_cast<float>(1 + (i * 7 + i / 13) % 31);
    }
    writer.write(std::as_bytes(std::span(values)));
  }
  writer.finish();
}

}  // namespace pleiad::testing_support
