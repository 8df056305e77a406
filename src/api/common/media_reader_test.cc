#include "api/common/media_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/request_error.h"
#include "api/common/testing/request_problem.h"
#include "base/base64.h"
#include "base/testing/json.h"

namespace pleiad::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kPng = "\x89PNG\r\n\x1a\n and so on";

class MediaReaderTest : public ::testing::Test {
 protected:
  Json url(const std::string& text) { return media_.read_url(text, "part", "part.url"); }
  Json base64(const std::string& text, std::string_view media_type = "") {
    return media_.read_base64(text, media_type, "part", "part.data");
  }
  std::string url_problem(const std::string& text) {
    return problem_of([&] { (void)url(text); });
  }

  RequestNotes notes_;
  MediaReader media_{notes_};
};

TEST_F(MediaReaderTest, DecodesAndNumbersPictures) {
  EXPECT_EQ(url("data:image/png;base64," + encode_base64(kPng)),
            (Json{{"type", "image"}, {"media", 0}}));
  EXPECT_EQ(base64(encode_base64("GIF89a")), (Json{{"type", "image"}, {"media", 1}}));
  const std::vector<serving::MediaPart> parts = media_.take();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(*parts[0].bytes, kPng);
  EXPECT_EQ(*parts[1].bytes, "GIF89a");
  EXPECT_EQ(parts[0].field, "part");
  EXPECT_FALSE(parts[0].budget || parts[0].automatic);
  EXPECT_THAT(notes_.take(), IsEmpty());
}

TEST_F(MediaReaderTest, LeavesUrlsToWhoFetchesThem) {
  (void)url("HTTPS://example.test/a.png?x=1");
  const std::vector<serving::MediaPart> parts = media_.take();
  EXPECT_EQ(parts[0].url, "HTTPS://example.test/a.png?x=1");
  EXPECT_EQ(parts[0].bytes, nullptr);
}

TEST_F(MediaReaderTest, TheContentCountsAndAWrongNameIsTold) {
  (void)base64(encode_base64(kPng), "image/jpeg");
  (void)base64(encode_base64(kPng), "IMAGE/PNG");
  (void)base64(encode_base64(kPng), "application/octet-stream");
  (void)base64(encode_base64("no picture"), "image/png");  // whoever decodes it says so
  EXPECT_THAT(notes_.take(),
              ElementsAre("part: is called image/jpeg, and is taken as the PNG that it is"));
}

TEST_F(MediaReaderTest, WhereAnyKindMayStandTheBytesTellIt) {
  const auto type_of = [&](const std::string& bytes) {
    return media_.read_base64(encode_base64(bytes), "", "part", "part", std::nullopt)["type"];
  };
  const std::string wav = std::string("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0", 24) +
                          std::string("\x80\x3e\0\0\0\x7d\0\0\2\0\x10\0data\0\0\0\0", 20);
  EXPECT_EQ(type_of(wav), "audio");
  EXPECT_EQ(type_of(kPng), "image");
  EXPECT_EQ(type_of("whoever decodes it says what is wrong"), "image");
  const std::vector<serving::MediaPart> parts = media_.take();
  EXPECT_EQ(parts[0].kind, serving::MediaKind::sound);
  EXPECT_EQ(parts[1].kind, serving::MediaKind::picture);
  (void)url("https://example.test/a.wav");
  EXPECT_EQ(media_.last().kind, serving::MediaKind::picture) << "what is asked for";
}

TEST_F(MediaReaderTest, WhatIsExpectedIsNamed) {
  const auto problem = [&](const std::string& text) {
    return problem_of(
        [&] { (void)media_.read_url(text, "part", "part.url", serving::MediaKind::video); });
  };
  EXPECT_EQ(problem("data:video/mp4;base64,"), "part.url: expected a video, found no bytes");
  EXPECT_EQ(problem("x"),
            "part.url: expected \"data:video/...;base64,...\" or an http(s) URL, found \"x\"");
}

