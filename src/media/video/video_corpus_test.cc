// Files of every container and coding against what FFmpeg's own program and Pillow make of them
// (tools/videos/make_corpus.py).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "media/budget.h"
#include "media/media_kind.h"
#include "media/media_testing.h"
#include "media/sound/sound.h"
#include "media/video/video.h"
#include "media/video/video_testing.h"

namespace pleiad::media {
namespace {

using ::testing::HasSubstr;
using VideoBytes = std::vector<std::byte>;

constexpr int kFramesOfCorpus = 5;

TEST(VideoCorpus, IsSeenAsTheReferenceSeesIt) {
  const Json index = video_index();
  ASSERT_GE(index.size(), 17U);
  for (const auto& [name, expected] : index.items()) {
    SCOPED_TRACE(name);
    const auto seen = prepare_video(corpus_video(name), {kFramesOfCorpus, 70, false}, {});
    ASSERT_TRUE(seen.ok()) << seen.message();
    const PreparedVideo& video = seen.value();
    const auto total = expected.at("total").get<std::int64_t>();
    EXPECT_EQ(video.total_frames, total);
    EXPECT_NEAR(video.fps, expected.at("fps").get<double>(), 1e-6);
    EXPECT_EQ(video.original, (PictureSize{expected.at("width"), expected.at("height")}));
    EXPECT_EQ(video.n_soft_tokens, soft_tokens(target_size(video.original, 70)));
    const Json& digests = expected.at("frames");
    ASSERT_EQ(video.frames.size(), digests.size());
    for (std::size_t k = 0; k < digests.size(); ++k) {
      const VideoFrame& frame = video.frames[k];
      const auto n = static_cast<std::int64_t>(digests.size());
      EXPECT_EQ(frame.index, static_cast<std::int64_t>(k) * total / n);
      EXPECT_EQ(frame.seconds, static_cast<double>(frame.index) / video.fps);
      EXPECT_EQ(digest_of(frame.pixels), digests.at(k).get<std::string>()) << "frame " << k;
    }
  }
}

TEST(VideoCorpus, IsKnownByItsContentButForGif) {
  const Json files = video_index();
  for (const auto& [name, expected] : files.items()) {
    const bool is_gif = name.ends_with(".gif");
    EXPECT_EQ(sniff_media(corpus_video(name)), is_gif ? MediaKind::picture : MediaKind::video)
        << name;
  }
}

TEST(VideoCorpus, GivesEveryFrameWhetherOthersWereSkippedOrNot) {
  for (const char* name : {"h264_b_frames.mp4", "h264_open_gop.mkv", "h264_ntsc.ts", "hevc.mp4"}) {
    const auto all = prepare_video(corpus_video(name), {100, 70, false}, {});
    ASSERT_TRUE(all.ok()) << all.message();
    for (const int n : {2, 3, 7, 11}) {
      const auto some = prepare_video(corpus_video(name), {n, 70, false}, {});
      ASSERT_TRUE(some.ok()) << some.message();
      for (const VideoFrame& frame : some.value().frames) {
        const auto index = static_cast<std::size_t>(frame.index);
        EXPECT_EQ(frame.pixels.rgb, all.value().frames[index].pixels.rgb) << name << ' ' << index;
      }
    }
  }
}

TEST(VideoCorpus, IsHeardWhereThatIsAskedFor) {
  const VideoBytes film = corpus_video("h264_with_sound.mp4");
  const auto both = prepare_video(film, {2, 70, true}, {});
  ASSERT_TRUE(both.ok()) << both.message();
  ASSERT_TRUE(both.value().sound.has_value());
  EXPECT_EQ(both.value().sound->samples, prepare_sound(film, {}, {}).value().samples);
  EXPECT_NEAR(both.value().sound->seconds, 0.8, 0.1);
  EXPECT_FALSE(prepare_video(film, {2, 70, false}, {}).value().sound.has_value());
  const auto silent = prepare_video(corpus_video("hevc.mp4"), {2, 70, true}, {});
  ASSERT_TRUE(silent.ok()) << silent.message();
  EXPECT_FALSE(silent.value().sound.has_value());
}

std::string refusal_of_video(const VideoBytes& bytes, const VideoOptions& options = {},
                             const VideoLimits& limits = {}) {
  const auto video = prepare_video(bytes, options, limits);
  return video ? "it was read" : video.message();
}

TEST(VideoLimits, RefuseWhatTheOptionsCannotBe) {
  const VideoBytes film = corpus_video("hevc.mp4");
  EXPECT_THAT(refusal_of_video(film, {32, 71, false}), HasSubstr("expected one of 70, 140, 280"));
  EXPECT_THAT(refusal_of_video(film, {0, 70, false}), HasSubstr("in 0 frames of 70"));
  EXPECT_THAT(refusal_of_video(film, {36, 1120, false}), HasSubstr("expected 1 to 35"));
}

TEST(VideoLimits, RefuseWhatIsTooLarge) {
  VideoLimits limits;
  limits.max_total_frames = 10;
  EXPECT_THAT(refusal_of_video(corpus_video("h264_b_frames.mp4"), {}, limits),
              HasSubstr("is an MP4 file that has 40 frames; at most 10 are read"));
  EXPECT_THAT(refusal_of_video(corpus_video("vp9_live.webm"), {}, limits),
              HasSubstr("has more than 10 frames"));
  limits = {};
  limits.max_pixels = 1000;
  EXPECT_THAT(refusal_of_video(corpus_video("h264_b_frames.mp4"), {}, limits),
              HasSubstr("96 x 64 = 6,144 pixels; at most 1,000"));
  limits = {};
  limits.sound.max_seconds = 0.1;
  EXPECT_THAT(refusal_of_video(corpus_video("h264_with_sound.mp4"), {2, 70, true}, limits),
              HasSubstr("at most 100.0 ms are heard"));
}

TEST(VideoLimits, RefuseWhatEndsEarly) {
  VideoBytes cut = corpus_video("h264_fragmented.mp4");
  cut.resize(cut.size() / 2);
  EXPECT_NE(refusal_of_video(cut), "");
  for (const char* name : {"h264_b_frames.mp4", "vp9.webm", "hevc.mp4", "h264_ntsc.ts"}) {
    for (const double share : {0.0, 0.01, 0.05}) {
      VideoBytes start = corpus_video(name);
      start.resize(static_cast<std::size_t>(static_cast<double>(start.size()) * share));
      EXPECT_NE(refusal_of_video(start), "it was read") << name << share;
    }
  }
}

/// As phones trim a video: the frames stay in the file, and an edit list shows some of them.
TEST(VideoCorpus, IsShownWithinItsEditList) {
  VideoBytes trimmed = corpus_video("h264_b_frames.mp4");
  constexpr std::string_view kEdits = "elst";
  const auto is = [](std::byte found, char expected) {
    return found == static_cast<std::byte>(expected);
  };
  const auto edits = std::search(trimmed.begin(), trimmed.end(), kEdits.begin(), kEdits.end(), is);
  ASSERT_LT(edits + 16, trimmed.end());
  edits[14] = std::byte{800 >> 8};  // milliseconds, of 1,600
  edits[15] = std::byte{800 & 0xFF};
  const auto seen = prepare_video(trimmed, {100, 70, false}, {});
  ASSERT_TRUE(seen.ok()) << seen.message();
  EXPECT_EQ(seen.value().total_frames, 20);
  EXPECT_EQ(seen.value().seconds, 0.8);
  const auto all = prepare_video(corpus_video("h264_b_frames.mp4"), {100, 70, false}, {});
  for (std::size_t k = 0; k < seen.value().frames.size(); ++k) {
    EXPECT_EQ(seen.value().frames[k].pixels.rgb, all.value().frames[k].pixels.rgb) << k;
  }
}

TEST(VideoLimits, RefuseWhatHasNoVideo) {
  EXPECT_THAT(refusal_of_video({}), HasSubstr("is not a video: there are no bytes"));
  EXPECT_THAT(refusal_of_video(VideoBytes(100)), HasSubstr("is not a video: expected MP4, MOV"));
}

}  // namespace
}  // namespace pleiad::media
