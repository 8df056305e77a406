// The audio tower against the reference: soft tokens of a tiny checkpoint.

#include "model/gemma4/audio/tower.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.h"
#include "model/testing/encoder_testing.h"
#include "model/testing/golden_media.h"
#include "model/testing/golden_sounds.h"

namespace pleiad::gemma4 {
namespace {

namespace fs = std::filesystem;
using testing_support::encoder_tolerance;
using testing_support::golden_audio;
using testing_support::GoldenSound;
using testing_support::isa_names;
using testing_support::pattern_sound;
using testing_support::read_golden_matrix;
using testing_support::read_golden_sounds;
using testing_support::relative_difference;
using testing_support::SoundRunner;
using testing_support::test_name;

void expect_reference(SoundRunner& runner, const std::string& isa, std::int64_t most_samples) {
  int n_cases = 0;
  for (const GoldenSound& golden : read_golden_sounds()) {
    if (golden.n_samples > most_samples) continue;
    SCOPED_TRACE(golden.name);
    const auto expected = read_golden_matrix(golden.file);
    EXPECT_EQ(expected.rows, sound_tokens({}, golden.n_samples));
    const auto found = runner.encode(pattern_sound(golden.n_samples, golden.seed));
    EXPECT_LE(relative_difference(found, expected.values), encoder_tolerance(isa));
    ++n_cases;
  }
  EXPECT_GE(n_cases, 6);
}

class AudioTowerGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(AudioTowerGolden, OfAFolderEqualsTheReference) {
  SoundRunner runner(golden_audio(), {.isa = GetParam()});
  expect_reference(runner, GetParam(), 50'000);
}

TEST_P(AudioTowerGolden, OfAProjectorFileWithBothTowersEqualsTheReference) {
  SoundRunner runner(golden_audio() / "e2b.gguf", {.isa = GetParam()});
  expect_reference(runner, GetParam(), 50'000);
}

INSTANTIATE_TEST_SUITE_P(Isas, AudioTowerGolden, ::testing::ValuesIn(isa_names()),
                         [](const auto& item) { return test_name(item.param); });

// 750 soft tokens, of the machine's best instruction set alone.
TEST(AudioTower, OfThirtySecondsEqualsTheReference) {
  SoundRunner runner(golden_audio());
  expect_reference(runner, isa_names().back(), 480'000);
}

TEST(AudioTower, OfAProjectorFileOfItsOwnEqualsTheReference) {
  SoundRunner runner(golden_audio() / "e2b.gguf",
                     {.projector = golden_audio() / "audio-alone.gguf"});
  expect_reference(runner, isa_names().back(), 50'000);
}

TEST(AudioTower, GivesTheSameBitsHoweverTheWorkIsCut) {
  testing_support::expect_same_bits_however_cut<AudioEncoder>(
      golden_audio(), pattern_sound(40'000, 3), {1, 20, 50}, {7, 33, 96}, 30);
}

// Whoever encodes in parts between other things waits for one layer at a time.
TEST(AudioTower, GivesTheSameBitsWhereItIsLoadedOnTheWay) {
  for (const fs::path& path : {golden_audio(), golden_audio() / "e2b.gguf"}) {
    SCOPED_TRACE(path);
    testing_support::expect_same_bits_on_the_way<AudioEncoder>(path, pattern_sound(20'000, 3), 20);
  }
}

TEST(AudioTower, EncodingsDoNotDisturbEachOther) {
  SoundRunner runner(golden_audio());
  testing_support::expect_undisturbed(runner, pattern_sound(20'000, 1), 10,
                                      pattern_sound(33'333, 2), 20);
}

TEST(AudioTower, RefusesAClipThatIsTooShortOrTooLong) {
  SoundRunner runner(golden_audio());
  EXPECT_EQ(runner.encoder().info().min_samples, 161);
  EXPECT_EQ(runner.encoder().info().max_samples, 480'000);
  for (const std::size_t n : {std::size_t{0}, std::size_t{160}, std::size_t{480'001}}) {
    try {
      (void)runner.encoder().begin(make_sound_input(std::vector<float>(n)));
      FAIL() << n;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("expected 161 to 480000"), std::string::npos)
          << error.what();
    }
  }
}

TEST(AudioTower, TellsTheMemoryThatAnEncodingTakes) {
  SoundRunner runner(golden_audio());
  EXPECT_GT(runner.encoder().encoding_bytes(480'000), 480'000U * 4 + 2999U * 128 * 4);
  EXPECT_LT(runner.encoder().encoding_bytes(480'000), 4'800'000U);
}

}  // namespace
}  // namespace pleiad::gemma4
