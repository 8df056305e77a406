// Videos through the process that reads them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "media/helper/helper_testing.h"
#include "media/reader.h"
#include "media/video/video_testing.h"

namespace pleiad::media {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(MediaReader, GivesTheVideoThatIsComputedInThisProcess) {
  MediaReader reader(test_helper("read"), {});
  const VideoOptions options = {3, 70, true};
  // Each decoder behind the filter of system calls.
  const Json files = video_index();
  for (const auto& [name, expected] : files.items()) {
    const auto bytes = corpus_video(name);
    const auto here = prepare_video(bytes, options, {});
    const auto there = reader.prepare_video(bytes, options);
    ASSERT_TRUE(there.ok()) << name << ": " << there.message();
    EXPECT_EQ(there.value().original, here.value().original);
    EXPECT_EQ(there.value().format, here.value().format);
    EXPECT_EQ(there.value().fps, here.value().fps);
    EXPECT_EQ(there.value().total_frames, here.value().total_frames);
    EXPECT_EQ(there.value().n_soft_tokens, here.value().n_soft_tokens);
    ASSERT_EQ(there.value().frames.size(), here.value().frames.size());
    for (std::size_t k = 0; k < here.value().frames.size(); ++k) {
      EXPECT_EQ(there.value().frames[k].index, here.value().frames[k].index);
      EXPECT_EQ(there.value().frames[k].seconds, here.value().frames[k].seconds);
      EXPECT_EQ(there.value().frames[k].pixels.rgb, here.value().frames[k].pixels.rgb) << name;
    }
    ASSERT_EQ(there.value().sound.has_value(), here.value().sound.has_value());
    if (here.value().sound) {
      EXPECT_EQ(there.value().sound->samples, here.value().sound->samples);
    }
  }
}

TEST(MediaReader, RefusesAVideoOfFramesThatCannotBeBeforeAnythingIsStarted) {
  MediaReader reader({"/there/is/no/helper", {}}, {});
  EXPECT_THAT(reader.prepare_video(corpus_video("hevc.mp4"), {0, 70, false}).message(),
              StartsWith("cannot be shown in 0 frames"));
}

TEST(MediaReader, SaysWhatIsWrongWithAVideoAsThisProcessWould) {
  MediaReader reader(test_helper("read"), {});
  auto half = corpus_video("h264_b_frames.mp4");
  half.resize(half.size() / 2);
  for (const auto& bad : {half, std::vector<std::byte>(500, std::byte{'x'})}) {
    EXPECT_EQ(reader.prepare_video(bad, {}).message(), prepare_video(bad, {}, {}).message());
  }
}

TEST(MediaReader, SurvivesWhatAFileMakesOfADecoderOfVideos) {
  const auto outcome = [](const std::string& helper, const ReaderLimits& limits) {
    MediaReader reader(test_helper(helper), limits);
    const auto video = reader.prepare_video(corpus_video("one_frame.mp4"), {});
    return video ? "a video" : video.message();
  };
  ReaderLimits quick;
  quick.stream_seconds = 0.2;
  EXPECT_EQ(outcome("crash", {}), "made its decoder crash");
  EXPECT_EQ(outcome("hang", quick), "takes more than 200.0 ms to be read");
  EXPECT_EQ(outcome("nonsense", {}), "made its decoder answer nonsense");
}

/// Where the name of a box begins.
std::size_t find_name(const std::vector<std::byte>& bytes, std::string_view name) {
  const auto is = [](std::byte found, char expected) {
    return found == static_cast<std::byte>(expected);
  };
  const auto at = std::search(bytes.begin(), bytes.end(), name.begin(), name.end(), is);
  EXPECT_NE(at, bytes.end()) << name;
  return static_cast<std::size_t>(at - bytes.begin());
}

void put_big_endian(std::vector<std::byte>& bytes, std::size_t at, std::uint32_t number) {
  for (std::size_t i = 0; i < 4; ++i) {
    bytes.at(at + i) = static_cast<std::byte>(number >> (24 - 8 * i) & 0xFF);
  }
}

TEST(HostileVideos, CostTheirOwnRequestAlone) {
  MediaReader reader(test_helper("read"), {});
  const auto refusal = [&](const std::vector<std::byte>& hostile) {
    const auto refused = reader.prepare_video(hostile, {});
    const auto good = reader.prepare_video(corpus_video("one_frame.mp4"), {});
    EXPECT_TRUE(good.ok()) << good.message();
    return refused ? "it was read" : refused.message();
  };
  auto frames = corpus_video("one_frame.mp4");  // which says that it has a billion
  const std::size_t sizes = find_name(frames, "stsz");
  put_big_endian(frames, sizes + 8, 1);
  put_big_endian(frames, sizes + 12, 1'000'000'000);
  EXPECT_THAT(refusal(frames), StartsWith("is an MP4 file that"));
  auto large = corpus_video("three_frames.gif");
  for (std::size_t i = 6; i < 10; ++i) large[i] = std::byte{0xFF};
  EXPECT_THAT(refusal(large), HasSubstr("or they are too large to be read"));
  // Whose table of frames points behind its end.
  auto beyond = corpus_video("h264_b_frames.mp4");
  put_big_endian(beyond, find_name(beyond, "stco") + 12, 0xFFFFFFF0);
  EXPECT_NE(refusal(beyond), "it was read");
  const std::string text = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n";
  const auto list = std::as_bytes(std::span(text));
  EXPECT_THAT(refusal({list.begin(), list.end()}), HasSubstr("is not a video: expected"));
}

}  // namespace
}  // namespace pleiad::media
