// Every decoder against Pillow, on pictures that tools/pictures/make_corpus.py wrote.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "media/media_testing.h"
#include "media/prepare.h"

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