TEST(VideoFields, AreThePartsOwn) {
  const auto read = [](const char* json) {
    const Json object = json_from(json);
    FieldReader part(object, "part");
    serving::MediaPart media;
    RequestNotes notes;
    read_video_fields(part, media, notes);
    return media;
  };
  const serving::MediaPart media = read(
      R"({"num_frames": 8, "mm_processor_kwargs": {"max_soft_tokens": 140, "use_audio_in_video": true}})");
  EXPECT_EQ(media.frames, 8);
  EXPECT_EQ(media.budget, 140);
  EXPECT_TRUE(media.with_sound);
  EXPECT_THAT(problem_of([&] { (void)read(R"({"num_frames": 0})"); }),
              HasSubstr("part.num_frames: expected"));
  EXPECT_THAT(problem_of([&] { (void)read(R"({"max_soft_tokens": "auto"})"); }),
              HasSubstr("part.max_soft_tokens: expected 70, 140, 280, 560, 1120, found"));
}

TEST_F(MediaReaderTest, NamesWhatIsNoPicture) {
  EXPECT_EQ(url_problem("file:///etc/passwd"),
            "part.url: expected \"data:image/...;base64,...\" or an http(s) URL, found "
            "\"file:///etc/passwd\"");
  EXPECT_THAT(url_problem(encode_base64(kPng)), HasSubstr("part.url: expected \"data:"));
  EXPECT_EQ(url_problem("data:image/png;base64,a-b="),
            "part.url: expected base64, found '-' at character 2");
  EXPECT_EQ(url_problem("data:image/png;base64,"), "part.url: expected a picture, found no bytes");
  EXPECT_THAT(url_problem("https://" + std::string(9'000, 'a')), HasSubstr("at most 8192 bytes"));
  EXPECT_EQ(problem_of([&] { (void)base64("aGk"); }).find("part.data: expected base64"), 0u);
}

TEST_F(MediaReaderTest, TakesNoMoreThanOneRequestMayHave) {
  for (std::size_t i = 0; i < serving::kMostMedia; ++i) (void)url("https://a.test/");
  EXPECT_EQ(url_problem("https://a.test/"),
            "part: one request may have 100 pictures, sounds, videos and documents at most");
}

TEST_F(MediaReaderTest, TakesNoMoreBytesThanOneRequestMayHave) {
  MediaReader media(notes_, 2'000);
  const std::string half = encode_base64(std::string(1'000, 'x'));
  (void)media.read_base64(half, "", "part", "part.data");
  (void)media.read_base64(half, "", "part", "part.data");
  EXPECT_EQ(problem_of([&] { (void)media.read_base64("eHh4", "", "part", "part.data"); }),
            "part: the files of one request have 2.0 KB together at most");
}

TEST(MediaBudget, IsOneOfThoseOfTheModels) {
  const auto read = [](const char* json) {
    const Json object = json_from(json);
    FieldReader fields(object, "options");
    std::optional<int> budget = 7;
    bool automatic = false;
    read_budget(fields, budget, automatic);
    return std::pair(budget, automatic);
  };
  EXPECT_EQ(read("{}"), std::pair(std::optional(7), false));
  EXPECT_EQ(read(R"({"max_soft_tokens": 1120})"), std::pair(std::optional(1120), false));
  EXPECT_EQ(read(R"({"max_soft_tokens": "auto"})"), std::pair(std::optional<int>(), true));
  for (const char* wrong : {R"({"max_soft_tokens": 300})", R"({"max_soft_tokens": "280"})",
                            R"({"max_soft_tokens": 70.5})", R"({"max_soft_tokens": 4294967366})"}) {
    EXPECT_THAT(problem_of([&] { (void)read(wrong); }),
                HasSubstr("options.max_soft_tokens: expected 70, 140, 280, 560, 1120 or \"auto\""));
  }
}

}  // namespace
}  // namespace pleiad::api
