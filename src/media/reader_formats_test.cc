#include <gtest/gtest.h>

#include "media/helper/helper_testing.h"
#include "media/media_testing.h"
#include "media/prepare.h"
#include "media/reader.h"

namespace pleiad::media {
namespace {

// Libraries that start threads, ask the system for their processor or open what they need later
// would fail there.
TEST(MediaReader, ReadsEveryFormatWhereNothingButMemoryCanBeHad) {
  MediaReader reader(test_helper("read"), {});
  std::vector<std::string> names = {"progressive.jpg", "interlaced.png", "lossy_alpha.webp",
                                    "animated.gif",    "rle8.bmp",       "rgb_jpeg.tif",
                                    "gray_lzw.tif",    "fax.tif"};
#if defined(PLEIAD_HEIF)
  names.insert(names.end(), {"alpha.avif", "lossy.avif", "alpha.heic", "orientation_6.heic"});
#endif
  for (const std::string& name : names) {
    const std::vector<std::byte> bytes = corpus_picture(name);
    const Result<PreparedPicture> expected = prepare_picture(bytes, {.budget = 70}, {});
    const Result<PreparedPicture> picture = reader.prepare_picture(bytes, {.budget = 70});
    ASSERT_TRUE(expected.ok()) << name << " " << expected.message();
    ASSERT_TRUE(picture.ok()) << name << " " << picture.message();
    EXPECT_EQ(digest_of(picture.value().pixels), digest_of(expected.value().pixels)) << name;
  }
}

}  // namespace
}  // namespace pleiad::media
