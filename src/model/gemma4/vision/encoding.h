#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "model/gemma4/vision/patches.h"
#include "model/gemma4/vision/tower.h"

namespace pleiad::gemma4 {

/// One picture on its way through the tower. The work lies in stages, each of which goes over
/// all patches in chunks before the next one begins.
class TowerEncoding final : public MediaEncoding {
 public:
  TowerEncoding(VisionTower& tower, const PictureInput& picture);

  bool advance(std::int64_t rows) override;
  double progress() const override;
  std::vector<float> take() override;

 private:
  enum class Stage : std::uint8_t { embed, project, attend, feed_forward, pool, done };

  // encoding.cc: the tower's description. Each takes rows [first, first + n).
  void embed_patches(std::int64_t first, std::int64_t n);
  void project_queries_keys_values(std::int64_t first, std::int64_t n);
  void attend(std::int64_t first, std::int64_t n);
  void feed_forward(std::int64_t first, std::int64_t n);
  void pool_and_project(std::int64_t first, std::int64_t n);  // soft tokens

  void project(std::initializer_list<ClippedProduct> products, Tensor x);

  // stages.cc: how the work is cut.
  void run_stage(std::int64_t first, std::int64_t n);
  void next_stage();
  std::int64_t rows_of_stage() const;
  double operations_per_row(Stage stage) const;
  double operations() const;

  Tensor rows(Tensor tensor, std::int64_t first, std::int64_t n) const {
    return tensor.from(first).top(n);
  }
  std::span<float> host(std::int64_t n, std::int64_t cols) const {
    return std::span(tower_.host_).first(static_cast<std::size_t>(n * cols));
  }
  const VisionLayer& layer() const { return tower_.layers_[static_cast<std::size_t>(layer_)]; }

  VisionTower& tower_;
  const VisionConfig& config_;
  Backend& backend_;
  PictureInput picture_;  // its pixels until they are embedded
  PatchGrid grid_;
  GridPositions positions_;

  Tensor residual_;  // [patches, hidden_dim]
  Tensor query_;     // [patches, n_heads * head_dim], of the layer under way
  Tensor rope_;      // [patches, head_dim]
  EncoderKv kv_;     // of the layer under way
  std::unique_ptr<Buffer> memory_;
  std::unique_ptr<Buffer> kv_memory_;
  std::vector<float> soft_tokens_;  // [soft tokens, model_dim]

  Stage stage_ = Stage::embed;
  int layer_ = 0;
  std::int64_t next_row_ = 0;  // of the stage
  double operations_done_ = 0.0;
  double operations_in_all_ = 0.0;
};

}  // namespace pleiad::gemma4
