// The 12B's way from samples to soft tokens, which is one line: soft token = W rms(frame).

#include "model/gemma4/unified/sound_embedder.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/check.h"
#include "base/mapped_file.h"
#include "model/gemma4/staged_encoding.h"
#include "model/gemma4/tensor_room.h"

namespace pleiad::gemma4 {

/// One clip on its way: frames one after the other, whole.
class SoundEmbedder::Encoding final : public StagedEncoding {
 public:
  Encoding(SoundEmbedder& embedder, const SoundInput& sound)
      : StagedEncoding(embedder.source_, embedder.backend_, embedder.options_.max_rows),
        embedder_(embedder),
        samples_(sound.samples),
        n_frames_(sound_tokens(embedder.config_, std::ssize(sound.samples))) {
    plan(n_frames_ * embedder.config_.model_dim, static_cast<double>(n_frames_), 1.0);
  }

 private:
  bool load_next_part() override { return embedder_.load_next_part(); }
  void run_stage(std::int64_t first, std::int64_t n) override { embed(first, n); }
  std::int64_t rows_of_stage() const override { return n_frames_; }
  double operations_of_row() const override { return 1.0; }
  bool next_stage() override {
    samples_ = {};
    return false;
  }

  void embed(std::int64_t first, std::int64_t n) {
    SoundEmbedder& e = embedder_;
    const Tensor frames = e.frames_.top(n);
    const std::span<float> values =
        std::span(e.host_).first(static_cast<std::size_t>(n * frames.cols));
    const auto begin = static_cast<std::size_t>(first * frames.cols);
    const std::size_t n_heard = std::min(values.size(), samples_.size() - begin);
    std::ranges::copy(std::span(samples_).subspan(begin, n_heard), values.begin());
    std::ranges::fill(values.subspan(n_heard), 0.0F);
    backend_.write(frames, values);
    project(first, frames, e.config_.rms_norm_eps, e.projector_, e.soft_.top(n));
  }

  SoundEmbedder& embedder_;
  std::vector<float> samples_;  // until they are embedded
  std::int64_t n_frames_ = 0;
};

SoundEmbedder::SoundEmbedder(const Checkpoint& checkpoint, Backend& backend,
                             const AudioOptions& options, const LoadProgress& progress)
    : source_(checkpoint, EncoderKind::audio),
      config_(*checkpoint.audio()),
      backend_(backend),
      options_(options),
      loader_(std::make_unique<EncoderLoader>(source_, backend, progress)) {
  CHECK(config_.is_embedder());
  info_.model_dim = config_.model_dim;
  info_.min_samples = config_.min_samples;
  info_.max_samples = config_.max_samples;
  if (!options.load_on_the_way) load_next_part();
  allocate_workspace();
  info_.weight_bytes = source_.tensor_bytes() + memory_->size() + host_.size() * sizeof(float);
}

bool SoundEmbedder::load_next_part() {
  if (!loader_) return false;
  projector_ = read_unchanged(source_, [&] { return loader_->matrix("audio.projector"); });
  loader_.reset();
  return true;
}

void SoundEmbedder::allocate_workspace() {
  const std::int64_t rows = options_.max_rows;
  const std::array<TensorPart, 2> parts = {{
      {&frames_, rows, config_.output_dim},
      {&soft_, rows, config_.model_dim},
  }};
  memory_ = allocate_tensors(backend_, parts);
  host_.resize(static_cast<std::size_t>(rows * config_.output_dim));
}

std::unique_ptr<MediaEncoding> SoundEmbedder::begin(const SoundInput& sound) {
  check_clip_length(config_, std::ssize(sound.samples));
  return std::make_unique<Encoding>(*this, sound);
}

std::uint64_t SoundEmbedder::encoding_bytes(std::int64_t n_samples) const {
  const auto values = n_samples + sound_tokens(config_, n_samples) * config_.model_dim;
  return static_cast<std::uint64_t>(values) * sizeof(float);
}

}  // namespace pleiad::gemma4
