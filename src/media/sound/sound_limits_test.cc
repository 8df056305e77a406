// Sounds that cost too much, are damaged or not what they say.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "media/byte_reader.h"
#include "media/sound/sound.h"
#include "media/sound/sound_testing.h"

namespace pleiad::media {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using SoundBytes = std::vector<std::byte>;

std::string refusal_of_sound(const SoundBytes& bytes, const SoundLimits& limits = {}) {
  const auto sound = prepare_sound(bytes, {}, limits);
  return sound ? "it was read" : sound.message();
}

void append_number(SoundBytes& bytes, std::uint64_t number, int n_bytes) {
  for (int i = 0; i < n_bytes; ++i) bytes.push_back(static_cast<std::byte>(number >> 8 * i & 0xFF));
}

void append_text(SoundBytes& bytes, std::string_view text) {
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
}

/// A header of WAV, which says `n_bytes` of samples.
SoundBytes wav_header(int format, int channels, std::uint32_t rate, int bits,
                      std::uint64_t n_bytes) {
  SoundBytes bytes;
  append_text(bytes, "RIFF");
  append_number(bytes, n_bytes + 36, 4);
  append_text(bytes, "WAVEfmt ");
  append_number(bytes, 16, 4);
  append_number(bytes, static_cast<std::uint64_t>(format), 2);
  append_number(bytes, static_cast<std::uint64_t>(channels), 2);
  append_number(bytes, rate, 4);
  append_number(bytes, std::uint64_t{rate} * static_cast<std::uint64_t>(channels * bits / 8), 4);
  append_number(bytes, static_cast<std::uint64_t>(channels * bits / 8), 2);
  append_number(bytes, static_cast<std::uint64_t>(bits), 2);
  append_text(bytes, "data");
  append_number(bytes, n_bytes, 4);
  return bytes;
}

SoundBytes wav_of_floats(const std::vector<float>& samples) {
  SoundBytes bytes = wav_header(3, 1, kSoundRate, 32, samples.size() * 4);
  for (const float sample : samples) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &sample, sizeof bits);
    append_number(bytes, bits, 4);
  }
  return bytes;
}

SoundBytes cut(const std::string& name, double share) {
  SoundBytes bytes = corpus_sound(name);
  bytes.resize(static_cast<std::size_t>(static_cast<double>(bytes.size()) * share));
  return bytes;
}

TEST(SoundLimits, EndASoundThatLastsLonger) {
  SoundLimits limits;
  limits.max_seconds = 0.2;
  // By what the header says, and by what comes where it says nothing.
  EXPECT_THAT(refusal_of_sound(corpus_sound("s16_44100_stereo.flac"), limits),
              HasSubstr("is a FLAC file that lasts 250.0 ms; at most 200.0 ms are heard"));
  for (const char* name : {"s16_recorded_live.wav", "s16_recorded_live.flac",
                           "opus_48000_mono.opus", "no_header.mp3", "opus_recorded_live.webm"}) {
    EXPECT_THAT(refusal_of_sound(corpus_sound(name), limits),
                HasSubstr("lasts more than 200.0 ms, which is the most that is heard"))
        << name;
  }
}

