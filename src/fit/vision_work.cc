#include "fit/vision_work.h"

#include "fit/shares.h"
#include "model/gemma4/audio/tensor_table.h"
#include "model/gemma4/projector_file.h"
#include "model/gemma4/vision/tensor_table.h"

namespace pleiad::fit {
namespace {

using gemma4::EncoderTensorSpec;

std::uint64_t stored_bytes(const EncoderTensorSpec& spec) {
  const DType type = gemma4::projector_tensor_type(spec, DType::bf16);
  return static_cast<std::uint64_t>(element_count(spec.shape)) * row_bytes(type, 1);
}

}  // namespace

VisionWork::VisionWork(const gemma4::FamilyMember& member)
    : config_(gemma4::vision_config_of(member)), file_bytes_(sound_bytes(member)) {
  for (const EncoderTensorSpec& spec : gemma4::vision_tensor_table(config_)) {
    const std::int64_t values = element_count(spec.shape);
    n_parameters_ += values;
    file_bytes_ += stored_bytes(spec);
    if (spec.name != "vision.position_embedding") resident_bytes_ += stored_bytes(spec);
    if (spec.name == "vision.projector") {
      weights_of_tokens_ += static_cast<double>(values);
    } else if (spec.shape.size() == 2) {
      weights_of_rows_ += static_cast<double>(values);
    }
  }
}

std::uint64_t VisionWork::sound_bytes(const gemma4::FamilyMember& member) {
  const auto sound = gemma4::sound_embedder_of(member);
  if (!sound) return 0;
  std::uint64_t bytes = 0;
  for (const EncoderTensorSpec& spec : gemma4::audio_tensor_table(*sound)) {
    bytes += stored_bytes(spec);
  }
  return bytes;
}

std::int64_t VisionWork::n_patches(int budget) const {
  return std::int64_t{budget} * config_.pooling * config_.pooling;
}

double VisionWork::matrix_operations(std::int64_t n_patches) const {
  const auto patches = static_cast<double>(n_patches);
  const double tokens = patches / (config_.pooling * config_.pooling);
  return 2 * (weights_of_rows_ * patches + weights_of_tokens_ * tokens);
}

double VisionWork::attention_operations(std::int64_t n_patches) const {
  const auto patches = static_cast<double>(n_patches);
  // Scores and sums of values.
  return 4 * patches * patches * config_.n_heads * config_.head_dim * config_.n_layers;
}

std::optional<Rate> predict_picture_seconds(const VisionWork& work, const Machine& machine,
                                            std::int64_t n_patches) {
  if (!machine.operations_per_second) return std::nullopt;
  const double rate = *machine.operations_per_second;
  const double seconds =
      work.matrix_operations(n_patches) / (rate * prompt_share(DType::bf16, machine.kernels)) +
      work.attention_operations(n_patches) / (rate * costs_of(machine.kernels).attention_share);
  const double error = prediction_errors(machine.kernels, false).prefill;
  return Rate{seconds, seconds * (1 - error), seconds * (1 + error)};
}

}  // namespace pleiad::fit
