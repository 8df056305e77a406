#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "model/gemma4/staged_encoding.h"
#include "model/gemma4/vision/patches.h"
#include "model/gemma4/vision/tower.h"

namespace pleiad::gemma4 {

/// One picture on its way through the tower. A row is a patch; of the last stage, a soft token.
class TowerEncoding final : public StagedEncoding {
 public:
  TowerEncoding(VisionTower& tower, const PictureInput& picture);

 private:
  enum class Stage : std::uint8_t { embed, project, attend, feed_forward, pool };

  // encoding.cc: the tower's description. Each takes rows [first, first + n).
  void embed_patches(std::int64_t first, std::int64_t n);
  void prepare_rope(std::int64_t first, std::int64_t n);
  void project_queries_keys_values(std::int64_t first, std::int64_t n);
  void attend(std::int64_t first, std::int64_t n);
  void feed_forward(std::int64_t first, std::int64_t n);
  void pool_and_project(std::int64_t first, std::int64_t n);  // soft tokens

  void multiply(std::initializer_list<ClippedProduct> products, Tensor x);

  // stages.cc: how the work is cut.
  bool load_next_part() override { return tower_.load_next_part(); }
  void run_stage(std::int64_t first, std::int64_t n) override;
  bool next_stage() override;
  std::int64_t rows_of_stage() const override;
  double operations_of_row() const override { return operations_per_row(stage_); }
  double operations_per_row(Stage stage) const;
  double operations() const;

  std::span<float> host(std::int64_t n, std::int64_t cols) const {
    return std::span(tower_.host_).first(static_cast<std::size_t>(n * cols));
  }
  const VisionLayer& layer() const { return tower_.layers_[static_cast<std::size_t>(layer_)]; }

  VisionTower& tower_;
  const VisionConfig& config_;
  const PictureInput& picture_;
  PatchGrid grid_;
  GridPositions positions_;

  std::vector<std::int32_t> xs_, ys_;  // of a chunk

  Tensor residual_;  // [patches, hidden_dim]
  Tensor query_;     // [patches, n_heads * head_dim], of the layer under way
  Tensor rope_;      // [patches, head_dim], of the patches that are embedded
  EncoderKv kv_;     // of the layer under way
  std::unique_ptr<Buffer> memory_;
  std::unique_ptr<Buffer> kv_memory_;

  Stage stage_ = Stage::embed;
  int layer_ = 0;
};

}  // namespace pleiad::gemma4
