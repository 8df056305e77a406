#include "engine/media/media_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/json.h"
#include "base/testing/paths.h"
#include "engine/loaded_model.h"
#include "engine/testing/fake_towers.h"

namespace pleiad {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::some_picture;
using testing_support::some_sound;
using ShownKind = ShownMedia::Kind;
using Tokens = std::vector<text::TokenId>;

PromptTowers some_towers() {
  PromptTowers towers;
  towers.vision.problem.clear();
  towers.vision.tokens = {.begin = 90, .soft = 91, .end = 92};
  towers.vision.video = 94;
  towers.audio.problem.clear();
  towers.audio.tokens = {.begin = 95, .soft = 96, .end = 97};
  return towers;
}

ShownMedia picture_of(int n) { return shown_picture(some_picture(1, n), some_towers().vision); }

/// With parts of so many soft tokens each.
ShownMedia sound_of(const std::vector<std::int64_t>& parts) {
  ShownMedia shown;
  shown.kind = ShownKind::sound;
  for (const std::int64_t n : parts) {
    shown.parts.push_back({.before = {}, .n = n, .picture = nullptr, .sound = some_sound(1)});
  }
  return shown;
}

ShownMedia video_of(const std::vector<double>& seconds) {
  std::vector<ShownFrame> frames;
  for (const double when : seconds) frames.push_back({when, some_picture(1, 2)});
  return shown_video(frames, some_towers().vision);
}

text::Encoding encoding(Tokens tokens, std::vector<text::EncodedMedia> media) {
  text::Encoding encoding;
  encoding.least_count = tokens.size();
  encoding.tokens = std::move(tokens);
  encoding.media = std::move(media);
  return encoding;
}

TEST(MediaPrompt, APictureBecomesBeginItsSoftTokensAndEnd) {
  const std::vector<ShownMedia> media = {picture_of(3), picture_of(1)};
  const MediaPrompt prompt =
      expand_media(encoding({7, -1, 8, -1}, {{1, 0}, {3, 1}}), some_towers(), media);
  EXPECT_EQ(prompt.encoding.tokens, (Tokens{7, 90, 91, 91, 91, 92, 8, 90, 91, 92}));
  EXPECT_EQ(prompt.spans, (std::vector<MediaSpan>{{0, 0, 2, 3}, {1, 0, 8, 1}}));
  EXPECT_EQ(prompt.encoding.least_count, 10u);
  EXPECT_TRUE(prompt.encoding.media.empty());
}

TEST(MediaPrompt, PicturesBesideEachOtherAreBlocksOfTheirOwnAndMayBeTheSame) {
  const std::vector<ShownMedia> media = {picture_of(5), picture_of(2)};
  const MediaPrompt prompt =
      expand_media(encoding({-1, -1}, {{0, 1}, {1, 1}}), some_towers(), media);
  EXPECT_EQ(prompt.encoding.tokens, (Tokens{90, 91, 91, 92, 90, 91, 91, 92}));
  EXPECT_EQ(prompt.spans, (std::vector<MediaSpan>{{1, 0, 1, 2}, {1, 0, 5, 2}}));
}

TEST(MediaPrompt, ATextWithoutMediaStaysAsItIs) {
  const MediaPrompt prompt = expand_media(encoding({1, 91, 2}, {}), some_towers(), {});
  EXPECT_EQ(prompt.encoding.tokens, (Tokens{1, 91, 2}));
  EXPECT_TRUE(prompt.spans.empty());
}

TEST(MediaPrompt, WhatIsTooLongToBeEncodedWholeHasAtLeastThePicturesThatWereSeen) {
  const std::vector<ShownMedia> media = {picture_of(100)};
  text::Encoding cut = encoding({7, -1}, {{1, 0}});
  cut.whole = false;
  cut.least_count = 5000;
  const MediaPrompt prompt = expand_media(std::move(cut), some_towers(), media);
  EXPECT_FALSE(prompt.encoding.whole);
  EXPECT_EQ(prompt.encoding.least_count, 5101u);
}

// The specification, 4.5: each clip stands between tokens of its own.
TEST(MediaPrompt, ASoundHasBeginAndEndForEachOfItsClips) {
  const std::vector<ShownMedia> media = {picture_of(1), sound_of({2, 1})};
  text::Prompt prompt;
  prompt.add_text("Hear");
  prompt.add_media(text::Tag::audio, 1);
  const text::Prompt parts = with_parts(prompt, media);
  ASSERT_EQ(parts.segments().size(), 3u);
  EXPECT_EQ(parts.segments()[1].media, 1);
  EXPECT_EQ(parts.segments()[2].media, 2);
  EXPECT_EQ(parts.str(), "Hear<|audio|><|audio|>");
  const MediaPrompt expanded =
      expand_media(encoding({7, -1, -1}, {{1, 1}, {2, 2}}), some_towers(), media);
  EXPECT_EQ(expanded.encoding.tokens, (Tokens{7, 95, 96, 96, 97, 95, 96, 97}));
  EXPECT_EQ(expanded.spans, (std::vector<MediaSpan>{{1, 0, 2, 2}, {1, 1, 6, 1}}));
}

// The reference's processor: "mm:ss <frame>", joined by one space, wrapped as pictures are.
TEST(MediaPrompt, AVideoIsItsFramesAndWhenTheyAre) {
  const std::vector<ShownMedia> media = {video_of({0, 61.99, 3601})};
  text::Prompt prompt;
  prompt.add_text("Watch:");
  prompt.add_media(text::Tag::video, 0);
  prompt.add_text("now");
  const text::Prompt parts = with_parts(prompt, media);
  EXPECT_EQ(parts.str(), "Watch:00:00 <|video|> 01:01 <|video|> 60:01 <|video|>now");
  ASSERT_EQ(parts.segments().size(), 7u);
  EXPECT_EQ(parts.segments()[0].text, "Watch:00:00 ") << "one run of text";
  const MediaPrompt expanded =
      expand_media(encoding({-1, 1, -1, 2, -1}, {{0, 0}, {2, 1}, {4, 2}}), some_towers(), media);
  EXPECT_EQ(expanded.encoding.tokens,
            (Tokens{90, 94, 94, 92, 1, 90, 94, 94, 92, 2, 90, 94, 94, 92}));
  EXPECT_EQ(expanded.spans[2], (MediaSpan{0, 2, 11, 2}));
}

TEST(MediaPrompt, TheSoundOfAVideoStandsBehindItsFrames) {
  std::vector<ShownMedia> media = {video_of({0})};
  for (ShownMedia::Part& clip : sound_of({3}).parts) media[0].parts.push_back(clip);
  text::Prompt prompt;
  prompt.add_media(text::Tag::video, 0);
  EXPECT_EQ(with_parts(prompt, media).str(), "00:00 <|video|><|audio|>");
  const MediaPrompt expanded =
      expand_media(encoding({-1, -1}, {{0, 0}, {1, 1}}), some_towers(), media);
  EXPECT_EQ(expanded.encoding.tokens, (Tokens{90, 94, 94, 92, 95, 96, 96, 96, 97}));
  const auto given = prompt_media(expanded.spans, media);
  ASSERT_EQ(given.size(), 2u);
  EXPECT_TRUE(given[0].picture);
  EXPECT_TRUE(given[1].sound);
  EXPECT_EQ(given[1].first, 5);
}

TEST(MediaPrompt, ADocumentIsItsTextsAndPicturesApartFromWhatStandsAround) {
  ShownMedia document;
  document.kind = ShownKind::document;
  document.parts = {{.before = "Page 1:\nText\n\nPage 2:\n", .n = 2, .picture = some_picture(1, 2)},
                    {.before = "\n\nPage 3:\nMore"}};
  const std::vector<ShownMedia> media = {document, picture_of(1)};
  text::Prompt prompt;
  prompt.add_text("Read");
  prompt.add_place(0);
  prompt.add_text("this");
  prompt.add_place(0);
  prompt.add_media(text::Tag::image, 1);
  const text::Prompt parts = with_parts(prompt, media);
  const std::string once = "Page 1:\nText\n\nPage 2:\n<|image|>\n\nPage 3:\nMore";
  EXPECT_EQ(parts.str(), "Read\n\n" + once + "\n\nthis\n\n" + once + "\n\n<|image|>");
  std::vector<int> numbers;
  for (const auto& segment : parts.segments()) {
    if (segment.media >= 0) numbers.push_back(segment.media);
  }
  EXPECT_THAT(numbers, ElementsAre(0, 0, 2));
}

class SpelledMediaTest : public ::testing::Test {
 protected:
  static const text::Tokenizer& tokenizer() {
    static const text::Tokenizer demo =
        load_tokenizer(Checkpoint::open(source_path("models/demo/pleiad-demo.gguf")));
    return demo;
  }
  static const text::Vocabulary& vocabulary() { return tokenizer().vocabulary(); }
};

TEST_F(SpelledMediaTest, TakesTheNextMediumOfItsKind) {
  const std::string_view text = "a<|video|>b <|audio|><|image|>c<|audio|>";
  const auto places = find_spelled_media(text, vocabulary());
  ASSERT_EQ(places.size(), 4u);
  EXPECT_EQ(places[0].kind, ShownKind::video);
  EXPECT_EQ(places[3].at, text.size() - 9);
  const std::vector<ShownMedia> media = {sound_of({1}), picture_of(1), video_of({0, 5}),
                                         sound_of({1, 1})};
  const SpelledParts spelled = with_parts(text, places, media);
  EXPECT_EQ(spelled.text,
            "a00:00 <|video|> 00:05 <|video|>b <|audio|><|image|>c<|audio|><|audio|>");
  EXPECT_THAT(spelled.parts, ElementsAre(2, 3, 0, 1, 4, 5));
  text::Encoding encoded = tokenizer().encode_with_control(spelled.text, text::EncodeLimit());
  mark_spelled_media(encoded, vocabulary(), spelled.parts);
  std::vector<int> marked;
  for (const text::EncodedMedia& one : encoded.media) {
    marked.push_back(one.media);
    EXPECT_EQ(encoded.tokens[one.at], text::kMediaToken);
  }
  EXPECT_EQ(marked, spelled.parts);
  EXPECT_EQ(std::ranges::count(encoded.tokens, text::kMediaToken), 6);
}

TEST_F(SpelledMediaTest, WhatOnlyLooksLikeOneIsText) {
  EXPECT_TRUE(find_spelled_media("<|image> <image|> <|imag|> |image|> <|", vocabulary()).empty());
  EXPECT_EQ(find_spelled_media("<<|image|>>", vocabulary()).size(), 1u);
}

std::string problem_of(const std::string& type, const std::vector<ShownKind>& kinds,
                       const std::string& role = "user") {
  Json chat = {{"messages", Json::array()}};
  Json message = {{"role", role}, {"content", Json::array()}};
  message["content"].push_back({{"type", type}, {"media", 0}});
  chat["messages"].push_back(std::move(message));
  return chat_media_error(text::parse_chat_input(chat).value(), kinds).value_or("");
}

TEST(ChatMedia, ArePartsOfTheKindThatWasBrought) {
  EXPECT_EQ(problem_of("image", {ShownKind::picture}), "");
  EXPECT_EQ(problem_of("audio", {ShownKind::sound}), "");
  EXPECT_EQ(problem_of("video", {ShownKind::video}), "");
  EXPECT_EQ(problem_of("document", {ShownKind::document}), "");
  EXPECT_EQ(problem_of("video", {}), "messages[0].content[0]: a video without its bytes");
  EXPECT_EQ(problem_of("audio", {ShownKind::picture}),
            "messages[0].content[0]: expected a sound, found a picture");
  EXPECT_THAT(problem_of("audio", {ShownKind::sound}, "system"),
              HasSubstr("no place for sounds in the system message"));
}

TEST(FrameTime, IsInWholeMinutesAndSeconds) {
  EXPECT_EQ(frame_time(0), "00:00");
  EXPECT_EQ(frame_time(59.999), "00:59");
  EXPECT_EQ(frame_time(127.5), "02:07");
  EXPECT_EQ(frame_time(6000), "100:00");
}

}  // namespace
}  // namespace pleiad
