// The 12B's way from samples to soft tokens, which is one line: soft token = W rms(frame).

#include "model/gemma4/unified/sound_embedder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/round_up.h"

namespace pleiad::gemma4 {
namespace {

constexpr std::string_view kFrameMatrix = "audio.projector";
// Kernels take rows in blocks: fewer cost as much.
constexpr std::int64_t kFrameBlock = 32;

}  // namespace

/// One clip on its way: frames one after the other, whole.
class SoundEmbedder::Encoding final : public MediaEncoding {
 public:
  Encoding(SoundEmbedder& embedder, const SoundInput& sound)
      : embedder_(embedder),
        samples_(sound.samples),
        n_frames_(sound_tokens(embedder.config_, std::ssize(sound.samples))),
        soft_tokens_(static_cast<std::size_t>(n_frames_ * embedder.config_.model_dim)) {}

  bool advance(std::int64_t rows) override {
    if (next_ == n_frames_) return true;
    const std::int64_t most = embedder_.options_.max_rows;
    const std::int64_t chunk =
        std::min(rounded_up(std::clamp<std::int64_t>(rows, 1, most), kFrameBlock), most);
    const std::int64_t n = std::min(chunk, n_frames_ - next_);
    embed(next_, n);
    next_ += n;
    if (next_ == n_frames_) samples_ = {};
    // A weight without a packed form is read from the file.
    embedder_.checkpoint_.check_audio_unchanged();
    return next_ == n_frames_;
  }

  double progress() const override {
    return static_cast<double>(next_) / static_cast<double>(n_frames_);
  }

  std::vector<float> take() override {
    CHECK(next_ == n_frames_, "an encoding that is not done");
    return std::move(soft_tokens_);
  }

 private:
  void embed(std::int64_t first, std::int64_t n) {
    SoundEmbedder& e = embedder_;
    const Tensor frames = e.frames_.top(n);
    const Tensor soft = e.soft_.top(n);
    const std::span<float> values =
        std::span(e.host_).first(static_cast<std::size_t>(n * frames.cols));
    const auto begin = static_cast<std::size_t>(first * frames.cols);
    const std::size_t n_heard = std::min(values.size(), samples_.size() - begin);
    std::ranges::copy(std::span(samples_).subspan(begin, n_heard), values.begin());
    std::ranges::fill(values.subspan(n_heard), 0.0F);
    e.backend_.write(frames, values);
    e.backend_.rms_norm(frames, frames, nullptr, e.config_.rms_norm_eps);
    const LinearTask task = {soft, &e.projector_};
    e.backend_.linear({&task, 1}, frames);
    e.backend_.read(std::span(soft_tokens_)
                        .subspan(static_cast<std::size_t>(first * soft.cols),
                                 static_cast<std::size_t>(n * soft.cols)),
                    soft);
  }

  SoundEmbedder& embedder_;
  std::vector<float> samples_;  // until they are embedded
  std::int64_t n_frames_ = 0;
  std::vector<float> soft_tokens_;  // [frames, model_dim]
  std::int64_t next_ = 0;           // frame
};

SoundEmbedder::SoundEmbedder(const Checkpoint& checkpoint, Backend& backend,
                             const AudioOptions& options, const LoadProgress& progress)
    : checkpoint_(checkpoint), config_(*checkpoint.audio()), backend_(backend), options_(options) {
  CHECK(config_.is_embedder());
  info_.model_dim = config_.model_dim;
  info_.min_samples = config_.min_samples;
  info_.max_samples = config_.max_samples;
  try {
    load(progress);
    checkpoint.check_audio_unchanged();
  } catch (...) {
    checkpoint.check_audio_unchanged();  // whatever else was found then comes of it
    throw;
  }
  allocate_workspace();
  info_.weight_bytes =
      checkpoint.audio_tensor_bytes() + memory_->size() + host_.size() * sizeof(float);
}

void SoundEmbedder::load(const LoadProgress& progress) {
  const HostTensor* tensor = checkpoint_.find_audio(kFrameMatrix);
  CHECK(tensor != nullptr, "tensor {}", kFrameMatrix);
  prefetch_pages(tensor->data);
  checkpoint_.check_audio_unchanged();
  projector_ = backend_.upload(*tensor, WeightUse::matrix);
  if (!projector_.reads_file()) checkpoint_.drop_pages(*tensor);
  if (progress) progress(tensor->data.size(), checkpoint_.audio_tensor_bytes());
}

void SoundEmbedder::allocate_workspace() {
  const std::int64_t rows = options_.max_rows;
  constexpr std::int64_t kAlign = 16;  // floats: every tensor starts on a cache line
  const std::int64_t frames = rounded_up(rows * config_.output_dim, kAlign);
  memory_ = backend_.allocate(static_cast<std::size_t>(frames + rows * config_.model_dim) *
                              sizeof(float));
  auto* room = reinterpret_cast<float*>(memory_->data());
  frames_ = Tensor(room, rows, config_.output_dim);
  soft_ = Tensor(room + frames, rows, config_.model_dim);
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
