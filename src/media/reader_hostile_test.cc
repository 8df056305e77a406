// Files that are made to hurt, through the process that reads pictures: each costs its own request,
// and a good one that comes at the same time is read as ever.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "media/helper/helper_testing.h"
#include "media/reader.h"

namespace pleiad::media {
namespace {

using ::testing::HasSubstr;
using PictureBytes = std::vector<std::byte>;

void append_bytes(PictureBytes& bytes, std::initializer_list<int> more) {
  for (const int byte : more) bytes.push_back(static_cast<std::byte>(byte));
}

PictureBytes bytes_of_text(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// PNG's check of a chunk: CRC-32 as in ISO 3309.
std::uint32_t crc_of(std::span<const std::byte> bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::byte byte : bytes) {
    crc ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

void store_big_endian(std::byte* at, std::uint32_t number) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::byte>(number >> (24 - 8 * i));
}

/// A small PNG whose header says that it is larger, and is right otherwise.
PictureBytes png_that_says(std::uint32_t width, std::uint32_t height) {
  PictureBytes png = golden_picture("tiny.png");
  constexpr std::size_t kHeader = 12;  // "IHDR", after the signature and a length
  store_big_endian(&png[kHeader + 4], width);
  store_big_endian(&png[kHeader + 8], height);
  store_big_endian(&png[kHeader + 17], crc_of(std::span(png).subspan(kHeader, 17)));
  return png;
}

class HostilePictures : public ::testing::Test {
 protected:
  /// Why this one is not read; another one is, before and after.
  std::string refusal(const PictureBytes& hostile) {
    const auto refused = reader_.prepare_picture(hostile, {});
    const auto good = reader_.prepare_picture(golden_picture("tiny.png"), {});
    EXPECT_TRUE(good.ok()) << good.message();
    return refused ? "it was read" : refused.message();
  }

  MediaReader reader_{test_helper("read"), {}};
};

TEST_F(HostilePictures, OfMorePixelsThanAreReadAreRefusedByTheirHeaders) {
  const std::string text = refusal(png_that_says(65'535, 65'535));
  EXPECT_THAT(text, HasSubstr("65,535 x 65,535 = 4,294,836,225 pixels"));
  EXPECT_THAT(text, HasSubstr("at most 100,000,000 are read"));
  EXPECT_THAT(refusal(png_that_says(0x7FFFFFFF, 1)), HasSubstr("is a PNG picture that"));
  EXPECT_THAT(refusal(png_that_says(0, 5)), HasSubstr("is a PNG picture that"));
}

TEST_F(HostilePictures, ThatHaveFewerPixelsThanTheySayAreRefused) {
  EXPECT_THAT(refusal(png_that_says(9'999, 9'999)), HasSubstr("is a PNG picture that"));
  PictureBytes cut = golden_picture("wide.png");
  for (const std::size_t size :
       {cut.size() - 20, cut.size() / 2, std::size_t{40}, std::size_t{9}}) {
    cut.resize(size);
    EXPECT_NE(refusal(cut), "it was read") << size;
  }
}

TEST_F(HostilePictures, OfAMillionFramesAreTheFirst) {
  PictureBytes gif = bytes_of_text("GIF89a");
  append_bytes(gif, {1, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 0});  // 1 x 1, two colours
  for (int frame = 0; frame < 1'000'000; ++frame) {
    append_bytes(gif, {0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0});
  }
  append_bytes(gif, {0x3B});
  const auto first = reader_.prepare_picture(gif, {});
  ASSERT_TRUE(first.ok()) << first.message();
  EXPECT_EQ(first.value().original, (PictureSize{1, 1}));
}

TEST_F(HostilePictures, WhichAreNoneWhateverTheyAreCalledAreRefused) {
  PictureBytes program = file_bytes("/proc/self/exe");
  program.resize(5000);
  PictureBytes hidden = bytes_of_text("<html>");
  const PictureBytes png = golden_picture("tiny.png");
  hidden.insert(hidden.end(), png.begin(), png.end());
  for (const PictureBytes& other :
       {program, hidden, bytes_of_text("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
        bytes_of_text("%!PS-Adobe-3.0\n"), bytes_of_text("%PDF-1.7\n"),
        bytes_of_text("P6 1 1 255\nabc"), PictureBytes(100'000)}) {
    EXPECT_THAT(refusal(other),
                HasSubstr("expected JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC or AVIF"));
  }
}

}  // namespace
}  // namespace pleiad::media
