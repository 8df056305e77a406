#include "model/sound_input.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/gemma4/audio/config.h"

namespace pleiad {
namespace {

// `printf '\0\0\x80\x3f\0\0\0\xbf' | sha256sum`
TEST(SoundInput, IsKnownByTheDigestOfItsSamples) {
  const SoundInput sound = make_sound_input({1.0F, -0.5F});
  std::string hex;
  for (const std::uint8_t byte : sound.digest) hex += fmt::format("{:02x}", byte);
  EXPECT_EQ(hex, "e5e0ce39fac89cd93af5ba8bcad2fe35d88c75417c7e44941fe5ee4e48f1cf75");
  EXPECT_EQ(sound.samples, (std::vector<float>{1.0F, -0.5F}));
}

// The specification, 4.1 and 4.2: T = floor((n - 161)/160) + 1 frames, halved twice, rounded up.
TEST(SoundTokens, AreTwentyFiveASecond) {
  const gemma4::AudioConfig config;
  EXPECT_EQ(gemma4::sound_tokens(config, 160), 0);
  EXPECT_EQ(gemma4::sound_tokens(config, 161), 1);
  EXPECT_EQ(gemma4::sound_tokens(config, 16'000), 25);
  EXPECT_EQ(gemma4::sound_tokens(config, 16'161), 26);
  EXPECT_EQ(gemma4::sound_tokens(config, 480'000), 750);
}

// The reference's feature extractor: frames of 640 samples, the last filled with zeros.
TEST(SoundTokens, OfAnEmbedderAreItsFrames) {
  const gemma4::AudioConfig config = gemma4::audio_embedder(640, 3840);
  EXPECT_EQ(gemma4::sound_tokens(config, 0), 0);
  EXPECT_EQ(gemma4::sound_tokens(config, 1), 1);
  EXPECT_EQ(gemma4::sound_tokens(config, 640), 1);
  EXPECT_EQ(gemma4::sound_tokens(config, 641), 2);
  EXPECT_EQ(gemma4::sound_tokens(config, config.max_samples), 750);
}

}  // namespace
}  // namespace pleiad
