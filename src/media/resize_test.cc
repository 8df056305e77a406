#include "media/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "media/decoders/row_writer.h"
#include "media/media_testing.h"
#include "media/pick_kernels.h"
#include "media/row_resizer.h"

namespace pleiad::media {
namespace {

PictureSize size_in(const Json& sides) { return {sides.at(0).get<int>(), sides.at(1).get<int>()}; }

Pixels resized_with(const Kernels& kernels, const Pixels& picture, PictureSize target,
                    Orientation orientation) {
  RowResizer resizer([&](PictureSize) { return target; }, kernels);
  RowWriter writer(resizer, picture.size, orientation);
  const auto width = static_cast<std::size_t>(picture.size.width);
  for (std::size_t y = 0; y < static_cast<std::size_t>(picture.size.height); ++y) {
    std::uint8_t* const row = writer.next_row();
    for (std::size_t x = 0; x < width; ++x)
      std::memcpy(row + x * 4, &picture.rgb[(y * width + x) * 3], 3);
  }
  writer.finish();
  return resizer.take();
}

TEST(Resize, EqualsPillowsBicubicBitForBit) {
  const Json resizes = corpus_index().at("resizes");
  ASSERT_GT(resizes.size(), 10U);
  for (const Json& resize : resizes) {
    const Pixels small = noise(size_in(resize.at("from")));
    const PictureSize target = size_in(resize.at("to"));
    EXPECT_EQ(digest_of(resize_bicubic(small, target)), resize.at("rgb").get<std::string>());
    for (const Kernels& kernels : usable_kernels()) {
      const Pixels large = resized_with(kernels, small, target, {});
      EXPECT_EQ(large.size, target);
      EXPECT_EQ(digest_of(large), resize.at("rgb").get<std::string>())
          << resize.dump() << " " << kernels.isa;
    }
  }
}

// Groups of pixels and of rows that are not full, at either end.
TEST(Resize, EveryInstructionSetGivesTheSameBits) {
  for (const PictureSize from : {PictureSize{211, 97}, PictureSize{1, 1}, PictureSize{2, 3},
                                 PictureSize{3, 5}, PictureSize{7, 9}, PictureSize{4099, 13}}) {
    const Pixels picture = noise(from);
    for (const PictureSize target :
         {PictureSize{48, 48}, PictureSize{144, 96}, PictureSize{624, 288}, PictureSize{211, 48}}) {
      const std::string expected = digest_of(resized_with(baseline_kernels(), picture, target, {}));
      for (const Kernels& kernels : usable_kernels()) {
        EXPECT_EQ(digest_of(resized_with(kernels, picture, target, {})), expected)
            << kernels.isa << " " << from.width << "x" << from.height;
      }
    }
  }
}

// Sums that are clipped at both ends, and black and white, which stay as they are.
TEST(Resize, EveryInstructionSetClipsTheSame) {
  Pixels picture = noise({99, 41});
  for (std::uint8_t& value : picture.rgb) value = value < 128 ? 0 : 255;
  for (const PictureSize target : {PictureSize{48, 48}, PictureSize{480, 192}}) {
    const std::string expected = digest_of(resized_with(baseline_kernels(), picture, target, {}));
    for (const Kernels& kernels : usable_kernels()) {
      EXPECT_EQ(digest_of(resized_with(kernels, picture, target, {})), expected) << kernels.isa;
    }
  }
  for (const std::uint8_t level : {0, 255}) {
    std::ranges::fill(picture.rgb, level);
    for (const Kernels& kernels : usable_kernels()) {
      const Pixels resized = resized_with(kernels, picture, {144, 96}, {});
      EXPECT_EQ(std::ranges::count(resized.rgb, level), std::ssize(resized.rgb)) << kernels.isa;
    }
  }
}

TEST(Resize, TurningRowsOnTheirWayEqualsTurningThePictureBefore) {
  const Pixels picture = noise({101, 67});
  for (int tag = 1; tag <= 8; ++tag) {
    const Orientation orientation = orientation_of_tag(tag);
    const Pixels upright = orient(picture, orientation);
    for (const PictureSize target : {PictureSize{48, 96}, PictureSize{288, 144}}) {
      const std::string expected = digest_of(resize_bicubic(upright, target));
      for (const Kernels& kernels : usable_kernels()) {
        EXPECT_EQ(digest_of(resized_with(kernels, picture, target, orientation)), expected)
            << tag << " " << kernels.isa;
      }
    }
  }
}

}  // namespace
}  // namespace pleiad::media
