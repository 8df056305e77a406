// Sounds through the process that reads them: FFmpeg and libsoxr behind the filter of system calls.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/sanitizers.h"
#include "media/helper/helper_testing.h"
#include "media/reader.h"
#include "media/sound/sound_testing.h"

namespace pleiad::media {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string outcome_of_sound(const std::string& helper, const ReaderLimits& limits = {}) {
  MediaReader reader(test_helper(helper), limits);
  const auto sound = reader.prepare_sound(corpus_sound("no_header.mp3"), {});
  return sound ? "a sound" : sound.message();
}

TEST(MediaReader, GivesTheSoundThatIsComputedInThisProcess) {
  MediaReader reader(test_helper("read"), {});
  for (const char* name : {"s24_48000_mono.wav", "s16_44100_stereo.flac", "cbr_44100_stereo.mp3",
                           "aac_44100_stereo.m4a", "vorbis_44100_stereo.ogg", "opus_48000_six.opus",
                           "opus_recorded_live.webm", "ac3_48000_six.ac3.mkv"}) {
    const auto bytes = corpus_sound(name);
    const auto here = prepare_sound(bytes, {}, {});
    const auto there = reader.prepare_sound(bytes, {});
    ASSERT_TRUE(there.ok()) << name << ": " << there.message();
    EXPECT_EQ(there.value().samples, here.value().samples) << name;
    EXPECT_EQ(there.value().format, here.value().format);
    EXPECT_EQ(there.value().seconds, here.value().seconds);
    EXPECT_EQ(there.value().original_rate, here.value().original_rate);
    EXPECT_EQ(there.value().original_channels, here.value().original_channels);
  }
}

TEST(MediaReader, SaysWhatIsWrongWithASoundAsThisProcessWould) {
  MediaReader reader(test_helper("read"), {});
  std::vector<std::byte> half = corpus_sound("s16_44100_stereo.wav");
  half.resize(half.size() / 2);
  for (const auto& bad :
       {half, std::vector<std::byte>(500, std::byte{'x'}), golden_picture("tiny.png")}) {
    EXPECT_EQ(reader.prepare_sound(bad, {}).message(), prepare_sound(bad, {}, {}).message());
  }
  EXPECT_EQ(reader.prepare_sound({}, {}).message(), "is empty");
}

TEST(MediaReader, TakesTheLimitsOfSoundsAlong) {
  ReaderLimits limits;
  limits.sound.max_seconds = 0.1;
  limits.max_stream_bytes = 100'000;
  MediaReader reader(test_helper("read"), limits);
  EXPECT_THAT(reader.prepare_sound(corpus_sound("u8_11025_mono.wav"), {}).message(),
              HasSubstr("100.0 ms"));
  EXPECT_THAT(reader.prepare_sound(std::vector<std::byte>(100'001), {}).message(),
              HasSubstr("at most 100 KB are read"));
}

TEST(MediaReader, SurvivesWhatAFileMakesOfADecoderOfSounds) {
  ReaderLimits quick;
  quick.stream_seconds = 0.2;
  EXPECT_EQ(outcome_of_sound("crash"), "made its decoder crash");
  EXPECT_EQ(outcome_of_sound("exit"), "made its decoder crash");
  EXPECT_EQ(outcome_of_sound("hang", quick), "takes more than 200.0 ms to be read");
  EXPECT_EQ(outcome_of_sound("escape"), "could do:");
  EXPECT_EQ(outcome_of_sound("too large"), "made its decoder answer nonsense");
  if (kSanitized) return;
  ReaderLimits small;
  small.memory_bytes = std::uint64_t{500} << 20;
  EXPECT_THAT(outcome_of_sound("memory", small), StartsWith("takes more than 524 MB of memory"));
}

TEST(MediaReader, KeepsAProcessOfEachKindReady) {
  MediaReader reader(test_helper("read"), {});
  ASSERT_TRUE(reader.prepare_picture(golden_picture("tiny.png"), {}).ok());
  ASSERT_TRUE(reader.prepare_sound(corpus_sound("no_header.mp3"), {}).ok());
  while (children().size() != 2) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace
}  // namespace pleiad::media
