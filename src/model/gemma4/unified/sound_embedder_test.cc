// The 12B's embedder of sounds against the reference: soft tokens of a tiny checkpoint.

#include "model/gemma4/unified/sound_embedder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "model/testing/encoder_testing.h"
#include "model/testing/golden_media.h"
#include "model/testing/golden_sounds.h"

namespace pleiad::gemma4 {
namespace {

using ::testing::HasSubstr;
using testing_support::golden_media;
using testing_support::GoldenSound;
using testing_support::pattern_sound;
using testing_support::read_golden_matrix;
using testing_support::read_golden_sounds;
using testing_support::SoundRunner;

struct EmbedderSource {
  std::string file;  // within the family's folder; "" is the folder itself
  std::string isa;
};

std::vector<EmbedderSource> embedder_sources() {
  std::vector<EmbedderSource> all;
  for (const std::string& isa : testing_support::isa_names()) {
    for (const char* file : {"", "12b.gguf"}) all.push_back({file, isa});
  }
  return all;
}

class SoundEmbedderGolden : public ::testing::TestWithParam<EmbedderSource> {};

TEST_P(SoundEmbedderGolden, EqualsTheReference) {
  SoundRunner runner(golden_media("12b") / GetParam().file,
                     {.isa = GetParam().isa, .max_rows = 64});
  std::vector<std::int64_t> n_samples;
  for (const GoldenSound& golden : read_golden_sounds(golden_media("12b") / "media.json")) {
    SCOPED_TRACE(golden.name);
    n_samples.push_back(golden.n_samples);
    const auto expected = read_golden_matrix(golden.file);
    EXPECT_EQ(expected.rows, sound_tokens(*runner.checkpoint().audio(), golden.n_samples));
    const auto found = runner.encode(pattern_sound(golden.n_samples, golden.seed));
    EXPECT_LE(testing_support::relative_difference(found, expected.values),
              testing_support::encoder_tolerance(GetParam().isa));
  }
  EXPECT_THAT(n_samples, ::testing::ElementsAre(1, 640, 641, 4321, 49'999));
}

INSTANTIATE_TEST_SUITE_P(Sources, SoundEmbedderGolden, ::testing::ValuesIn(embedder_sources()),
                         [](const auto& item) {
                           return testing_support::test_name(
                               (item.param.file.empty() ? "folder_" : "gguf_") + item.param.isa);
                         });

TEST(SoundEmbedder, GivesTheSameBitsHoweverTheWorkIsCut) {
  testing_support::expect_same_bits_however_cut<AudioEncoder>(golden_media("12b"),
                                                              pattern_sound(64'111, 3), {1, 33, 50},
                                                              {7, 33, 64, 128}, 101);  // 101 frames
}

TEST(SoundEmbedder, GivesTheSameBitsWhereItIsLoadedOnTheWay) {
  testing_support::expect_same_bits_on_the_way<AudioEncoder>(
      golden_media("12b"), pattern_sound(64'111, 3), 33, false);  // one matrix
}

TEST(SoundEmbedder, EncodingsDoNotDisturbEachOther) {
  SoundRunner runner(golden_media("12b"), {.max_rows = 64});
  testing_support::expect_undisturbed(runner, pattern_sound(50'000, 1), 10,
                                      pattern_sound(77'777, 2), 20);
}

// Quiet is divided by the root of the norm's epsilon alone.
TEST(SoundEmbedder, SilenceGivesZeros) {
  SoundRunner runner(golden_media("12b"));
  const auto soft = runner.encode(make_sound_input(std::vector<float>(700)));
  EXPECT_EQ(std::ssize(soft), 2 * runner.encoder().info().model_dim);
  EXPECT_THAT(soft, ::testing::Each(0.0F));
}

TEST(SoundEmbedder, RefusesAClipThatIsEmptyOrTooLong) {
  SoundRunner runner(golden_media("12b"));
  EXPECT_EQ(runner.encoder().info().min_samples, 1);
  EXPECT_EQ(runner.encoder().info().max_samples, 480'000);
  for (const std::size_t n : {std::size_t{0}, std::size_t{480'001}}) {
    try {
      (void)runner.encoder().begin(make_sound_input(std::vector<float>(n)));
      FAIL() << n;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("expected 1 to 480000"));
    }
  }
}

}  // namespace
}  // namespace pleiad::gemma4
