#include "synthetic/tower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "base/error.h"
#include "base/free_space.h"
#include "model/gemma4/audio/tensor_table.h"
#include "model/gemma4/family.h"
#include "model/gemma4/projector_file.h"
#include "model/gemma4/vision/tensor_table.h"
#include "synthetic/block_stream.h"

namespace pleiad::synthetic {
namespace {

using gemma4::EncoderTensorSpec;

/// The bounds of a clipped matrix's inputs and outputs: about seven standard deviations.
constexpr float kClipBound = 7.0F;

struct ValueSpread {
  float mean = 0;
  float deviation = 0;
};

/// After a branch; the norm of the same name in the middle of an audio layer's convolution is not.
bool is_damping_norm(std::string_view name) {
  return name.ends_with("post_attention_norm") || name.ends_with("post_ffn_norm") ||
         (name.ends_with(".post_norm") && !name.ends_with("conv.post_norm"));
}

ValueSpread spread_of_vector(std::string_view name) {
  // Attention scores are not scaled down by the root of head_dim.
  if (name.ends_with("k_norm")) return {0.12F, 0.01F};
  if (is_damping_norm(name)) return {0.25F, 0.03F};
  if (name.ends_with("per_dim_scale")) return {0.7F, 0.03F};  // about softplus(0)
  if (name.ends_with("std_bias")) return {0.0F, 1.0F};
  if (name.ends_with(".bias") || name.ends_with("_bias")) return {0.0F, 0.1F};
  if (name.ends_with("std_scale")) return {0.05F, 0.005F};  // pooled values are times sqrt(dim)
  return {1.0F, 0.1F};
}

SyntheticTensor tower_tensor(const EncoderTensorSpec& spec, DType type) {
  SyntheticTensor tensor;
  tensor.name = spec.gguf_name;
  tensor.type = gemma4::projector_tensor_type(spec, type);
  tensor.shape = spec.gguf_shape;
  if (spec.optional) {  // a clip bound
    tensor.given = {spec.name.ends_with("_min") ? -kClipBound : kClipBound};
  } else if (spec.gguf_shape.size() == 1) {
    const ValueSpread spread = spread_of_vector(spec.name);
    tensor.mean = spread.mean;
    tensor.deviation = spread.deviation;
  } else if (spec.name == "vision.position_embedding") {
    tensor.deviation = 0.3F;
  } else {
    // Of a matrix the columns, of a convolution all that meets one output.
    tensor.deviation =
        1.0F / std::sqrt(static_cast<float>(element_count(spec.shape) / spec.shape.front()));
  }
  return tensor;
}

}  // namespace

std::vector<SyntheticTensor> vision_tensor_list(const gemma4::VisionConfig& config, DType type) {
  std::vector<SyntheticTensor> list;
  for (const EncoderTensorSpec& spec : gemma4::vision_tensor_table(config)) {
    list.push_back(tower_tensor(spec, type));
  }
  return list;
}

std::vector<SyntheticTensor> audio_tensor_list(const gemma4::AudioConfig& config, DType type) {
  std::vector<SyntheticTensor> list;
  for (const EncoderTensorSpec& spec : gemma4::audio_tensor_table(config)) {
    list.push_back(tower_tensor(spec, type));
  }
  return list;
}

std::uint64_t write_projector(const std::filesystem::path& path, const Spec& spec,
                              const ProjectorTypes& types, const WriteOptions& options) {
  const auto audio = gemma4::audio_config_of(*spec.model);
  if (types.audio && !audio) throw Error("{} has no audio tower", spec.model->name);
  gguf::Writer writer(path);
  // Where there are both, the audio tower has more matrices, the 12B's embedder fewer.
  const bool is_mostly_sound = types.audio && (!types.vision || !audio->is_embedder());
  gemma4::set_projector_keys(writer, fmt::format("{} towers (random weights)", spec.model->name),
                             is_mostly_sound ? *types.audio : types.vision.value_or(DType::bf16));
  std::vector<SyntheticTensor> tensors;
  if (types.vision) {
    const gemma4::VisionConfig vision = gemma4::vision_config_of(*spec.model);
    gemma4::set_vision_keys(writer, vision);
    tensors = vision_tensor_list(vision, *types.vision);
  }
  if (types.audio) {
    gemma4::set_audio_keys(writer, *audio);
    std::ranges::move(audio_tensor_list(*audio, *types.audio), std::back_inserter(tensors));
  }
  for (const SyntheticTensor& tensor : tensors) {
    writer.add_tensor(tensor.name, tensor.type, tensor.shape);
  }
  const std::uint64_t size = writer.file_size();
  check_free_space(path, size);
  // Other weights than those of the text model of the same seed.
  write_tensors(writer, tensors, mix(spec.seed, 1), options);
  writer.finish();
  return size;
}

}  // namespace pleiad::synthetic
