// How a clip's way through the tower is cut into calls: stages over all rows, chunks of rows within
// a stage. No bit depends on it.

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/round_up.h"
#include "model/gemma4/audio/encoding.h"

namespace pleiad::gemma4 {
namespace {

// Kernels take rows in blocks: fewer cost as much.
constexpr std::int64_t kSoundRowBlock = 32;

/// Bytes of [rows, cols], so that what follows begins on a cache line.
std::size_t sound_tensor_room(std::int64_t rows, std::int64_t cols) {
  return static_cast<std::size_t>(rounded_up(rows * cols, 16)) * sizeof(float);
}

constexpr int kRowTensors = 4;  // of an encoding: the residual, queries, keys, values

}  // namespace

void check_clip_length(const AudioConfig& config, std::int64_t n_samples) {
  if (n_samples >= config.min_samples && n_samples <= config.max_samples) return;
  throw Error("a clip of {} samples: expected {} to {} ({} a second)", n_samples,
              config.min_samples, config.max_samples, kSoundRate);
}

std::uint64_t AudioTower::encoding_bytes(std::int64_t n_samples) const {
  const std::int64_t n_rows = sound_tokens(config_, n_samples);
  return static_cast<std::uint64_t>(n_samples) * sizeof(float) +
         sound_tensor_room(sound_frames(n_samples), kMelBands) +
         kRowTensors * sound_tensor_room(n_rows, config_.hidden_dim) +
         sound_tensor_room(n_rows, config_.model_dim);
}

std::unique_ptr<MediaEncoding> AudioTower::begin(const SoundInput& sound) {
  check_clip_length(config_, std::ssize(sound.samples));
  return std::make_unique<SoundEncoding>(*this, sound);
}

SoundEncoding::SoundEncoding(AudioTower& tower, const SoundInput& sound)
    : tower_(tower),
      config_(tower.config_),
      backend_(tower.backend_),
      samples_(sound.samples),
      n_frames_(sound_frames(static_cast<std::int64_t>(samples_.size()))),
      n_rows_(sound_tokens(config_, static_cast<std::int64_t>(samples_.size()))),
      features_(static_cast<std::size_t>(n_frames_ * kMelBands)) {
  const std::size_t room = sound_tensor_room(n_rows_, config_.hidden_dim);
  memory_ = backend_.allocate(kRowTensors * room);
  std::byte* next = memory_->data();
  for (Tensor* tensor : {&residual_, &query_, &key_, &value_}) {
    *tensor = Tensor(reinterpret_cast<float*>(next), n_rows_, config_.hidden_dim);
    next += room;
  }
  soft_tokens_.resize(static_cast<std::size_t>(n_rows_ * config_.model_dim));
  operations_in_all_ = operations();
}

bool SoundEncoding::advance(std::int64_t rows) {
  if (stage_ == Stage::done) return true;
  // Rows are counted as those of a layer's attention: where one costs less, more are computed.
  const double share = operations_per_row(Stage::attend) / operations_per_row(stage_);
  const auto most = static_cast<double>(tower_.options_.max_rows);
  const auto wanted =
      static_cast<std::int64_t>(std::min(std::max(static_cast<double>(rows) * share, 1.0), most));
  const std::int64_t chunk =
      std::min<std::int64_t>(rounded_up(wanted, kSoundRowBlock), tower_.options_.max_rows);
  const std::int64_t n = std::min(chunk, rows_of_stage() - next_row_);
  run_stage(next_row_, n);
  operations_done_ += static_cast<double>(n) * operations_per_row(stage_);
  next_row_ += n;
  if (next_row_ == rows_of_stage()) next_stage();
  // Weights without a packed form are read from the file.
  tower_.checkpoint_.check_audio_unchanged();
  return stage_ == Stage::done;
}

void SoundEncoding::run_stage(std::int64_t first, std::int64_t n) {
  switch (stage_) {
    case Stage::features:
      return compute_features(first, n);
    case Stage::subsample:
      return subsample(first, n);
    case Stage::project:
      return project_queries_keys_values(first, n);
    case Stage::attend:
      return attend_and_gate(first, n);
    case Stage::convolve:
      return convolve(first, n);
    case Stage::output:
      return output_soft_tokens(first, n);
    case Stage::done:
      return;
  }
}

void SoundEncoding::next_stage() {
  next_row_ = 0;
  switch (stage_) {
    case Stage::features:
      samples_ = {};
      stage_ = Stage::subsample;
      return;
    case Stage::subsample:
      features_ = {};
      stage_ = Stage::project;
      return;
    case Stage::project:
      stage_ = Stage::attend;
      return;
    case Stage::attend:
      stage_ = Stage::convolve;
      return;
    case Stage::convolve:
      stage_ = ++layer_ < config_.n_layers ? Stage::project : Stage::output;
      return;
    case Stage::output:
      memory_.reset();
      stage_ = Stage::done;
      return;
    case Stage::done:
      return;
  }
}

double SoundEncoding::operations_per_row(Stage stage) const {
  const double hidden = config_.hidden_dim;
  const double feed_forward = 4.0 * hidden * config_.ffn_dim;
  const double first = config_.conv_channels[0];
  const double second = config_.conv_channels[1];
  switch (stage) {
    case Stage::features:
      return 5.0 * 512 * 9;  // of the FFT
    case Stage::subsample:
      // Two rows of the first map, one of the second.
      return 2.0 * 9 * first * kMelBands + 18.0 * first * second * kSubsampledBands +
             2.0 * second * kSubsampledBands * hidden;
    case Stage::project:
      return feed_forward + 6.0 * hidden * hidden;
    case Stage::attend:
      return 6.0 * hidden * config_.window() + 6.0 * hidden * hidden;
    case Stage::convolve:
      return feed_forward + 2.0 * hidden * hidden;
    case Stage::output:
      return 2.0 * config_.output_dim * (hidden + config_.model_dim);
    case Stage::done:
      break;
  }
  return 1.0;
}

double SoundEncoding::operations() const {
  const auto n = static_cast<double>(n_rows_);
  const double layer = operations_per_row(Stage::project) + operations_per_row(Stage::attend) +
                       operations_per_row(Stage::convolve);
  return static_cast<double>(n_frames_) * operations_per_row(Stage::features) +
         n * (operations_per_row(Stage::subsample) + config_.n_layers * layer +
              operations_per_row(Stage::output));
}

double SoundEncoding::progress() const {
  return stage_ == Stage::done ? 1.0 : std::min(operations_done_ / operations_in_all_, 1.0);
}

std::vector<float> SoundEncoding::take() {
  CHECK(stage_ == Stage::done, "an encoding that is not done");
  return std::move(soft_tokens_);
}

}  // namespace pleiad::gemma4
