#include "apps/run/media/saved_media.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "apps/run/chat_file.h"
#include "base/error.h"
#include "base/testing/json.h"

namespace pleiad::apps {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kSavedPng("\x89PNG\r\n\x1a\n\0\xff", 10);
constexpr const char* kSavedBase64 = "iVBORw0KGgoA/w==";

class SavedMediaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("pleiad_saved_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "in");
  }
  void TearDown() override { fs::remove_all(folder_); }

  Json take(const Json& messages) {
    media_.clear();
    return take_media(messages, media_, folder_);
  }
  std::string problem(const Json& messages) {
    try {
      take(messages);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
  std::vector<AttachedMedia> media_;
};

Json message_of_user(const Json& content) {
  return Json::array({Json{{"role", "user"}, {"content", content}}});
}

TEST_F(SavedMediaTest, AConversationIsSavedWithWhatItsPicturesShow) {
  ChatState state;
  AttachedMedia picture;
  picture.name = "note.png";
  picture.bytes = std::make_shared<const std::string>(kSavedPng);
  state.waiting = {picture};
  state.ask("What does it say?");
  state.wishes.picture_budget.tokens = 560;
  state.wishes.n_frames = 8;
  state.wishes.video_sound = true;
  save_chat(state, folder_ / "chat.json");
  EXPECT_EQ(read_json_file(folder_ / "chat.json")["messages"][0]["content"][0],
            Json({{"type", "image_url"},
                  {"image_url", {{"url", std::string("data:image/png;base64,") + kSavedBase64}}},
                  {"name", "note.png"}}));
  ChatState loaded;
  load_chat(loaded, folder_ / "chat.json");
  EXPECT_EQ(loaded.messages, state.messages);
  ASSERT_EQ(loaded.media.size(), 1U);
  EXPECT_EQ(*loaded.media[0].bytes, kSavedPng);
  EXPECT_EQ(loaded.media[0].name, "note.png");
  EXPECT_EQ(loaded.wishes, state.wishes);
}

TEST_F(SavedMediaTest, PathsAreRelativeToTheFile) {
  std::ofstream(folder_ / "in/a.png", std::ios::binary) << kSavedPng;
  EXPECT_EQ(
      take(message_of_user(
          {{{"type", "image"}, {"image", "in/a.png"}}, {{"type", "text"}, {"text", "?"}}})),
      message_of_user({{{"type", "image"}, {"media", 0}}, {{"type", "text"}, {"text", "?"}}}));
  EXPECT_EQ(*media_.at(0).bytes, kSavedPng);
  EXPECT_EQ(media_.at(0).name, "a.png");
  EXPECT_THAT(problem(message_of_user(
                  {{{"type", "text"}, {"text", "?"}}, {{"type", "image"}, {"image", "b.png"}}})),
              AllOf(HasSubstr("messages[0].content[1].image"), HasSubstr("b.png: No such file")));
}

TEST_F(SavedMediaTest, SoundAndVideosAreSavedAsApisTakeThem) {
  ChatState state;
  AttachedMedia sound;
  sound.kind = ShownMedia::Kind::sound;
  sound.name = "memo.wav";
  sound.bytes = std::make_shared<const std::string>("RIFF");
  AttachedMedia video = sound;
  video.kind = ShownMedia::Kind::video;
  video.name = "walk.mp4";
  state.waiting = {sound, video};
  state.ask("?");
  save_chat(state, folder_ / "chat.json");
  const Json saved = read_json_file(folder_ / "chat.json")["messages"][0]["content"];
  EXPECT_EQ(saved[0], Json({{"type", "audio_url"},
                            {"audio_url", {{"url", "data:audio/*;base64,UklGRg=="}}},
                            {"name", "memo.wav"}}));
  EXPECT_EQ(saved[1]["type"], Json("video_url"));
  ChatState loaded;
  load_chat(loaded, folder_ / "chat.json");
  EXPECT_EQ(loaded.messages, state.messages);
  ASSERT_EQ(loaded.media.size(), 2U);
  EXPECT_EQ(loaded.media[1].kind, ShownMedia::Kind::video);
  const Json openai = take(message_of_user(Json::array(
      {Json{{"type", "input_audio"}, {"input_audio", {{"data", "UklGRg=="}, {"format", "wav"}}}},
       Json{{"type", "text"}, {"text", "?"}}})));
  EXPECT_EQ(openai[0]["content"][0], Json({{"type", "audio"}, {"media", 0}}));
  EXPECT_THAT(problem(message_of_user(Json::array(
                  {Json{{"type", "video"}, {"video", "no.mp4"}}, Json{{"type", "text"}}}))),
              HasSubstr("messages[0].content[0].video: "));
}

TEST_F(SavedMediaTest, ThePagesExportsAndOllamasMessagesAreTaken) {
  const Json messages = {
      {{"role", "user"},
       {"content", "?"},
       {"pictures", {{{"name", "a.png"}}, {{"name", "b.png"}}}},
       {"images", {kSavedBase64, kSavedBase64}}},
      {{"role", "assistant"}, {"content", "!"}},
      {{"role", "user"}, {"content", ""}, {"images", Json::array({kSavedBase64})}}};
  const Json taken = take(messages);
  EXPECT_EQ(taken[0]["content"], Json({{{"type", "image"}, {"media", 0}},
                                       {{"type", "image"}, {"media", 1}},
                                       {{"type", "text"}, {"text", "?"}}}));
  EXPECT_EQ(taken[1], messages[1]);
  EXPECT_EQ(taken[2]["content"][0]["media"], Json(2));
  EXPECT_EQ(taken[2]["content"].size(), 1U);
  EXPECT_EQ(media_.at(1).name, "b.png");
}

TEST_F(SavedMediaTest, WhatIsWrongIsNamedByItsField) {
  const Json url = {{"url", "https://example.org/a.png"}};
  EXPECT_THAT(
      problem(message_of_user(Json::array({Json{{"type", "image_url"}, {"image_url", url}}}))),
      HasSubstr("messages[0].content[0].image_url.url: expected data:"));
  EXPECT_THAT(
      problem(message_of_user(Json::array({Json{{"type", "image_url"}, {"image_url", 7}}}))),
      HasSubstr("messages[0].content[0].image_url: expected data:"));
  EXPECT_THAT(problem(message_of_user(Json::array({Json{{"type", "image"}, {"media", 7}}}))),
              HasSubstr("messages[0].content[0].image: expected a path"));
  EXPECT_THAT(problem(message_of_user(
                  Json::array({Json{{"type", "image"}, {"image", "data:image/png,x"}}}))),
              HasSubstr("expected data:...;base64,..."));
  EXPECT_THAT(problem(Json::array(
                  {Json{{"role", "user"}, {"content", "?"}, {"images", Json::array({"*"})}}})),
              HasSubstr("messages[0].images[0]"));
  EXPECT_THAT(problem(Json::array(
                  {Json{{"role", "user"}, {"content", "?"}, {"images", Json::array({7})}}})),
              HasSubstr("messages[0].images[0]: expected base64"));
  EXPECT_THAT(
      problem(Json::array({Json{
          {"role", "user"}, {"content", "?"}, {"pictures", Json::array({Json{{"name", "a"}}})}}})),
      HasSubstr("messages[0].pictures: the file says that there were some"));
  const Json many(101, kSavedBase64);
  EXPECT_THAT(problem(Json::array({Json{{"role", "user"}, {"content", "?"}, {"images", many}}})),
              HasSubstr("more than 100 pictures"));
}

TEST_F(SavedMediaTest, OtherPartsAreLeftToWhoeverKnowsThem) {
  const Json messages =
      message_of_user(Json::array({Json{{"type", "smell"}}, "text", 7, Json{{"type", 7}}}));
  EXPECT_EQ(take(messages), messages);
  EXPECT_EQ(take(Json("no list")), Json("no list"));
}

TEST_F(SavedMediaTest, TypesAreToldByContent) {
  const auto type = [](const std::string& bytes, ShownMedia::Kind kind) {
    AttachedMedia media;
    media.kind = kind;
    media.bytes = std::make_shared<const std::string>(bytes);
    return media_type(media);
  };
  using Kind = ShownMedia::Kind;
  EXPECT_EQ(type(kSavedPng, Kind::picture), "image/png");
  EXPECT_EQ(type(std::string("\xff\xd8\xff\xe0", 4) + std::string(20, '\0'), Kind::picture),
            "image/jpeg");
  EXPECT_EQ(type("x", Kind::picture), "application/octet-stream");
  EXPECT_EQ(type("x", Kind::sound), "audio/*");
}

}  // namespace
}  // namespace pleiad::apps
