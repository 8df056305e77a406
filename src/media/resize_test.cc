#include "media/resize.h"

#include <gtest/gtest.h>

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
    const Pixels large = resize_bicubic(small, size_in(resize.at("to")));
    EXPECT_EQ(large.size, size_in(resize.at("to")));
    EXPECT_EQ(digest_of(large), resize.at("rgb").get<std::string>()) << resize.dump();
  }
}

TEST(Resize, EveryInstructionSetGivesTheSameBits) {
  const Pixels picture = noise({211, 97});
  for (const PictureSize target :
       {PictureSize{48, 48}, PictureSize{144, 96}, PictureSize{624, 288}, PictureSize{211, 48}}) {
    const std::string expected = digest_of(resized_with(baseline_kernels(), picture, target, {}));
    for (const Kernels& kernels : usable_kernels()) {
      EXPECT_EQ(digest_of(resized_with(kernels, picture, target, {})), expected) << kernels.isa;
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
