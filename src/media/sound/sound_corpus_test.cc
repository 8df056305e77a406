// Files of every format against what the reference hears in them (tools/sounds/make_corpus.py).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "media/media_kind.h"
#include "media/sound/sound.h"
#include "media/sound/sound_testing.h"

namespace pleiad::media {
namespace {

using ::testing::HasSubstr;

/// Samples as libsoxr makes them on another machine; where nothing is resampled they are equal but
/// for lossy decoders.
constexpr float kResampled = 1e-5F;

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(SoundCorpus, IsHeardAsTheReferenceHearsIt) {
  const Json index = sound_index();
  ASSERT_GE(index.size(), 30U);
  for (const auto& [name, expected] : index.items()) {
    SCOPED_TRACE(name);
    const auto heard = prepare_sound(corpus_sound(name), {}, {});
    ASSERT_TRUE(heard.ok()) << heard.message();
    const PreparedSound& sound = heard.value();
    EXPECT_EQ(sound.original_rate, expected.at("rate").get<int>());
    EXPECT_EQ(sound.original_channels, expected.at("channels").get<int>());
    const std::vector<float> reference = reference_samples(name);
    ASSERT_EQ(sound.samples.size(), reference.size());
    EXPECT_EQ(sound.seconds, static_cast<double>(reference.size()) / kSoundRate);
    const bool is_exact =
        expected.at("same_rate").get<bool>() && expected.at("reference") == "soundfile";
    EXPECT_LE(largest_difference(sound.samples.whole(), reference), is_exact ? 0 : kResampled);
  }
}

TEST(SoundCorpus, IsKnownByItsContent) {
  const Json files = sound_index();
  for (const auto& [name, expected] : files.items()) {
    EXPECT_EQ(sniff_media(corpus_sound(name)), MediaKind::sound) << name;
  }
}

TEST(SoundCorpus, IsCalledByItsCodingAndItsContainer) {
  const auto format = [](const char* name) {
    return prepare_sound(corpus_sound(name), {}, {}).value().format;
  };
  EXPECT_EQ(format("cbr_44100_stereo.mp3"), "MP3");
  EXPECT_EQ(format("aac_44100_stereo.m4a"), "AAC in MP4");
  EXPECT_EQ(format("s24_48000_mono.wav"), "PCM 24 bits in WAV");
  EXPECT_EQ(format("s24_48000_mono.flac"), "FLAC");
  EXPECT_EQ(format("opus_48000_stereo.webm"), "Opus in WebM");
  EXPECT_EQ(format("flac_44100_mono.mka"), "FLAC in Matroska");
}

}  // namespace
}  // namespace pleiad::media
