#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/gemma4/audio/tower.h"
#include "model/gemma4/staged_encoding.h"

namespace pleiad::gemma4 {

/// One clip on its way through the tower. A row is what becomes a soft token: 40 ms.
class SoundEncoding final : public StagedEncoding {
 public:
  SoundEncoding(AudioTower& tower, const SoundInput& sound);

 private:
  enum class Stage : std::uint8_t { features, subsample, project, attend, convolve, output };

  // encoding.cc: the tower's description. Each takes rows [first, first + n), the first one frames.
  void compute_features(std::int64_t first, std::int64_t n);
  void subsample(std::int64_t first, std::int64_t n);
  void project_queries_keys_values(std::int64_t first, std::int64_t n);
  void attend_and_gate(std::int64_t first, std::int64_t n);
  void convolve(std::int64_t first, std::int64_t n);
  void output_soft_tokens(std::int64_t first, std::int64_t n);

  void half_feed_forward(const AudioFeedForward& weights, Tensor x);
  void second_convolution(std::int64_t first, std::int64_t n);

  // stages.cc: how the work is cut.
  bool load_next_part() override { return tower_.load_next_part(); }
  void run_stage(std::int64_t first, std::int64_t n) override;
  bool next_stage() override;
  std::int64_t rows_of_stage() const override {
    return stage_ == Stage::features ? n_frames_ : n_rows_;
  }
  double operations_of_row() const override { return operations_per_row(stage_); }
  double operations_per_row(Stage stage) const;
  double operations() const;

  const AudioLayer& layer() const { return tower_.layers_[static_cast<std::size_t>(layer_)]; }

  AudioTower& tower_;
  const AudioConfig& config_;
  std::vector<float> samples_;  // until the features are computed
  std::int64_t n_frames_;
  std::int64_t n_rows_;

  std::vector<float> features_;  // [frames, kMelBands], until they are subsampled
  Tensor residual_;              // [rows, hidden_dim]
  Tensor query_;                 // same, of the layer under way; then what its convolution takes
  Tensor key_;                   // same
  Tensor value_;                 // same
  std::unique_ptr<Buffer> memory_;

  Stage stage_ = Stage::features;
  int layer_ = 0;
};

}  // namespace pleiad::gemma4
