#include "fit/vision_work.h"

#include "model/gemma4/vision/tensor_table.h"

namespace pleiad::fit {

using gemma4::EncoderTensorSpec;

VisionWork::VisionWork(const gemma4::FamilyMember& member)
    : config_(gemma4::vision_config_of(member)) {
  for (const EncoderTensorSpec& spec : gemma4::vision_tensor_table(config_)) {
    const std::int64_t values = element_count(spec.shape);
    // Of the table of positions rows are read from the file.
    add(spec, spec.name == "vision.position_embedding" ? 0 : stored_bytes(spec));
    if (spec.name == "vision.projector") {
      weights_of_tokens_ += static_cast<double>(values);
    } else if (spec.shape.size() == 2) {
      weights_of_rows_ += static_cast<double>(values);
    }
  }
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
  return predict_encoding_seconds(machine, work.matrix_operations(n_patches),
                                  work.attention_operations(n_patches));
}

}  // namespace pleiad::fit
