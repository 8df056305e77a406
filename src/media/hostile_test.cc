// Files that are cut, damaged, lie about their size or are meant to take for ever.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

#include "media/media_testing.h"
#include "media/prepare.h"

namespace pleiad::media {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string failure_of(const std::vector<std::byte>& bytes, const DecodeLimits& limits = {}) {
  const Result<Pixels> pixels = decode_picture(bytes, limits);
  return pixels.ok() ? "a picture" : pixels.message();
}

std::vector<std::byte> bytes_from(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  bytes.reserve(values.size());
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

void put(std::vector<std::byte>& bytes, std::size_t at, std::initializer_list<int> values) {
  for (const int value : values) bytes.at(at++) = static_cast<std::byte>(value);
}

std::vector<std::byte> first_part(const std::vector<std::byte>& bytes, std::size_t n) {
  const std::span<const std::byte> part = std::span(bytes).first(n);
  return {part.begin(), part.end()};
}

std::vector<std::string> corpus_names() {
  const Json index = corpus_index();
  std::vector<std::string> names;
  for (const char* list : {"equal", "close"}) {
    for (const Json& picture : index.at(list))
      names.push_back(picture.at("file").get<std::string>());
  }
  return names;
}

TEST(HostilePicture, HalfOfAFileIsRefused) {
  for (const std::string& name : corpus_names()) {
    // Their first frame or page is whole in the first half.
    if (name.starts_with("animated") || name == "pages.tif") continue;
    const std::vector<std::byte> bytes = corpus_picture(name);
    EXPECT_THAT(failure_of(first_part(bytes, bytes.size() / 2)),
                ContainsRegex("^is an? [A-Za-z]+ picture that "))
        << name;
  }
}

TEST(HostilePicture, WhereverAFileIsCutItIsRefusedOrWhole) {
  for (const std::string& name : corpus_names()) {
    const std::vector<std::byte> bytes = corpus_picture(name);
    const Result<Pixels> whole = decode_picture(bytes, {});
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / 40);
    for (std::size_t n = 0; n < bytes.size(); n += step) {
      const Result<Pixels> pixels = decode_picture(first_part(bytes, n), {});
      // What may be missing is what no pixel depends on.
      if (pixels.ok() && pixels.value().rgb != whole.value().rgb) {
        ADD_FAILURE() << name << " cut at " << n << " of " << bytes.size()
                      << " gives another picture";
      }
    }
  }
}

TEST(HostilePicture, DamagedBytesEndInASentenceOrInPixels) {
  std::uint32_t state = 7;
  const auto random = [&] { return (state = state * 1664525U + 1013904223U) >> 8; };
  DecodeLimits limits;
  limits.max_pixels = 1'000'000;
  for (const std::string& name : corpus_names()) {
    const std::vector<std::byte> bytes = corpus_picture(name);
    for (int round = 0; round < 8; ++round) {
      std::vector<std::byte> damaged = bytes;
      for (int i = 0; i < 1 + round; ++i) {
        // Headers, where sizes and counts stand, more often than the rest.
        const std::size_t reach =
            i % 2 == 0 ? std::min<std::size_t>(bytes.size(), 200) : bytes.size();
        damaged[random() % reach] = static_cast<std::byte>(random());
      }
      const Result<PreparedPicture> prepared = prepare_picture(damaged, {.budget = 70}, limits);
      if (prepared.ok()) {
        EXPECT_LE(prepared.value().n_soft_tokens, 70) << name;
      } else {
        EXPECT_FALSE(prepared.message().empty()) << name;
      }
    }
  }
}

TEST(HostilePicture, SizesBeyondTheLimitsAreRefusedByTheHeader) {
  // 65,535 squared, and nothing behind the header.
  std::vector<std::byte> png = first_part(corpus_picture("rgb.png"), 33);
  put(png, 16, {0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF});
  put(png, 29, {0x39, 0x67, 0x4E, 0x07});                 // its checksum
  EXPECT_THAT(failure_of(png), HasSubstr("ends early"));  // libpng reads on to the first data
  const auto data = bytes_from({0, 0, 0, 0, 'I', 'D', 'A', 'T'});
  png.insert(png.end(), data.begin(), data.end());
  EXPECT_EQ(failure_of(png),
            "is a PNG picture that has 65,535 x 65,535 = 4,294,836,225 pixels; at most 100,000,000 "
            "are read");

  std::vector<std::byte> gif = corpus_picture("plain.gif");
  put(gif, 6, {0xFF, 0xFF, 0xFF, 0xFF});
  EXPECT_EQ(failure_of(gif),
            "is a GIF picture that has 65,535 x 65,535 = 4,294,836,225 pixels; at most 100,000,000 "
            "are read");

  std::vector<std::byte> bmp = corpus_picture("rle8.bmp");
  put(bmp, 18, {0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0, 0});
  EXPECT_EQ(failure_of(bmp),
            "is a BMP picture that has 65,535 x 65,535 = 4,294,836,225 pixels; at most 100,000,000 "
            "are read");
  put(bmp, 18, {0xFF, 0xFF, 0xFF, 0x7F, 1, 0, 0, 0});
  EXPECT_EQ(failure_of(bmp),
            "is a BMP picture that has 2,147,483,647 x 1 pixels; a side may have 65,535 at most");

  std::vector<std::byte> jpeg = corpus_picture("progressive.jpg");
  const auto marker = bytes_from({0xFF, 0xC2});
  const auto frame = std::search(jpeg.begin(), jpeg.end(), marker.begin(), marker.end());
  ASSERT_NE(frame, jpeg.end());
  put(jpeg, static_cast<std::size_t>(frame - jpeg.begin()) + 5, {0xFF, 0xDC, 0xFF, 0xDC});
  EXPECT_EQ(failure_of(jpeg),
            "is a JPEG picture that has 65,500 x 65,500 = 4,290,250,000 pixels; at most "
            "100,000,000 are read");
}

TEST(HostilePicture, LimitsAreTheCallers) {
  DecodeLimits limits;
  limits.max_pixels = 45 * 37;
  EXPECT_EQ(failure_of(corpus_picture("rgb.png"), limits), "a picture");
  limits.max_pixels -= 1;
  for (const char* name :
       {"rgb.png", "lossy.webp", "plain.gif", "rgb.bmp", "tiles.tif", "gray.jpg"}) {
    EXPECT_THAT(failure_of(corpus_picture(name), limits),
                HasSubstr("has 45 x 37 = 1,665 pixels; at most 1,664 are read"))
        << name;
  }
  limits = {};
  limits.max_side = 44;
  EXPECT_THAT(failure_of(corpus_picture("rgb.png"), limits),
              HasSubstr("a side may have 44 at most"));
}

TEST(HostilePicture, FramesBehindTheFirstAreNotLookedAt) {
  const std::vector<std::byte> one = corpus_picture("1x1.gif");
  const auto image = std::find(one.begin() + 13, one.end(), std::byte{','});
  ASSERT_NE(image, one.end());
  std::vector<std::byte> many(one.begin(), one.end() - 1);
  const std::vector<std::byte> frame(image, one.end() - 1);
  for (int i = 0; i < 1'000'000; ++i) many.insert(many.end(), frame.begin(), frame.end());
  // Half a frame at the end would be an error to whoever looks.
  many.resize(many.size() - frame.size() / 2);
  EXPECT_EQ(decode_picture(many, {}).value().rgb, decode_picture(one, {}).value().rgb);
}

TEST(HostilePicture, ScansWithoutEndAreRefused) {
  const std::vector<std::byte> jpeg = corpus_picture("progressive.jpg");
  const auto scan_marker = bytes_from({0xFF, 0xDA});
  const auto table_marker = bytes_from({0xFF, 0xC4});
  const auto scan = std::search(jpeg.begin(), jpeg.end(), scan_marker.begin(), scan_marker.end());
  const auto behind = std::search(scan, jpeg.end(), table_marker.begin(), table_marker.end());
  ASSERT_NE(behind, jpeg.end());
  std::vector<std::byte> bomb(jpeg.begin(), scan);
  for (int i = 0; i < 100; ++i) bomb.insert(bomb.end(), scan, behind);
  bomb.insert(bomb.end(), scan, jpeg.end());
  EXPECT_EQ(failure_of(bomb), "is a JPEG picture that has more than 100 scans");
  DecodeLimits limits;
  limits.max_scans = 200;
  EXPECT_EQ(failure_of(bomb, limits), "a picture");
}

TEST(HostilePicture, AProgressiveFileThatEndsBetweenTwoScansIsRefused) {
  const std::vector<std::byte> jpeg = corpus_picture("progressive.jpg");
  std::size_t scan = jpeg.size() - 2;
  while (jpeg[scan] != std::byte{0xFF} || jpeg[scan + 1] != std::byte{0xDA}) --scan;
  EXPECT_EQ(failure_of(first_part(jpeg, scan)),
            fmt::format("is a JPEG picture that ends early, after {} bytes", scan));
}

TEST(HostilePicture, WhatIsNoPictureIsNamedByItsBytes) {
  EXPECT_EQ(failure_of({}), "is not a picture: there are no bytes");
  EXPECT_EQ(failure_of(bytes_of("<svg></svg>")),
            "is not a picture: expected JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC or AVIF, found 11 "
            "bytes that begin "
            "3c 73 76 67 3e 3c 2f 73");
  EXPECT_THAT(failure_of(bytes_of("GIF89a, it says")), StartsWith("is a GIF picture that "));
}

}  // namespace
}  // namespace pleiad::media
