// The vision tower against the reference: soft tokens of tiny checkpoints.

#include "model/gemma4/vision/encoder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/isa.h"
#include "base/error.h"
#include "base/testing/paths.h"
#include "model/testing/changed_projector.h"
#include "model/testing/golden_media.h"

namespace pleiad::gemma4 {
namespace {

namespace fs = std::filesystem;
using testing_support::golden_media;
using testing_support::GoldenEmbedding;
using testing_support::GoldenMatrix;
using testing_support::pattern_picture;
using testing_support::read_golden_matrix;
using testing_support::read_golden_media;

/// A tower with a backend of its own.
class TowerRunner {
 public:
  explicit TowerRunner(const fs::path& path, const std::string& isa = "", int n_threads = 1,
                       int max_rows = 512)
      : checkpoint_(Checkpoint::open(path)),
        backend_({.isa = isa, .n_threads = n_threads, .max_rows = max_rows}),
        tower_(make_vision_encoder(checkpoint_, backend_, {.max_rows = max_rows})) {}

  std::vector<float> encode(const PictureInput& picture, std::int64_t rows = 1 << 20) {
    const auto encoding = tower_->begin(picture);
    while (!encoding->advance(rows)) {
    }
    return encoding->take();
  }
  VisionEncoder& tower() { return *tower_; }

 private:
  Checkpoint checkpoint_;
  cpu::CpuBackend backend_;
  std::unique_ptr<VisionEncoder> tower_;
};

/// The largest difference beside the largest value.
double relative_difference(const std::vector<float>& found, const std::vector<float>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    if (!std::isfinite(found[i])) return INFINITY;
    largest = std::max<double>(largest, std::abs(expected[i]));
    worst = std::max<double>(worst, std::abs(found[i] - expected[i]));
  }
  return worst / largest;
}

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
  for (const cpu::Isa isa : cpu::usable_isas()) {
    for (const std::string family : {"e2b", "12b", "26b-a4b"}) {
      for (const bool is_gguf : {false, true}) {
        all.push_back({family, is_gguf, std::string(cpu::name(isa))});
      }
    }
  }
  return all;
}

std::string tower_source_name(const ::testing::TestParamInfo<TowerSource>& item) {
  std::string name = item.param.family + (item.param.is_gguf ? "_gguf_" : "_folder_");
  name += item.param.isa;
  std::ranges::replace(name, '-', '_');
  return name;
}

/// On the matrix unit activations are rounded to bf16 before they meet bf16 weights.
double tolerance_of(const std::string& isa) { return isa.starts_with("amx") ? 3e-2 : 1e-4; }

