#pragma once

#include <cstdint>
#include <optional>

#include "fit/machine.h"
#include "fit/predict.h"
#include "model/gemma4/tensor_table.h"

// What the work of both towers shares.

namespace pleiad::fit {

/// Of a tensor in a projector file whose matrices are bf16.
std::uint64_t stored_bytes(const gemma4::EncoderTensorSpec& spec);

/// What a tower's tensors take, with matrices in bf16 as they are released.
class EncoderSize {
 public:
  std::int64_t n_parameters() const { return n_parameters_; }
  /// Of its tensors in a projector file (mmproj-*.gguf): what is no matrix is f32.
  std::uint64_t file_bytes() const { return file_bytes_; }
  /// Of a folder's tensors, all bf16.
  std::uint64_t folder_bytes() const {
    constexpr std::uint64_t kBf16Bytes = 2;
    return kBf16Bytes * static_cast<std::uint64_t>(n_parameters_);
  }
  /// Once it is loaded, which it is when a picture or a sound first comes.
  std::uint64_t resident_bytes() const { return resident_bytes_; }

 protected:
  /// `resident`: bytes that are kept of it.
  void add(const gemma4::EncoderTensorSpec& spec, std::uint64_t resident);

 private:
  std::int64_t n_parameters_ = 0;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t resident_bytes_ = 0;
};

/// Seconds, and between which they are expected:
///   operations of matrices / (matrix rate * prompt_share(bf16))
///   + those of attention / (matrix rate * attention_share)
/// Nothing where the matrix rate is not known.
std::optional<Rate> predict_encoding_seconds(const Machine& machine, double matrix_operations,
                                             double attention_operations);

}  // namespace pleiad::fit
