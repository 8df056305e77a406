// The vision tower against the reference: soft tokens of tiny checkpoints.

#include "model/gemma4/vision/encoder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/testing/paths.h"
#include "base/testing/sanitizers.h"
#include "model/testing/encoder_testing.h"
#include "model/testing/golden_media.h"

namespace pleiad::gemma4 {
namespace {

namespace fs = std::filesystem;
using testing_support::encoder_tolerance;
using testing_support::golden_media;
using testing_support::GoldenEmbedding;
using testing_support::GoldenMatrix;
using testing_support::isa_names;
using testing_support::pattern_picture;
using testing_support::read_golden_matrix;
using testing_support::read_golden_media;
using testing_support::relative_difference;
using testing_support::VisionRunner;

PictureInput picture_of(const GoldenEmbedding& golden) {
  return pattern_picture(golden.width, golden.height, golden.seed);
}

struct TowerSource {
  std::string family;
  bool is_gguf = false;
  std::string isa;

  fs::path path() const {
    return is_gguf ? golden_media(family) / (family + ".gguf") : golden_media(family);
  }
};

std::vector<TowerSource> tower_sources() {
  std::vector<TowerSource> all;
  for (const std::string& isa : isa_names()) {
    for (const std::string family : {"e2b", "12b", "26b-a4b"}) {
      for (const bool is_gguf : {false, true}) all.push_back({family, is_gguf, isa});
    }
  }
  return all;
}

std::string tower_source_name(const ::testing::TestParamInfo<TowerSource>& item) {
  return testing_support::test_name(item.param.family +
                                    (item.param.is_gguf ? "_gguf_" : "_folder_") + item.param.isa);
}

class VisionTowerGolden : public ::testing::TestWithParam<TowerSource> {
 protected:
  void expect_reference(std::int64_t most_patches) {
    VisionRunner runner(GetParam().path(), {.isa = GetParam().isa});
    int n_cases = 0;
    for (const GoldenEmbedding& golden : read_golden_media(GetParam().family).embeddings) {
      if (golden.width / 16 * (golden.height / 16) > most_patches) continue;
      SCOPED_TRACE(golden.name);
      const GoldenMatrix expected = read_golden_matrix(golden.file);
      const std::vector<float> found = runner.encode(picture_of(golden));
      EXPECT_LE(relative_difference(found, expected.values), encoder_tolerance(GetParam().isa));
      ++n_cases;
    }
    EXPECT_GE(n_cases, 4);
  }
};

TEST_P(VisionTowerGolden, SmallPicturesEqualTheReference) { expect_reference(630); }

INSTANTIATE_TEST_SUITE_P(Sources, VisionTowerGolden, ::testing::ValuesIn(tower_sources()),
                         tower_source_name);

// 2,520 patches and more, of the machine's best instruction set alone.
TEST(VisionTowerBudgets, EveryBudgetEqualsTheReference) {
  for (const std::string family : {"e2b", "12b", "26b-a4b"}) {
    VisionRunner runner(golden_media(family));
    for (const GoldenEmbedding& golden : read_golden_media(family).embeddings) {
      SCOPED_TRACE(family + " " + golden.name);
      const GoldenMatrix expected = read_golden_matrix(golden.file);
      if (kSanitized && expected.rows > 140) continue;
      EXPECT_EQ(expected.rows, runner.encoder().info().soft_tokens(golden.width, golden.height));
      const std::vector<float> found = runner.encode(picture_of(golden));
      EXPECT_LE(relative_difference(found, expected.values), encoder_tolerance(isa_names().back()));
    }
  }
}

TEST(VisionTower, GivesTheSameBitsHoweverTheWorkIsCut) {
  for (const std::string family : {"e2b", "12b", "26b-a4b"}) {
    SCOPED_TRACE(family);
    testing_support::expect_same_bits_however_cut<VisionEncoder>(
        golden_media(family), pattern_picture(288, 240, 3), {1, 50, 200}, {33, 96}, 100);
  }
}

// Whoever encodes in parts between other things waits for one layer at a time.
TEST(VisionTower, GivesTheSameBitsWhereItIsLoadedOnTheWay) {
  for (const std::string family : {"e2b", "12b", "26b-a4b"}) {
    SCOPED_TRACE(family);
    testing_support::expect_same_bits_on_the_way<VisionEncoder>(golden_media(family),
                                                                pattern_picture(144, 96, 3), 50);
  }
}

TEST(VisionTower, EncodingsDoNotDisturbEachOther) {
  VisionRunner runner(golden_media("e2b"));
  testing_support::expect_undisturbed(runner, pattern_picture(240, 96, 1), 40,
                                      pattern_picture(144, 192, 2), 60);
}

TEST(VisionTower, RefusesAPictureThatItsPositionsDoNotReach) {
  VisionRunner runner(golden_media("e2b"));
  EXPECT_EQ(runner.encoder().info().max_patches_on_a_side, 128);
  const PictureInput wide = pattern_picture(2016, 48, 0);
  EXPECT_NO_THROW((void)runner.encoder().begin(wide));
  const PictureInput tall = pattern_picture(48, 2064, 0);
  try {
    (void)runner.encoder().begin(tall);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "a picture of 48x2064 pixels is too long: at most 128 patches of 16 pixels on a "
                 "side");
  }
}

TEST(VisionTower, RefusesAPictureWithoutItsPixels) {
  for (const std::string family : {"e2b", "12b"}) {
    VisionRunner runner(golden_media(family));
    PictureInput picture = pattern_picture(96, 48, 0);
    for (const std::size_t n_bytes : {std::size_t{0}, picture.rgb.size() - 1}) {
      picture.rgb.resize(n_bytes);
      try {
        (void)runner.encoder().begin(picture);
        FAIL() << family;
      } catch (const Error& error) {
        EXPECT_EQ(error.what(),
                  fmt::format("a picture of 96x48 pixels: expected 13824 bytes of them, found {}",
                              n_bytes));
      }
    }
  }
}

TEST(VisionTower, OfOtherSoftTokensThanPicturesAreMadeForIsRefused) {
  try {
    const VisionRunner tower(golden_path("models/e2b"));
    FAIL();
  } catch (const LoadError& error) {
    EXPECT_NE(std::string(error.what()).find("6 x 6 pixels (3 x 3 patches of 2 x 2): expected 48"),
              std::string::npos)
        << error.what();
  }
}

TEST(VisionTower, TellsTheMemoryThatAnEncodingTakes) {
  VisionRunner runner(golden_media("26b-a4b"));
  const std::uint64_t small = runner.encoder().encoding_bytes(630);
  const std::uint64_t large = runner.encoder().encoding_bytes(10'080);
  EXPECT_GT(small, 630 * 144 * 4 * 2U);
  EXPECT_LT(large, 17 * small) << "memory grows with the patches alone";
}

}  // namespace
}  // namespace pleiad::gemma4
