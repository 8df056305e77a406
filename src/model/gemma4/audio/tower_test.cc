// The audio tower against the reference: soft tokens of a tiny checkpoint.

#include "model/gemma4/audio/tower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/isa.h"
#include "base/error.h"
#include "model/testing/golden_media.h"
#include "model/testing/golden_sounds.h"

namespace pleiad::gemma4 {
namespace {

namespace fs = std::filesystem;
using testing_support::golden_audio;
using testing_support::GoldenSound;
using testing_support::pattern_sound;
using testing_support::read_golden_matrix;
using testing_support::read_golden_sounds;

/// A tower with a backend of its own.
class SoundRunner {
 public:
  explicit SoundRunner(const fs::path& path, const std::string& isa = "", int n_threads = 1,
                       int max_rows = 512, const fs::path& projector = {})
      : checkpoint_(Checkpoint::open(path, {.projector = projector})),
        backend_({.isa = isa, .n_threads = n_threads, .max_rows = max_rows}),
        tower_(checkpoint_, backend_, {.max_rows = max_rows}) {}

  std::vector<float> encode(const SoundInput& sound, std::int64_t rows = 1 << 20) {
    const auto encoding = tower_.begin(sound);
    while (!encoding->advance(rows)) {
    }
    return encoding->take();
  }
  AudioTower& tower() { return tower_; }

 private:
  Checkpoint checkpoint_;
  cpu::CpuBackend backend_;
  AudioTower tower_;
};

/// The largest difference beside the largest value.
double difference_of(const std::vector<float>& found, const std::vector<float>& expected) {
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

/// On the matrix unit activations are rounded to bf16 before they meet bf16 weights.
double sound_tolerance(const std::string& isa) { return isa.starts_with("amx") ? 3e-2 : 1e-4; }

void expect_reference(SoundRunner& runner, const std::string& isa, std::int64_t most_samples) {
  int n_cases = 0;
  for (const GoldenSound& golden : read_golden_sounds()) {
    if (golden.n_samples > most_samples) continue;
    SCOPED_TRACE(golden.name);
    const auto expected = read_golden_matrix(golden.file);
    EXPECT_EQ(expected.rows, sound_tokens({}, golden.n_samples));
    const auto found = runner.encode(pattern_sound(golden.n_samples, golden.seed));
    EXPECT_LE(difference_of(found, expected.values), sound_tolerance(isa));
    ++n_cases;
  }
  EXPECT_GE(n_cases, 6);
}

class AudioTowerGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(AudioTowerGolden, OfAFolderEqualsTheReference) {
  SoundRunner runner(golden_audio(), GetParam());
  expect_reference(runner, GetParam(), 50'000);
}

TEST_P(AudioTowerGolden, OfAProjectorFileWithBothTowersEqualsTheReference) {
  SoundRunner runner(golden_audio() / "e2b.gguf", GetParam());
  expect_reference(runner, GetParam(), 50'000);
}

std::vector<std::string> isas() {
  std::vector<std::string> names;
  for (const cpu::Isa isa : cpu::usable_isas()) names.emplace_back(cpu::name(isa));
  return names;
}

INSTANTIATE_TEST_SUITE_P(Isas, AudioTowerGolden, ::testing::ValuesIn(isas()),
                         [](const ::testing::TestParamInfo<std::string>& item) {
                           std::string name = item.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// 750 soft tokens, of the machine's best instruction set alone.
TEST(AudioTower, OfThirtySecondsEqualsTheReference) {
  SoundRunner runner(golden_audio());
  expect_reference(runner, isas().back(), 480'000);
}

TEST(AudioTower, OfAProjectorFileOfItsOwnEqualsTheReference) {
  SoundRunner runner(golden_audio() / "e2b.gguf", "", 1, 512, golden_audio() / "audio-alone.gguf");
  expect_reference(runner, isas().back(), 50'000);
}

TEST(AudioTower, GivesTheSameBitsHoweverTheWorkIsCut) {
  const SoundInput sound = pattern_sound(40'000, 3);
  SoundRunner runner(golden_audio());
  const std::vector<float> whole = runner.encode(sound);
  for (const std::int64_t rows : {1, 20, 50}) EXPECT_EQ(runner.encode(sound, rows), whole);
  for (const int max_rows : {7, 33, 96}) {
    SoundRunner other(golden_audio(), "", 1, max_rows);
    EXPECT_EQ(other.encode(sound), whole) << "at most " << max_rows << " rows";
  }
  SoundRunner two_threads(golden_audio(), "", 2);
  EXPECT_EQ(two_threads.encode(sound, 30), whole);
}

TEST(AudioTower, EncodingsDoNotDisturbEachOther) {
  SoundRunner runner(golden_audio());
  const SoundInput first = pattern_sound(20'000, 1);
  const SoundInput second = pattern_sound(33'333, 2);
  const auto a = runner.tower().begin(first);
  const auto b = runner.tower().begin(second);
  double progress = 0.0;
  for (bool done = false; !done;) {
    const bool a_done = a->advance(10);
    const bool b_done = b->advance(20);
    EXPECT_GE(a->progress(), progress);
    EXPECT_LE(a->progress(), 1.0);
    progress = a->progress();
    done = a_done && b_done;
  }
  EXPECT_EQ(a->progress(), 1.0);
  EXPECT_EQ(a->take(), runner.encode(first));
  EXPECT_EQ(b->take(), runner.encode(second));
}

TEST(AudioTower, RefusesAClipThatIsTooShortOrTooLong) {
  SoundRunner runner(golden_audio());
  EXPECT_EQ(runner.tower().info().min_samples, 161);
  EXPECT_EQ(runner.tower().info().max_samples, 480'000);
  for (const std::size_t n : {std::size_t{0}, std::size_t{160}, std::size_t{480'001}}) {
    try {
      (void)runner.tower().begin(make_sound_input(std::vector<float>(n)));
      FAIL() << n;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("expected 161 to 480000"), std::string::npos)
          << error.what();
    }
  }
}

TEST(AudioTower, TellsTheMemoryThatAnEncodingTakes) {
  SoundRunner runner(golden_audio());
  EXPECT_GT(runner.tower().encoding_bytes(480'000), 480'000U * 4 + 2999U * 128 * 4);
  EXPECT_LT(runner.tower().encoding_bytes(480'000), 4'800'000U);
}

}  // namespace
}  // namespace pleiad::gemma4
