// Every decoder against Pillow, on pictures that tools/pictures/make_corpus.py wrote.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "media/budget.h"
#include "media/media_testing.h"
#include "media/prepare.h"
#include "media/resize.h"

namespace pleiad::media {
namespace {

TEST(Corpus, PixelsEqualPillows) {
  const Json corpus = corpus_index();
  ASSERT_GT(corpus.at("equal").size(), 100U);
  for (const Json& picture : corpus.at("equal")) {
    const std::string name = picture.at("file").get<std::string>();
    const Result<Pixels> pixels = decode_picture(corpus_picture(name), {});
    ASSERT_TRUE(pixels.ok()) << name << " " << pixels.message();
    EXPECT_EQ(pixels.value().size.width, picture.at("width").get<int>()) << name;
    EXPECT_EQ(pixels.value().size.height, picture.at("height").get<int>()) << name;
    EXPECT_EQ(digest_of(pixels.value()), picture.at("rgb").get<std::string>()) << name;
  }
}

TEST(Corpus, PreparedPicturesEqualPillowsAfterItsResize) {
  const Json corpus = corpus_index();
  ASSERT_GT(corpus.at("equal").size(), 100U);
  for (const Json& picture : corpus.at("equal")) {
    const std::string name = picture.at("file").get<std::string>();
    // The larger one for some, which costs most of the time.
    const bool turned = name.find("orientation") != std::string::npos;
    for (const int budget : turned ? std::vector{70, 280} : std::vector{70}) {
      const Result<PreparedPicture> prepared =
          prepare_picture(corpus_picture(name), {.budget = budget}, {});
      ASSERT_TRUE(prepared.ok()) << name << " " << prepared.message();
      EXPECT_EQ(prepared.value().original.width, picture.at("width").get<int>()) << name;
      EXPECT_EQ(prepared.value().original.height, picture.at("height").get<int>()) << name;
      EXPECT_EQ(prepared.value().budget, budget);
      EXPECT_EQ(digest_of(prepared.value().pixels),
                picture.at(fmt::format("at_{}", budget)).get<std::string>())
          << name << " at " << budget;
    }
  }
}

/// 24 bits a pixel, the first row first.
std::vector<std::byte> as_bmp(const Pixels& picture) {
  std::string file = "BM";
  const auto put = [&](std::int64_t value, int n_bytes) {
    for (int i = 0; i < n_bytes; ++i) file += static_cast<char>(value >> 8 * i & 255);
  };
  for (const int field : {0, 0, 54, 40, picture.size.width, -picture.size.height}) put(field, 4);
  put(1, 2);
  put(24, 2);
  for (int i = 0; i < 6; ++i) put(0, 4);
  const std::size_t row = static_cast<std::size_t>(picture.size.width) * 3;
  for (std::size_t at = 0; at < picture.rgb.size(); at += row) {
    for (std::size_t x = 0; x < row; x += 3) {
      for (const std::size_t channel : {2, 1, 0})
        file += static_cast<char>(picture.rgb[at + x + channel]);
    }
    file.append((4 - row % 4) % 4, '\0');
  }
  return bytes_of(file);
}

// Batches of rows, and slack behind them, depend on the width.
TEST(Corpus, VeryWideAndVeryTallPicturesAreReadInBatches) {
  for (const PictureSize size : {PictureSize{12'000, 37}, PictureSize{37, 12'000},
                                 PictureSize{65'535, 1}, PictureSize{12'001, 200}}) {
    const Pixels picture = noise(size);
    const std::vector<std::byte> file = as_bmp(picture);
    EXPECT_EQ(decode_picture(file, {}).value().rgb, picture.rgb) << size.width;
    const PreparedPicture prepared = prepare_picture(file, {.budget = 140}, {}).value();
    EXPECT_EQ(prepared.original, size);
    EXPECT_EQ(digest_of(prepared.pixels),
              digest_of(resize_bicubic(picture, target_size(size, 140))))
        << size.width;
  }
}

// HEIC and AVIF are decoded by other libraries than the reference's, whose conversions from luma
// and chroma to RGB round differently.
TEST(Corpus, HeicAndAvifAreCloseToPillows) {
  const Json corpus = corpus_index();
  ASSERT_GT(corpus.at("close").size(), 5U);
  for (const Json& picture : corpus.at("close")) {
    const std::string name = picture.at("file").get<std::string>();
    const Result<Pixels> pixels = decode_picture(corpus_picture(name), {});
#if defined(PLEIAD_HEIF)
    ASSERT_TRUE(pixels.ok()) << name << " " << pixels.message();
    const Pixels expected =
        decode_picture(corpus_picture(picture.at("expected").get<std::string>()), {}).value();
    ASSERT_EQ(pixels.value().size, expected.size) << name;
    double sum = 0;
    int largest = 0;
    for (std::size_t i = 0; i < expected.rgb.size(); ++i) {
      const int difference = std::abs(int{pixels.value().rgb[i]} - int{expected.rgb[i]});
      sum += difference;
      largest = std::max(largest, difference);
    }
    EXPECT_LT(sum / static_cast<double>(expected.rgb.size()), 1.0) << name;
    EXPECT_LE(largest, 3) << name;
#else
    ASSERT_FALSE(pixels.ok()) << name;
    EXPECT_NE(pixels.message().find("without libheif"), std::string::npos) << pixels.message();
#endif
  }
}

}  // namespace
}  // namespace pleiad::media