TEST(SoundLimits, EndWhatAHeaderClaims) {
  SoundBytes hours = corpus_sound("s16_44100_stereo.flac");
  // The last 36 bits of the 8 bytes at 18 are the number of samples.
  hours[21] |= std::byte{0x0F};
  EXPECT_THAT(refusal_of_sound(hours), HasSubstr("at most 60 min 0 s are heard"));
  const SoundBytes rate = wav_header(1, 1, 0xFFFFFFFF, 16, 0);
  EXPECT_THAT(refusal_of_sound(rate), StartsWith("is a WAV file that"));
  SoundBytes fast = wav_header(1, 1, 1'000'000, 16, 2000);
  fast.resize(fast.size() + 2000);
  EXPECT_THAT(refusal_of_sound(fast), HasSubstr("has 1,000,000 samples a second; 1 to 768,000"));
  SoundBytes wide = wav_header(1, 500, 8'000, 16, 100'000);
  wide.resize(wide.size() + 100'000);
  EXPECT_THAT(refusal_of_sound(wide), HasSubstr("has 500 channels; 1 to 32 are read"));
}

TEST(SoundLimits, RefuseWhatEndsEarly) {
  EXPECT_THAT(refusal_of_sound(cut("s16_44100_stereo.wav", 0.5)),
              HasSubstr("is a WAV file that ends early: with 22,028 of the 44,100 bytes"));
  SoundBytes flac = corpus_sound("s16_44100_stereo.flac");
  flac[22] = std::byte{0x01};  // more samples than there are: 16 million
  EXPECT_THAT(refusal_of_sound(flac), HasSubstr("ends early: after 250.0 ms of the 6 min"));
  EXPECT_THAT(refusal_of_sound(cut("aac_44100_stereo.m4a", 0.5)),
              StartsWith("is an MP4 file that"));
  for (const char* name : {"s16_44100_stereo.flac", "opus_48000_mono.opus", "aac_44100_stereo.m4a",
                           "cbr_44100_stereo.mp3", "opus_48000_stereo.webm"}) {
    for (const double share : {0.0, 0.01, 0.03, 0.1}) {
      EXPECT_NE(refusal_of_sound(cut(name, share)), "it was read") << name << share;
    }
  }
}

TEST(SoundLimits, RefuseDamage) {
  SoundBytes flac = corpus_sound("s16_44100_stereo.flac");
  flac[flac.size() / 2] ^= std::byte{0x10};
  EXPECT_THAT(refusal_of_sound(flac), HasSubstr("is a FLAC file that is damaged after"));
  SoundBytes mp3 = corpus_sound("no_header.mp3");
  for (std::size_t i = mp3.size() / 3; i < mp3.size() * 2 / 3; ++i) mp3[i] = std::byte{0x5A};
  EXPECT_NE(refusal_of_sound(mp3), "it was read");
}

TEST(SoundLimits, LetRecordingsBeginAndEndInTheMiddle) {
  const SoundBytes whole = corpus_sound("no_header.mp3");
  const SoundBytes middle(whole.begin() + 100, whole.end() - 60);
  const auto sound = prepare_sound(middle, {}, {});
  ASSERT_TRUE(sound.ok()) << sound.message();
  EXPECT_GT(sound.value().seconds, 0.2);
}

TEST(SoundLimits, RefuseSamplesThatAreNoNumbers) {
  std::vector<float> samples(1000, 0.25F);
  EXPECT_EQ(prepare_sound(wav_of_floats(samples), {}, {}).value().samples.whole(), samples);
  samples[3] = 1.5F;  // beyond full scale, and kept
  EXPECT_EQ(prepare_sound(wav_of_floats(samples), {}, {}).value().samples.whole(), samples);
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), -1e30F}) {
    samples[500] = bad;
    EXPECT_THAT(refusal_of_sound(wav_of_floats(samples)),
                HasSubstr("has samples that are no numbers or far beyond full scale"));
  }
}

TEST(SoundLimits, RefuseWhatHasNoSound) {
  EXPECT_THAT(refusal_of_sound({}), HasSubstr("is not a sound: there are no bytes"));
  SoundBytes text;
  append_text(text, "#EXTM3U\nfile:///etc/passwd\n");
  EXPECT_THAT(refusal_of_sound(text), AllOf(HasSubstr("is not a sound: expected WAV, AIFF, FLAC"),
                                            HasSubstr("found 27 bytes that begin 23 45 58 54")));
  EXPECT_THAT(refusal_of_sound(wav_header(1, 1, 16'000, 16, 0)), HasSubstr("holds no samples"));
}

TEST(SoundClips, AreConsecutiveAndOfTheLengthThatIsHeard) {
  using Clips = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(sound_clips(480'000, 480'000), (Clips{{0, 480'000}}));
  EXPECT_EQ(sound_clips(1'000'000, 480'000),
            (Clips{{0, 480'000}, {480'000, 960'000}, {960'000, 1'000'000}}));
  EXPECT_EQ(sound_clips(161, 480'000), (Clips{{0, 161}}));
  EXPECT_EQ(sound_clips(160, 480'000), Clips());
  EXPECT_EQ(sound_clips(0, 480'000), Clips());
  // What is too short for a token is left to be told.
  EXPECT_EQ(sound_clips(480'160, 480'000), (Clips{{0, 480'000}}));
  EXPECT_EQ(sound_clips(480'001, 480'000, 1), (Clips{{0, 480'000}, {480'000, 480'001}}));
  EXPECT_EQ(sound_clips(480'161, 480'000), (Clips{{0, 480'000}, {480'000, 480'161}}));
}

}  // namespace
}  // namespace pleiad::media
