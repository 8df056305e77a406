#include "model/gemma4/projector_file.h"

#include <algorithm>
#include <array>
#include <string>

#include "formats/gguf/ggml_types.h"
#include "model/gemma4/audio/config_load.h"
#include "model/gemma4/vision/config_rules.h"

namespace pleiad::gemma4 {

void set_projector_keys(gguf::Writer& writer, std::string_view name, DType main) {
  writer.set_string("general.architecture", "clip");
  writer.set_string("general.type", "mmproj");
  writer.set_string("general.name", name);
  writer.set_u32("general.file_type", gguf::file_type_of(main));
  writer.set_u32("general.quantization_version", 2);
}

void set_vision_keys(gguf::Writer& writer, const VisionConfig& config) {
  const auto set_u32 = [&](std::string_view key, int value) {
    writer.set_u32(key, static_cast<std::uint32_t>(value));
  };
  writer.set_boolean("clip.has_vision_encoder", true);
  writer.set_string("clip.vision.projector_type",
                    config.is_embedder() ? kEmbedderType : kTowerType);
  // Without it llama.cpp computes a coarser GELU than the model was trained with.
  if (!config.is_embedder()) writer.set_boolean("clip.use_gelu", true);
  set_u32("clip.vision.projection_dim", config.model_dim);
  set_u32("clip.vision.image_size", 224);  // must be there; nothing follows from it
  const PatchSides sides = written_patch_sides(config);
  set_u32("clip.vision.patch_size", sides.patch_size);
  set_u32("clip.vision.embedding_length", config.hidden_dim);
  set_u32("clip.vision.feed_forward_length", config.ffn_dim);
  set_u32("clip.vision.block_count", config.n_layers);
  set_u32("clip.vision.attention.head_count", std::max(config.n_heads, 1));
  writer.set_f32("clip.vision.attention.layer_norm_epsilon", config.rms_norm_eps);
  set_u32("clip.vision.projector.scale_factor", sides.pooling);
  // A key of ours; others take what the released models have.
  set_u32("clip.vision.soft_tokens_per_image", config.default_budget);
  // Values from 0 to 1 go in as they are; the tower itself shifts and scales them.
  writer.set_f32s("clip.vision.image_mean", std::array{0.0F, 0.0F, 0.0F});
  writer.set_f32s("clip.vision.image_std", std::array{1.0F, 1.0F, 1.0F});
}

void set_audio_keys(gguf::Writer& writer, const AudioConfig& config) {
  const auto set_u32 = [&](std::string_view key, int value) {
    writer.set_u32(key, static_cast<std::uint32_t>(value));
  };
  writer.set_boolean("clip.has_audio_encoder", true);
  writer.set_string("clip.audio.projector_type",
                    config.is_embedder() ? kAudioEmbedderType : kAudioTowerType);
  set_u32("clip.audio.projection_dim", config.model_dim);
  // An embedder has none of the next four; they must be there. Its bands are a frame's samples.
  set_u32("clip.audio.embedding_length",
          config.is_embedder() ? config.output_dim : config.hidden_dim);
  set_u32("clip.audio.feed_forward_length", config.ffn_dim);
  set_u32("clip.audio.block_count", config.n_layers);
  set_u32("clip.audio.attention.head_count", std::max(config.n_heads, 1));
  writer.set_f32("clip.audio.attention.layer_norm_epsilon", config.rms_norm_eps);
  set_u32("clip.audio.num_mel_bins", config.is_embedder() ? config.output_dim : kMelBands);
}

PatchSides written_patch_sides(const VisionConfig& config) {
  constexpr int kUsualPooling = 3;
  if (!config.is_embedder() || config.patch_size % kUsualPooling != 0) {
    return {config.patch_size, config.pooling};
  }
  return {config.patch_size / kUsualPooling, kUsualPooling};
}

bool is_tower_matrix(const EncoderTensorSpec& spec) {
  return spec.shape.size() == 2 && spec.gguf_shape.size() == 2;
}

DType projector_tensor_type(const EncoderTensorSpec& spec, DType wanted) {
  const bool is_patches = spec.shape.size() == 2 && spec.gguf_shape.size() == 4;
  if (is_patches && wanted == DType::f16) return DType::f16;
  if (!is_tower_matrix(spec)) return DType::f32;
  const bool fits = spec.shape.back() % traits(wanted).block_size == 0;
  return fits ? wanted : DType::bf16;
}

std::filesystem::path projector_path_beside(const std::filesystem::path& model) {
  std::string stem = model.stem().string();
  constexpr std::size_t kPart = std::string_view("-00001-of-00002").size();
  const std::size_t of = stem.rfind("-of-");
  if (of != std::string::npos && of + 9 == stem.size() && of + 9 > kPart && stem[of - 6] == '-') {
    stem.resize(stem.size() - kPart);
  }
  return model.parent_path() / ("mmproj-" + stem + ".gguf");
}

}  // namespace pleiad::gemma4
