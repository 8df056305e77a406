#include "model/picture_input.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pleiad {
namespace {

// `printf '\x02\0\0\0\x01\0\0\0\x01\x02\x03\x04\x05\x06' | sha256sum`
TEST(PictureInput, IsKnownByTheDigestOfItsSizeAndPixels) {
  const PictureInput picture = make_picture_input(2, 1, {1, 2, 3, 4, 5, 6});
  std::string hex;
  for (const std::uint8_t byte : picture.digest) hex += fmt::format("{:02x}", byte);
  EXPECT_EQ(hex, "f25af82c68d29a6c012779bae23ccc6e5640b399d8b0e0b4eddb25ea7f2a61dd");
  EXPECT_EQ(picture.width, 2);
  EXPECT_EQ(picture.height, 1);
}

TEST(PictureInput, OfAnotherShapeWithTheSamePixelsIsAnother) {
  EXPECT_NE(make_picture_input(2, 1, {1, 2, 3, 4, 5, 6}).digest,
            make_picture_input(1, 2, {1, 2, 3, 4, 5, 6}).digest);
}

}  // namespace
}  // namespace pleiad
