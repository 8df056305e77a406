#pragma once

#include <cstdint>
#include <optional>

#include "fit/encoder_work.h"
#include "fit/machine.h"
#include "fit/predict.h"
#include "model/gemma4/family.h"
#include "model/gemma4/vision/config.h"

namespace pleiad::fit {

/// The vision tower of a member, with matrices in bf16 as it is released: its bytes, and the
/// work of a picture. Everything follows from the shapes.
class VisionWork : public EncoderSize {
 public:
  explicit VisionWork(const gemma4::FamilyMember& member);

  /// Patches that a picture has at most at a budget of soft tokens.
  std::int64_t n_patches(int budget) const;
  int default_budget() const { return config_.default_budget; }

  /// Of products with the layers' matrices; a multiply-add is two.
  double matrix_operations(std::int64_t n_patches) const;
  /// Of attention: every patch sees every other.
  double attention_operations(std::int64_t n_patches) const;

 private:
  gemma4::VisionConfig config_;
  double weights_of_rows_ = 0;    // that every patch meets
  double weights_of_tokens_ = 0;  // that every soft token meets
};

/// Seconds, and between which they are expected, for a picture of so many patches, see
/// predict_encoding_seconds(). Nothing where the matrix rate is not known.
std::optional<Rate> predict_picture_seconds(const VisionWork& work, const Machine& machine,
                                            std::int64_t n_patches);

}  // namespace pleiad::fit
