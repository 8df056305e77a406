#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/checkpoint.h"

namespace pleiad::gemma4 {

enum class EncoderKind : std::uint8_t { vision, audio };

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
