#include "engine/media/prompt_media.h"

#include <gtest/gtest.h>

#include "engine/testing/fake_towers.h"

namespace pleiad {
namespace {

using testing_support::MediaBook;
using testing_support::some_picture;
using testing_support::some_sound;
using Tokens = std::vector<text::TokenId>;

std::int64_t common(const MediaBook& a, const MediaBook& b, std::int64_t most = 1000) {
  return common_tokens({a.tokens, a.media}, {b.tokens, b.media}, most);
}

TEST(CommonTokens, EndWhereTokensOrPicturesDiffer) {
  MediaBook base;
  base.text({1, 2}).picture(some_picture(1, 4)).text({3}).picture(some_picture(2, 3)).text({4});
  EXPECT_EQ(common(base, base), 11);
  EXPECT_EQ(common(base, base, 5), 5) << "within a picture";
  MediaBook other;
  other.text({1, 2}).picture(some_picture(1, 4)).text({3}).picture(some_picture(9, 3)).text({4});
  EXPECT_EQ(common(base, other), 7);
  EXPECT_EQ(common(other, base), 7);
  MediaBook first;
  first.text({1, 2}).picture(some_picture(8, 4)).text({3}).picture(some_picture(2, 3)).text({4});
  EXPECT_EQ(common(base, first), 2);
  MediaBook spelled;  // placeholders that stand for nothing
  spelled.tokens = base.tokens;
  EXPECT_EQ(common(base, spelled), 2);
  EXPECT_EQ(common(spelled, base), 2);
  MediaBook moved;
  moved.tokens = base.tokens;
  moved.media = {{3, 3, some_picture(1, 4)}};
  EXPECT_EQ(common(base, moved), 2);
  MediaBook heard;  // of the same digest, and the same placeholders
  heard.text({1, 2}).picture(some_picture(1, 4)).text({3}).sound(some_sound(2, 3)).text({4});
  EXPECT_EQ(common(base, heard), 7);
  EXPECT_EQ(common(heard, heard), 11);
  MediaBook shorter;
  shorter.text({1, 2}).picture(some_picture(1, 4));
  EXPECT_EQ(common(base, shorter), 6);
  EXPECT_EQ(common({}, base), 0);
}

TEST(WholeBlocks, AreNeverCut) {
  MediaBook book;
  book.text({1, 2, 3}).picture(some_picture(1, 4)).text({4}).picture(some_picture(2, 2));
  const auto at = [&](std::int64_t done, std::int64_t n) {
    return whole_blocks(book.media, done, n);
  };
  EXPECT_EQ(at(0, 2), 2);
  EXPECT_EQ(at(0, 3), 3);
  EXPECT_EQ(at(0, 4), 3) << "up to the block";
  EXPECT_EQ(at(0, 6), 3);
  EXPECT_EQ(at(0, 7), 7);
  EXPECT_EQ(at(3, 1), 4) << "the whole of it, if nothing else";
  EXPECT_EQ(at(3, 0), 0);
  EXPECT_EQ(at(5, 1), 2) << "the rest of it";
  EXPECT_EQ(at(3, 6), 5);
  EXPECT_EQ(at(8, 1), 2);
  EXPECT_EQ(at(8, 2), 2);
}

TEST(Continuable, WhatIsLeftOfABlockSeesItsBeginning) {
  MediaBook book;
  book.text({1, 2, 3}).picture(some_picture(1, 10)).text({4, 5});
  const auto from = [&](std::int64_t n, std::int64_t window) {
    return continuable(book.media, n, window);
  };
  EXPECT_EQ(from(2, 1), 2);
  EXPECT_EQ(from(3, 1), 3) << "none of it is held";
  EXPECT_EQ(from(6, 4), 6) << "positions 3 to 5 are held";
  EXPECT_EQ(from(7, 4), 3) << "position 3 would be gone";
  EXPECT_EQ(from(7, 5), 7);
  EXPECT_EQ(from(13, 1), 13) << "the block is whole";
  EXPECT_EQ(from(14, 1), 14);
}

TEST(WholeBlocks, SoundIsNone) {
  MediaBook book;
  book.text({1, 2, 3}).sound(some_sound(1, 4)).picture(some_picture(2, 3));
  EXPECT_EQ(whole_blocks(book.media, 0, 5), 5);
  EXPECT_EQ(whole_blocks(book.media, 4, 4), 3) << "up to the picture";
  const auto rows = std::make_shared<const std::vector<float>>(std::vector<float>(8));
  EXPECT_FALSE(soft_rows_within(book.media[0], rows, 0, 5)->is_block);
  const auto pixels = std::make_shared<const std::vector<float>>(std::vector<float>(6));
  EXPECT_TRUE(soft_rows_within(book.media[1], pixels, 0, 10)->is_block);
}

TEST(SoftRowsWithin, AreTheRowsOfTheTokensThatFollow) {
  const PromptMedia picture = {3, 4, some_picture(1, 4)};
  const auto rows = std::make_shared<const std::vector<float>>(
      std::vector<float>{0, 0.5F, 1, 1.5F, 2, 2.5F, 3, 3.5F});
  EXPECT_FALSE(soft_rows_within(picture, rows, 0, 3));
  EXPECT_FALSE(soft_rows_within(picture, rows, 7, 3));
  auto part = soft_rows_within(picture, rows, 0, 5);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->first, 3);
  EXPECT_EQ(std::vector<float>(part->rows.begin(), part->rows.end()),
            (std::vector<float>{0, 0.5F, 1, 1.5F}));
  part = soft_rows_within(picture, rows, 5, 100);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->first, 0);
  EXPECT_EQ(std::vector<float>(part->rows.begin(), part->rows.end()),
            (std::vector<float>{2, 2.5F, 3, 3.5F}));
}

}  // namespace
}  // namespace pleiad