class VisionTowerGolden : public ::testing::TestWithParam<TowerSource> {
 protected:
  void expect_reference(std::int64_t most_patches) {
    TowerRunner runner(GetParam().path(), GetParam().isa);
    int n_cases = 0;
    for (const GoldenEmbedding& golden : read_golden_media(GetParam().family).embeddings) {
      if (golden.width / 16 * (golden.height / 16) > most_patches) continue;
      SCOPED_TRACE(golden.name);
      const GoldenMatrix expected = read_golden_matrix(golden.file);
      const std::vector<float> found = runner.encode(picture_of(golden));
      EXPECT_LE(relative_difference(found, expected.values), tolerance_of(GetParam().isa));
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
    TowerRunner runner(golden_media(family));
    for (const GoldenEmbedding& golden : read_golden_media(family).embeddings) {
      SCOPED_TRACE(family + " " + golden.name);
      const GoldenMatrix expected = read_golden_matrix(golden.file);
      EXPECT_EQ(expected.rows, runner.tower().info().soft_tokens(golden.width, golden.height));
      const std::vector<float> found = runner.encode(picture_of(golden));
      EXPECT_LE(relative_difference(found, expected.values),
                tolerance_of(std::string(cpu::name(cpu::usable_isas().back()))));
    }
  }
}

TEST(VisionTower, GivesTheSameBitsHoweverTheWorkIsCut) {
  for (const std::string family : {"e2b", "12b", "26b-a4b"}) {
    SCOPED_TRACE(family);
    const PictureInput picture = pattern_picture(288, 240, 3);
    TowerRunner runner(golden_media(family));
    const std::vector<float> whole = runner.encode(picture);
    for (const std::int64_t rows : {1, 50, 200}) EXPECT_EQ(runner.encode(picture, rows), whole);
    for (const int max_rows : {33, 96}) {
      TowerRunner other(golden_media(family), "", 1, max_rows);
      EXPECT_EQ(other.encode(picture), whole) << "at most " << max_rows << " rows";
    }
    TowerRunner two_threads(golden_media(family), "", 2);
    EXPECT_EQ(two_threads.encode(picture, 100), whole);
  }
}

// Whoever encodes in parts between other things waits for one layer at a time.
TEST(VisionTower, GivesTheSameBitsWhereItIsLoadedOnTheWay) {
  for (const std::string family : {"e2b", "12b", "26b-a4b"}) {
    SCOPED_TRACE(family);
    const PictureInput picture = pattern_picture(144, 96, 3);
    TowerRunner whole(golden_media(family));
    const Checkpoint checkpoint = Checkpoint::open(golden_media(family));
    cpu::CpuBackend backend({.isa = "", .n_threads = 1, .max_rows = 512});
    std::uint64_t loaded = 0;
    std::uint64_t in_all = 0;
    const auto tower =
        make_vision_encoder(checkpoint, backend, {.max_rows = 512, .load_on_the_way = true},
                            [&](std::uint64_t now, std::uint64_t total) {
                              loaded = now;
                              in_all = total;
                            });
    EXPECT_EQ(loaded, 0U);
    EXPECT_EQ(tower->info().weight_bytes, whole.tower().info().weight_bytes);
    const auto first = tower->begin(picture);
    const auto second = tower->begin(picture);  // both load it
    std::vector<std::uint64_t> after;
    for (bool done = false; !done;) {
      const bool first_done = first->advance(50);
      after.push_back(loaded);
      done = second->advance(50) && first_done;
    }
    EXPECT_LT(after[0], in_all);
    EXPECT_LT(after[0], after[1]);
    // All but the table of positions, of which a picture reads its rows.
    EXPECT_GT(loaded, in_all / 2);
    EXPECT_EQ(first->take(), whole.encode(picture));
    EXPECT_EQ(second->take(), whole.encode(picture));
  }
}

TEST(VisionTower, EncodingsDoNotDisturbEachOther) {
  TowerRunner runner(golden_media("e2b"));
  const PictureInput first = pattern_picture(240, 96, 1);
  const PictureInput second = pattern_picture(144, 192, 2);
  const auto a = runner.tower().begin(first);
  const auto b = runner.tower().begin(second);
  double progress = 0.0;
  for (bool done = false; !done;) {
    const bool a_done = a->advance(40);
    const bool b_done = b->advance(60);
    EXPECT_GE(a->progress(), progress);
    EXPECT_LE(a->progress(), 1.0);
    progress = a->progress();
    done = a_done && b_done;
  }
  EXPECT_EQ(a->progress(), 1.0);
  EXPECT_EQ(a->take(), runner.encode(first));
  EXPECT_EQ(b->take(), runner.encode(second));
}

TEST(VisionTower, RefusesAPictureThatItsPositionsDoNotReach) {
  TowerRunner runner(golden_media("e2b"));
  EXPECT_EQ(runner.tower().info().max_patches_on_a_side, 128);
  EXPECT_NO_THROW((void)runner.tower().begin(pattern_picture(2016, 48, 0)));
  try {
    (void)runner.tower().begin(pattern_picture(48, 2064, 0));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "a picture of 48x2064 pixels is too long: at most 128 patches of 16 pixels on a "
                 "side");
  }
}

TEST(VisionTower, OfOtherSoftTokensThanPicturesAreMadeForIsRefused) {
  try {
    const TowerRunner tower(golden_path("models/e2b"));
    FAIL();
  } catch (const LoadError& error) {
    EXPECT_NE(std::string(error.what()).find("6 x 6 pixels (3 x 3 patches of 2 x 2): expected 48"),
              std::string::npos)
        << error.what();
  }
}

TEST(VisionTower, TellsTheMemoryThatAnEncodingTakes) {
  TowerRunner runner(golden_media("26b-a4b"));
  const std::uint64_t small = runner.tower().encoding_bytes(630);
  const std::uint64_t large = runner.tower().encoding_bytes(10'080);
  EXPECT_GT(small, 630 * 144 * 4 * 2U);
  EXPECT_LT(large, 17 * small) << "memory grows with the patches alone";
}

}  // namespace
}  // namespace pleiad::gemma4
