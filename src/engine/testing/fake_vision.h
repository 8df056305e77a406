#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "engine/media/prompt_media.h"
#include "model/vision_encoder.h"

namespace pleiad::testing_support {

/// A tower for tests: rows that look like embeddings and follow from the picture's digest. What
/// it was asked to do is counted; hooks make it slow, or fail.
class FakeVision final : public VisionEncoder {
 public:
  explicit FakeVision(std::int64_t model_dim) { info_.model_dim = model_dim; }

  std::function<void()> on_begin = [] {};
  /// Before every part; the n-th of a picture, from 0. False: it goes on for longer.
  std::function<bool(int part)> on_part = [](int part) { return part >= 3; };
  std::function<void(std::int64_t rows)> on_rows = [](std::int64_t) {};
  /// First parts of each picture that only load something.
  int n_loading = 0;
  std::atomic<int> n_begun = 0;
  std::atomic<int> n_done = 0;
  std::atomic<int> n_alive = 0;

  const VisionEncoderInfo& info() const override { return info_; }
  std::unique_ptr<MediaEncoding> begin(const PictureInput& picture) override {
    on_begin();
    ++n_begun;
    return std::make_unique<Encoding>(*this, picture);
  }
  std::uint64_t encoding_bytes(std::int64_t) const override { return 0; }

  /// What it makes of a picture.
  std::vector<float> rows_of(const PictureInput& picture) const {
    std::mt19937 random(picture.digest[0] * 256U + picture.digest[1]);
    std::normal_distribution<float> value(0.0F, 1.0F);
    std::vector<float> rows(static_cast<std::size_t>(
        info_.soft_tokens(picture.width, picture.height) * info_.model_dim));
    for (float& x : rows) x = value(random);
    return rows;
  }

 private:
  class Encoding final : public MediaEncoding {
   public:
    Encoding(FakeVision& tower, const PictureInput& picture)
        : tower_(tower), rows_(tower.rows_of(picture)) {
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
    FakeVision& tower_;
    std::vector<float> rows_;
    int part_ = 0;
  };

  VisionEncoderInfo info_;
};

/// A picture of n soft tokens; equal numbers are equal pictures.
inline std::shared_ptr<const PictureInput> some_picture(std::uint8_t number, int n = 20) {
  auto picture = std::make_shared<PictureInput>();
  picture->digest = {number, static_cast<std::uint8_t>(n)};
  picture->width = 48 * n;
  picture->height = 48;
  return picture;
}

constexpr text::TokenId kPlaceholder = 7;

/// A prompt that is put together.
struct PictureBook {
  std::vector<text::TokenId> tokens;
  std::vector<PromptPicture> pictures;

  PictureBook& text(const std::vector<text::TokenId>& more) {
    tokens.insert(tokens.end(), more.begin(), more.end());
    return *this;
  }
  PictureBook& picture(std::shared_ptr<const PictureInput> picture) {
    const std::int64_t n = picture->width / 48 * (picture->height / 48);
    pictures.push_back({static_cast<std::int64_t>(tokens.size()), n, std::move(picture)});
    tokens.insert(tokens.end(), static_cast<std::size_t>(n), kPlaceholder);
    return *this;
  }
};

}  // namespace pleiad::testing_support
