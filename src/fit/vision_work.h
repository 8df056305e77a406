#pragma once

#include <cstdint>
#include <optional>

#include "fit/machine.h"
#include "fit/predict.h"
#include "model/gemma4/family.h"
#include "model/gemma4/vision/config.h"

namespace pleiad::fit {

/// The vision tower of a member, with matrices in bf16 as it is released: its bytes, and the
/// work of a picture. Everything follows from the shapes.
class VisionWork {
 public:
  explicit VisionWork(const gemma4::FamilyMember& member);

  std::int64_t n_parameters() const { return n_parameters_; }
  /// Of its tensors in a projector file (mmproj-*.gguf): what is no matrix is f32.
  std::uint64_t file_bytes() const { return file_bytes_; }
  /// Of a folder's tensors, all bf16.
  std::uint64_t folder_bytes() const {
    constexpr std::uint64_t kBf16Bytes = 2;
    return kBf16Bytes * static_cast<std::uint64_t>(n_parameters_);
  }
  /// Once it is loaded, which it is when a picture first comes: all but the table of positions,
  /// of which rows are read from the file.
  std::uint64_t resident_bytes() const { return resident_bytes_; }

  /// Patches that a picture has at most at a budget of soft tokens.
  std::int64_t n_patches(int budget) const;
  int default_budget() const { return config_.default_budget; }

  /// Of products with the layers' matrices; a multiply-add is two.
  double matrix_operations(std::int64_t n_patches) const;
  /// Of attention: every patch sees every other.
  double attention_operations(std::int64_t n_patches) const;

 private:
  gemma4::VisionConfig config_;
  std::int64_t n_parameters_ = 0;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t resident_bytes_ = 0;
  double weights_of_rows_ = 0;    // that every patch meets
  double weights_of_tokens_ = 0;  // that every soft token meets
};

/// Seconds, and between which they are expected, for a picture of so many patches, see
/// predict_encoding_seconds(). Nothing where the matrix rate is not known.
std::optional<Rate> predict_picture_seconds(const VisionWork& work, const Machine& machine,
                                            std::int64_t n_patches);

}  // namespace pleiad::fit
