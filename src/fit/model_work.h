#pragma once

#include <cstdint>
#include <vector>

#include "backend/kv_view.h"
#include "bench/work.h"
#include "convert/mix.h"
#include "model/gemma4/family.h"

namespace pleiad::fit {

/// What a member of the family is as a file of one type: its bytes on the disk
/// and in memory, and the work of a token. Everything follows from the shapes
/// and the mix of types; nothing is read.
class ModelWork {
 public:
  ModelWork(const gemma4::FamilyMember& member, convert::FileType type);

  const gemma4::Config& config() const { return config_; }

  /// Of all tensors of the text model.
  std::uint64_t tensor_bytes() const { return tensor_bytes_; }
  /// Of the file (without its projector file, see VisionWork and AudioWork) or folder: with the
  /// tokenizer, and in a folder with the towers and the dead projections that it carries along (in
  /// bf16, and as its type).
  std::uint64_t file_bytes() const { return file_bytes_; }
  /// Of the weights that lie in memory: all but tables whose rows are read from
  /// the file as tokens come.
  std::uint64_t resident_weight_bytes() const { return resident_weight_bytes_; }
  /// Of activations and logits for passes of kMaxRows tokens.
  std::uint64_t workspace_bytes() const;

  /// The tensors of one stored type, and the work that they make.
  struct Part {
    DType type;
    bench::WorkCounter counter;
  };
  const std::vector<Part>& parts() const { return parts_; }

  /// Weights that a decoded token reads.
  double bytes_per_token() const;
  /// Keys and values that the token after `depth` others reads, itself included.
  double kv_bytes_per_token(std::int64_t depth, KvType kv_type) const;
  /// Of a prompt of n tokens without its attention; a multiply-add is two.
  double prompt_operations(const Part& part, std::int64_t n) const;
  /// Weights of a part that only a prompt's last row meets, for its logits: those
  /// of the layers after the last that owns keys and values, and of the head.
  double last_row_bytes(const Part& part) const;
  /// Those layers, and that one.
  int n_last_row_layers() const;
  /// Of its attention.
  double prompt_attention_operations(std::int64_t n) const;

  /// Activations of a prompt's row that are normed, gated or rounded between the
  /// products, in the layers that every row needs.
  double values_per_prompt_row() const;

  /// Tokens of a forward pass, as `pleiad run` and `pleiad bench` have them.
  static constexpr int kMaxRows = 512;

 private:
  gemma4::Config config_;
  std::vector<Part> parts_;
  bench::WorkCounter without_weights_;
  std::uint64_t tensor_bytes_ = 0;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t resident_weight_bytes_ = 0;
};

/// Bytes of the cache of one conversation that grows to n tokens, at most 512 at
/// once: pages of 64 positions, all of them in layers that see everything, and in
/// sliding layers those that the window and the newest tokens reach. Layers that
/// share keys and values add nothing.
std::uint64_t kv_cache_bytes(const gemma4::Config& config, std::int64_t n, KvType type);

}  // namespace pleiad::fit
