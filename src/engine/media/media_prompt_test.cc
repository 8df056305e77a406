#include "engine/media/media_prompt.h"

#include <gtest/gtest.h>

#include <array>

namespace pleiad {
namespace {

using Tokens = std::vector<text::TokenId>;

constexpr MediaTokens kTokens{.begin = 90, .soft = 91, .end = 92};

text::Encoding encoding(Tokens tokens, std::vector<text::EncodedMedia> media) {
  text::Encoding encoding;
  encoding.least_count = tokens.size();
  encoding.tokens = std::move(tokens);
  encoding.media = std::move(media);
  return encoding;
}

TEST(MediaPrompt, APictureBecomesBeginItsSoftTokensAndEnd) {
  const std::array<std::int64_t, 2> n_soft = {3, 1};
  const MediaPrompt prompt =
      expand_media(encoding({7, -1, 8, -1}, {{1, 0}, {3, 1}}), kTokens, n_soft);
  EXPECT_EQ(prompt.encoding.tokens, (Tokens{7, 90, 91, 91, 91, 92, 8, 90, 91, 92}));
  EXPECT_EQ(prompt.spans, (std::vector<MediaSpan>{{0, 2, 3}, {1, 8, 1}}));
  EXPECT_EQ(prompt.encoding.least_count, 10u);
  EXPECT_TRUE(prompt.encoding.media.empty());
}

TEST(MediaPrompt, PicturesBesideEachOtherAreBlocksOfTheirOwnAndMayBeTheSame) {
  const std::array<std::int64_t, 2> n_soft = {5, 2};
  const MediaPrompt prompt = expand_media(encoding({-1, -1}, {{0, 1}, {1, 1}}), kTokens, n_soft);
  EXPECT_EQ(prompt.encoding.tokens, (Tokens{90, 91, 91, 92, 90, 91, 91, 92}));
  EXPECT_EQ(prompt.spans, (std::vector<MediaSpan>{{1, 1, 2}, {1, 5, 2}}));
}

TEST(MediaPrompt, ATextWithoutPicturesStaysAsItIs) {
  const MediaPrompt prompt = expand_media(encoding({1, 91, 2}, {}), kTokens, {});
  EXPECT_EQ(prompt.encoding.tokens, (Tokens{1, 91, 2}));
  EXPECT_TRUE(prompt.spans.empty());
}

TEST(MediaPrompt, WhatIsTooLongToBeEncodedWholeHasAtLeastThePicturesThatWereSeen) {
  const std::array<std::int64_t, 1> n_soft = {100};
  text::Encoding cut = encoding({7, -1}, {{1, 0}});
  cut.whole = false;
  cut.least_count = 5000;
  const MediaPrompt prompt = expand_media(std::move(cut), kTokens, n_soft);
  EXPECT_FALSE(prompt.encoding.whole);
  EXPECT_EQ(prompt.encoding.least_count, 5101u);
}

TEST(MediaPrompt, SpelledPlaceholdersTakeThePicturesInTheirOrder) {
  text::Encoding spelled = encoding({7, 91, 8, 91, 91}, {});
  EXPECT_EQ(mark_spelled_media(spelled, 91, 2), 3);
  EXPECT_EQ(spelled.media, (std::vector<text::EncodedMedia>{{1, 0}, {3, 1}}));
  EXPECT_EQ(spelled.tokens, (Tokens{7, text::kMediaToken, 8, text::kMediaToken, 91}));
}

}  // namespace
}  // namespace pleiad
