#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "engine/media/prompt_media.h"
#include "model/audio_encoder.h"
#include "model/vision_encoder.h"

namespace pleiad::testing_support {

/// What fake towers share: what they were asked to do is counted; hooks make them slow, or fail.
class FakeTower {
 public:
  std::function<void()> on_begin = [] {};
  /// Before every part; the n-th of a medium, from 0. False: it goes on for longer.
  std::function<bool(int part)> on_part = [](int part) { return part >= 3; };
  std::function<void(std::int64_t rows)> on_rows = [](std::int64_t) {};
  /// First parts of each medium that only load something.
  int n_loading = 0;
  std::uint64_t bytes_of_encoding = 0;
  std::atomic<int> n_begun = 0;
  std::atomic<int> n_done = 0;
  std::atomic<int> n_alive = 0;

 protected:
  /// Rows that look like embeddings and follow from a digest.
  static std::vector<float> rows_of_digest(const std::array<std::uint8_t, 32>& digest,
                                           std::int64_t n_floats) {
    std::mt19937 random(digest[0] * 256U + digest[1]);
    std::normal_distribution<float> value(0.0F, 1.0F);
    std::vector<float> rows(static_cast<std::size_t>(n_floats));
    for (float& x : rows) x = value(random);
    return rows;
  }
  std::unique_ptr<MediaEncoding> begin_with(std::vector<float> rows) {
    on_begin();
    ++n_begun;
    return std::make_unique<Encoding>(*this, std::move(rows));
  }

 private:
  class Encoding final : public MediaEncoding {
   public:
    Encoding(FakeTower& tower, std::vector<float> rows) : tower_(tower), rows_(std::move(rows)) {
      ++tower_.n_alive;
    }
    ~Encoding() override { --tower_.n_alive; }
    bool advance(std::int64_t rows) override {
      tower_.on_rows(rows);
      const bool done = tower_.on_part(part_++);
      if (done) ++tower_.n_done;
      return done;
    }
    // 0, 1/2, 2/3, ...
    double progress() const override {
      return 1 - 1.0 / (std::max(part_ - tower_.n_loading, 0) + 1);
    }
    std::vector<float> take() override { return std::move(rows_); }

   private:
    FakeTower& tower_;
    std::vector<float> rows_;
    int part_ = 0;
  };
};

class FakeVision final : public VisionEncoder, public FakeTower {
 public:
  explicit FakeVision(std::int64_t model_dim) { info_.model_dim = model_dim; }

  const VisionEncoderInfo& info() const override { return info_; }
  std::unique_ptr<MediaEncoding> begin(const PictureInput& picture) override {
    return begin_with(rows_of(picture));
  }
  std::uint64_t encoding_bytes(std::int64_t) const override { return bytes_of_encoding; }

  /// What it makes of a picture.
  std::vector<float> rows_of(const PictureInput& picture) const {
    return rows_of_digest(picture.digest,
                          info_.soft_tokens(picture.width, picture.height) * info_.model_dim);
  }

 private:
  VisionEncoderInfo info_;
};

constexpr std::int64_t kSamplesOfAToken = 10;  // to the fake tower

class FakeAudio final : public AudioEncoder, public FakeTower {
 public:
  explicit FakeAudio(std::int64_t model_dim) { info_.model_dim = model_dim; }

  const AudioEncoderInfo& info() const override { return info_; }
  std::unique_ptr<MediaEncoding> begin(const SoundInput& sound) override {
    return begin_with(rows_of(sound));
  }
  std::uint64_t encoding_bytes(std::int64_t) const override { return bytes_of_encoding; }

  /// What it makes of a clip.
  std::vector<float> rows_of(const SoundInput& sound) const {
    return rows_of_digest(sound.digest,
                          std::ssize(sound.samples) / kSamplesOfAToken * info_.model_dim);
  }

 private:
  AudioEncoderInfo info_;
};

/// A picture of n soft tokens; equal numbers are equal pictures.
inline std::shared_ptr<const PictureInput> some_picture(std::uint8_t number, int n = 20) {
  auto picture = std::make_shared<PictureInput>();
  picture->digest = {number, static_cast<std::uint8_t>(n)};
  picture->width = 48 * n;
  picture->height = 48;
  return picture;
}

/// A clip of n soft tokens of the fake tower, known by the same digest as such a picture.
inline std::shared_ptr<const SoundInput> some_sound(std::uint8_t number, int n = 20) {
  auto sound = std::make_shared<SoundInput>();
  sound->digest = {number, static_cast<std::uint8_t>(n)};
  sound->samples.assign(static_cast<std::size_t>(n * kSamplesOfAToken), 0.0F);
  return sound;
}

constexpr text::TokenId kPlaceholder = 7;

/// A prompt that is put together.
struct MediaBook {
  std::vector<text::TokenId> tokens;
  std::vector<PromptMedia> media;

  MediaBook& text(const std::vector<text::TokenId>& more) {
    tokens.insert(tokens.end(), more.begin(), more.end());
    return *this;
  }
  MediaBook& picture(std::shared_ptr<const PictureInput> picture) {
    const std::int64_t n = picture->width / 48 * (picture->height / 48);
    return add({static_cast<std::int64_t>(tokens.size()), n, std::move(picture)});
  }
  MediaBook& sound(std::shared_ptr<const SoundInput> sound) {
    const std::int64_t n = std::ssize(sound->samples) / kSamplesOfAToken;
    return add({static_cast<std::int64_t>(tokens.size()), n, nullptr, std::move(sound)});
  }

 private:
  MediaBook& add(PromptMedia one) {
    tokens.insert(tokens.end(), static_cast<std::size_t>(one.n), kPlaceholder);
    media.push_back(std::move(one));
    return *this;
  }
};

}  // namespace pleiad::testing_support
