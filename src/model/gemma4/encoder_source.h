#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/checkpoint.h"
#include "model/gemma4/encoder_kind.h"

namespace pleiad::gemma4 {

/// The tensors of one of a checkpoint's encoders: a tower, or the 12B's embedder. Borrows the
/// checkpoint.
class EncoderSource {
 public:
  EncoderSource(const Checkpoint& checkpoint, EncoderKind kind)
      : checkpoint_(checkpoint), kind_(kind) {}

  const Checkpoint& checkpoint() const { return checkpoint_; }

  /// By our name; null where it is absent.
  const HostTensor* find(std::string_view name) const;
  const HostTensor& get(std::string_view name) const;  // CHECKs that it is there

  /// All values of a tensor, row after row, decoded.
  std::vector<float> values(std::string_view name) const;

  /// False where the checkpoint has no such encoder.
  bool is_there() const;
  bool is_embedder() const;  // CHECKs that it is there
  /// Where there is none, though something lies there that could be one: why it is not used, which
  /// follows the name of the model. Else empty.
  std::string why_unusable() const;
  /// The projector file that it comes from; empty where it is in the model's own files.
  const std::filesystem::path& projector() const;

  std::size_t n_tensors() const;
  /// Bytes of all its tensors.
  std::uint64_t tensor_bytes() const;

  /// Throws FileChangedError, see Checkpoint.
  void check_unchanged() const;

 private:
  bool is_vision() const { return kind_ == EncoderKind::vision; }

  const Checkpoint& checkpoint_;
  EncoderKind kind_;
};

}  // namespace pleiad::gemma4
