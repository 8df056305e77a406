// Sound and videos in chat completions and responses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/openai/chat_testing.h"
#include "base/base64.h"

namespace pleiad::api::openai {
namespace {

using serving::MediaKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kWave = encode_base64("RIFF....WAVE");

class ChatStreams : public ChatParts {
 protected:
  static Json audio(Json input_audio) {
    return {{"type", "input_audio"}, {"input_audio", std::move(input_audio)}};
  }
  static Json video(Json more = Json::object()) {
    Json part = {{"type", "video_url"}, {"video_url", {{"url", "https://a.test/v.mp4"}}}};
    part.update(more);
    return part;
  }
};

TEST_F(ChatStreams, SoundStandsWhereItsPartDoes) {
  const auto request = asked(of_user(audio({{"data", kWave}, {"format", "wav"}})));
  EXPECT_EQ(request.messages[0]["content"][0], (Json{{"type", "audio"}, {"media", 0}}));
  ASSERT_THAT(request.media, SizeIs(1));
  EXPECT_EQ(request.media[0].kind, MediaKind::sound);
  EXPECT_EQ(*request.media[0].bytes, "RIFF....WAVE");
  EXPECT_EQ(request.media[0].field, "messages[0].content[0]");
}

TEST_F(ChatStreams, WhatClientsSendForItIsUnderstood) {
  const std::string uri = "data:audio/wav;base64," + kWave;
  for (const Json& part : {audio({{"data", uri}, {"format", "wav"}}), audio({{"data", kWave}}),
                           Json{{"type", "audio_url"}, {"audio_url", {{"url", uri}}}},
                           Json{{"type", "audio_url"}, {"audio_url", uri}}}) {
    const auto request = asked(of_user(part));
    EXPECT_EQ(*request.media.at(0).bytes, "RIFF....WAVE") << to_text(part);
    EXPECT_EQ(request.media[0].kind, MediaKind::sound);
  }
}

TEST_F(ChatStreams, AVideoHasItsOwnFramesBudgetAndSound) {
  auto request = asked(of_user(video()));
  EXPECT_EQ(request.messages[0]["content"][0], (Json{{"type", "video"}, {"media", 0}}));
  EXPECT_EQ(request.media.at(0).kind, MediaKind::video);
  EXPECT_EQ(request.media[0].url, "https://a.test/v.mp4");
  EXPECT_EQ(request.media[0].frames, std::nullopt);
  EXPECT_FALSE(request.media[0].with_sound || request.videos_with_sound);
  Json body =
      of_user(video({{"num_frames", 8}, {"max_soft_tokens", 140}, {"use_audio_in_video", true}}));
  body["mm_processor_kwargs"] = {{"num_frames", 4}, {"max_soft_tokens", 560}};
  request = asked(body);
  EXPECT_EQ(request.media[0].frames, 8);
  EXPECT_EQ(request.media[0].budget, 140);
  EXPECT_TRUE(request.media[0].with_sound);
  EXPECT_EQ(request.media_frames, 4);
  EXPECT_EQ(request.media_budget, 560);
}

TEST_F(ChatStreams, ProblemsNameTheField) {
  const auto problem = [&](const Json& part) { return refused(of_user(part)); };
  EXPECT_EQ(problem(audio(Json::object()))["param"], "messages[0].content[0].input_audio.data");
  EXPECT_EQ(problem(audio({{"data", "a-b="}}))["param"], "messages[0].content[0].input_audio.data");
  EXPECT_EQ(problem(audio({{"data", ""}}))["message"],
            "messages[0].content[0].input_audio.data: expected a sound, found no bytes");
  EXPECT_EQ(problem({{"type", "video_url"}})["param"], "messages[0].content[0].video_url");
  EXPECT_EQ(problem(video({{"num_frames", 0}}))["param"], "messages[0].content[0].num_frames");
  EXPECT_EQ(problem({{"type", "input_audio"}, {"file_id", "file-1"}})["code"], "unsupported_media");
  Json system = of_user(audio({{"data", kWave}}));
  system["messages"][0]["role"] = "system";
  EXPECT_THAT(refused(system)["message"].get<std::string>(), HasSubstr("sounds cannot stand here"));
}

TEST_F(ChatStreams, TheAnswerTellsHowTheyWereHeardAndWatched) {
  auto result = finished_result(300, 0, 2);
  serving::MediaUse sound;
  sound.kind = MediaKind::sound;
  sound.seconds = 31.5;
  sound.clips = 2;
  sound.tokens = 788;
  serving::MediaUse watched;
  watched.kind = MediaKind::video;
  watched.original = {1920, 1080};
  watched.shown = {480, 288};
  watched.tokens = 1920;
  watched.budget = 70;
  watched.seconds = 60;
  watched.frames = 32;
  watched.total_frames = 1500;
  watched.cached = true;
  result.media = {sound, watched};
  api_.service.end = result;
  EXPECT_EQ(json_of(api_.post(kChatCompletions, question()))["media"], json_from(R"([
      {"kind": "sound", "seconds": 31.5, "clips": 2, "tokens": 788, "cached": false},
      {"kind": "video", "width": 1920, "height": 1080, "shown_width": 480, "shown_height": 288,
       "tokens": 1920, "budget": 70, "seconds": 60.0, "frames": 32, "total_frames": 1500,
       "cached": true}])"));
}

class ResponseStreams : public ChatStreams {};

TEST_F(ResponseStreams, AreKeptAsTheyWereSentAndShownAgain) {
  const auto first = api_.post("/v1/responses", input(audio({{"data", kWave}, {"format", "wav"}})));
  ASSERT_EQ(first->status(), 200) << first->body();
  EXPECT_EQ(*api_.service.answers.back().media.at(0).bytes, "RIFF....WAVE");
  Json next = input(video({{"num_frames", 3}, {"use_audio_in_video", true}}));
  next["previous_response_id"] = json_of(first)["id"];
  const auto second = api_.post("/v1/responses", next);
  ASSERT_EQ(second->status(), 200) << second->body();
  const auto& media = api_.service.answers.back().media;
  ASSERT_THAT(media, SizeIs(2));
  EXPECT_EQ(media[0].kind, MediaKind::sound);
  EXPECT_EQ(*media[0].bytes, "RIFF....WAVE");
  EXPECT_EQ(media[1].kind, MediaKind::video);
  EXPECT_EQ(media[1].frames, 3);
  EXPECT_TRUE(media[1].with_sound);
}

}  // namespace
}  // namespace pleiad::api::openai
