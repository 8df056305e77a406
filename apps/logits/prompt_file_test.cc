#include "apps/logits/prompt_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

using ::testing::HasSubstr;

TEST(ParsePromptFile, TakesPicturesOutOfTheConversationInTheirOrder) {
  const auto file = parse_prompt_file(
      R"({"messages": [
          {"role": "user", "content": [
            {"type": "image", "image": "a.png"},
            {"type": "text", "text": "and"},
            {"type": "image", "image": "/tmp/b.jpg", "budget": 70}]},
          {"role": "assistant", "content": "Yes."},
          {"role": "user", "content": [{"type": "image", "image": "a.png", "budget": "auto"}]}]})",
      "folder/prompt.json");
  ASSERT_TRUE(file) << file.message();
  const auto& pictures = file.value().media;
  ASSERT_EQ(pictures.size(), 3U);
  EXPECT_EQ(pictures[0].paths.front(), "folder/a.png");
  EXPECT_EQ(pictures[0].budget, "");
  EXPECT_EQ(pictures[1].paths.front(), "/tmp/b.jpg");
  EXPECT_EQ(pictures[1].budget, "70");
  EXPECT_EQ(pictures[1].field, "messages[0].content[2]");
  EXPECT_EQ(pictures[2].budget, "auto");
  const auto places = text::media_places(file.value().chat);
  ASSERT_EQ(places.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(places[static_cast<std::size_t>(i)].part->media, i);
  EXPECT_TRUE(file.value().chat.options.add_generation_prompt);
}

TEST(ParsePromptFile, TakesSoundAndVideos) {
  const auto file = parse_prompt_file(
      R"({"messages": [{"role": "user", "content": [
            {"type": "audio", "audio": "memo.mp3"},
            {"type": "video", "video": "walk.mp4", "frames": 8, "budget": 140, "sound": true},
            {"type": "video", "video": ["a.png", "b.png"], "fps": 0.5}]}]})",
      "folder/prompt.json");
  ASSERT_TRUE(file) << file.message();
  const auto& media = file.value().media;
  ASSERT_EQ(media.size(), 3U);
  EXPECT_EQ(media[0].kind, ShownMedia::Kind::sound);
  EXPECT_EQ(media[0].paths.front(), "folder/memo.mp3");
  EXPECT_EQ(media[1].kind, ShownMedia::Kind::video);
  EXPECT_EQ(media[1].n_frames, 8);
  EXPECT_EQ(media[1].budget, "140");
  EXPECT_TRUE(media[1].with_sound);
  EXPECT_FALSE(media[1].fps);
  EXPECT_EQ(media[2].paths.size(), 2U);
  EXPECT_EQ(media[2].fps, 0.5);
  EXPECT_EQ(media[2].n_frames, std::nullopt);
}

TEST(ParsePromptFile, NamesWhatIsWrong) {
  const auto wrong = [](std::string_view part) {
    const auto file = parse_prompt_file(
        R"({"messages": [{"role": "user", "content": [)" + std::string(part) + "]}]}", "p.json");
    return file ? "" : file.message();
  };
  EXPECT_THAT(wrong(R"({"type": "image"})"), HasSubstr("messages[0].content[0].image: expected"));
  EXPECT_THAT(wrong(R"({"type": "image", "image": 3})"), HasSubstr("content[0].image: expected"));
  EXPECT_THAT(wrong(R"({"type": "image", "image": "a", "budget": 71})"),
              HasSubstr("messages[0].content[0].budget: "));
  EXPECT_THAT(wrong(R"({"type": "image", "image": "a", "budget": null})"), HasSubstr(".budget: "));
  EXPECT_THAT(wrong(R"({"type": "image_url", "media": 0})"),
              HasSubstr("messages[0].content[0]: a picture without its bytes"));
  EXPECT_THAT(wrong(R"({"type": "audio"})"),
              HasSubstr("messages[0].content[0].audio: expected the path of a sound"));
  EXPECT_THAT(wrong(R"({"type": "video", "video": []})"),
              HasSubstr("content[0].video: expected the path of a video, or a list"));
  EXPECT_THAT(wrong(R"({"type": "video", "video": ["a"]})"), HasSubstr("content[0].fps: expected"));
  EXPECT_THAT(wrong(R"({"type": "video", "video": ["a"], "fps": 1e9})"), HasSubstr("].fps: "));
  EXPECT_THAT(wrong(R"({"type": "video", "video": ["a"], "fps": 1, "sound": true})"),
              HasSubstr("].sound: a list of frames has none"));
  EXPECT_THAT(wrong(R"({"type": "video", "video": "a", "frames": 0})"), HasSubstr("].frames: "));
  EXPECT_THAT(wrong(R"({"type": "video", "video": "a", "budget": "auto"})"),
              HasSubstr("].budget: expected a number for a video"));
  // What would not be looked at.
  EXPECT_THAT(wrong(R"({"type": "audio", "audio": "a", "budget": 70})"),
              HasSubstr("].budget: means nothing for a sound"));
  EXPECT_THAT(wrong(R"({"type": "image", "image": "a", "frames": 2})"),
              HasSubstr("].frames: means nothing for a picture"));
  EXPECT_THAT(wrong(R"({"type": "video", "video": "a", "fps": 2})"),
              HasSubstr("].fps: is that of a list of frames"));
  EXPECT_FALSE(parse_prompt_file("[1]", "p.json"));
  EXPECT_FALSE(parse_prompt_file("{", "p.json"));
  EXPECT_FALSE(parse_prompt_file("{}", "p.json"));
}

}  // namespace
}  // namespace pleiad::apps
