#include "media/sound/resampler.h"

#include <cmath>
#include <new>

#include "media/sound/sound.h"

namespace pleiad::media {
namespace {

constexpr std::size_t kAtATime = 16'384;  // samples of the result

}  // namespace

Resampler::Resampler(int rate) : ratio_(static_cast<double>(kSoundRate) / rate) {
  if (rate == kSoundRate) return;
  const StreamLibraries& libraries = stream_libraries();
  const soxr_quality_spec_t quality = libraries.soxr_quality_spec(SOXR_HQ, 0);
  const soxr_runtime_spec_t one_thread = libraries.soxr_runtime_spec(1);
  soxr_error_t error = nullptr;
  soxr_.reset(libraries.soxr_create(rate, kSoundRate, 1, &error, nullptr, &quality, &one_thread));
  if (!soxr_ || error != nullptr) throw std::bad_alloc();
  made_.resize(kAtATime);
}

void Resampler::add(std::span<const float> samples, SoundSamples& result) {
  n_in_ += static_cast<std::int64_t>(samples.size());
  if (!soxr_) return result.append(samples);
  const StreamLibraries& libraries = stream_libraries();
  while (!samples.empty()) {
    std::size_t taken = 0;
    std::size_t made = 0;
    const soxr_error_t error = libraries.soxr_process(soxr_.get(), samples.data(), samples.size(),
                                                      &taken, made_.data(), kAtATime, &made);
    if (error != nullptr) throw std::bad_alloc();
    result.append(std::span(made_).first(made));
    samples = samples.subspan(taken);
  }
}

void Resampler::finish(SoundSamples& result) {
  if (!soxr_) return;
  const StreamLibraries& libraries = stream_libraries();
  std::size_t made = 0;
  do {
    const soxr_error_t error =
        libraries.soxr_process(soxr_.get(), nullptr, 0, nullptr, made_.data(), kAtATime, &made);
    if (error != nullptr) throw std::bad_alloc();
    result.append(std::span(made_).first(made));
  } while (made != 0);
  result.resize(static_cast<std::size_t>(std::ceil(static_cast<double>(n_in_) * ratio_)));
}

}  // namespace pleiad::media
