// The 12B's embedder of sounds against the reference: soft tokens of a tiny checkpoint.

#include "model/gemma4/unified/sound_embedder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/isa.h"
#include "base/error.h"
#include "model/gemma4/audio/encoder.h"
#include "model/testing/golden_media.h"
#include "model/testing/golden_sounds.h"

namespace pleiad::gemma4 {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing_support::golden_media;
using testing_support::GoldenSound;
using testing_support::pattern_sound;
using testing_support::read_golden_matrix;
using testing_support::read_golden_sounds;

/// An embedder with a backend of its own.
class EmbedderRunner {
 public:
  explicit EmbedderRunner(const fs::path& path, const std::string& isa = "", int n_threads = 1,
                          int max_rows = 64)
      : checkpoint_(Checkpoint::open(path)),
        backend_({.isa = isa, .n_threads = n_threads, .max_rows = max_rows}),
        encoder_(make_audio_encoder(checkpoint_, backend_, {.max_rows = max_rows})) {}

  std::vector<float> encode(const SoundInput& sound, std::int64_t rows = 1 << 20) {
    const auto encoding = encoder_->begin(sound);
    while (!encoding->advance(rows)) {
    }
    return encoding->take();
  }
  const Checkpoint& checkpoint() const { return checkpoint_; }
  AudioEncoder& encoder() { return *encoder_; }

 private:
  Checkpoint checkpoint_;
  cpu::CpuBackend backend_;
  std::unique_ptr<AudioEncoder> encoder_;
};

struct EmbedderSource {
  std::string file;  // within the family's folder; "" is the folder itself
  std::string isa;
};

std::vector<EmbedderSource> embedder_sources() {
  std::vector<EmbedderSource> all;
  for (const cpu::Isa isa : cpu::usable_isas()) {
    for (const char* file : {"", "12b.gguf"}) all.push_back({file, std::string(cpu::name(isa))});
  }
  return all;
}

class SoundEmbedderGolden : public ::testing::TestWithParam<EmbedderSource> {};

TEST_P(SoundEmbedderGolden, EqualsTheReference) {
  EmbedderRunner runner(golden_media("12b") / GetParam().file, GetParam().isa);
  // On the matrix unit activations are rounded to bf16 before they meet bf16 weights.
  const double tolerance = GetParam().isa.starts_with("amx") ? 3e-2 : 1e-4;
  std::vector<std::int64_t> n_samples;
  for (const GoldenSound& golden : read_golden_sounds(golden_media("12b") / "media.json")) {
    SCOPED_TRACE(golden.name);
    n_samples.push_back(golden.n_samples);
    const auto expected = read_golden_matrix(golden.file);
    EXPECT_EQ(expected.rows, sound_tokens(*runner.checkpoint().audio(), golden.n_samples));
    const auto found = runner.encode(pattern_sound(golden.n_samples, golden.seed));
    ASSERT_EQ(found.size(), expected.values.size());
    double largest = 0;
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_TRUE(std::isfinite(found[i]));
      largest = std::max<double>(largest, std::abs(expected.values[i]));
      worst = std::max<double>(worst, std::abs(found[i] - expected.values[i]));
    }
    EXPECT_LE(worst, tolerance * largest);
  }
  EXPECT_THAT(n_samples, ::testing::ElementsAre(1, 640, 641, 4321, 49'999));
}

INSTANTIATE_TEST_SUITE_P(Sources, SoundEmbedderGolden, ::testing::ValuesIn(embedder_sources()),
                         [](const ::testing::TestParamInfo<EmbedderSource>& item) {
                           std::string name =
                               (item.param.file.empty() ? "folder_" : "gguf_") + item.param.isa;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(SoundEmbedder, GivesTheSameBitsHoweverTheWorkIsCut) {
  const SoundInput sound = pattern_sound(64'111, 3);  // 101 frames
  EmbedderRunner runner(golden_media("12b"));
  const std::vector<float> whole = runner.encode(sound);
  for (const std::int64_t rows : {1, 33, 50}) EXPECT_EQ(runner.encode(sound, rows), whole);
  for (const int max_rows : {7, 33, 128}) {
    EmbedderRunner other(golden_media("12b"), "", 1, max_rows);
    EXPECT_EQ(other.encode(sound), whole) << "at most " << max_rows << " rows";
  }
  EmbedderRunner two_threads(golden_media("12b"), "", 2);
  EXPECT_EQ(two_threads.encode(sound), whole);
}

TEST(SoundEmbedder, EncodingsDoNotDisturbEachOther) {
  EmbedderRunner runner(golden_media("12b"));
  const SoundInput first = pattern_sound(50'000, 1);
  const SoundInput second = pattern_sound(77'777, 2);
  const auto a = runner.encoder().begin(first);
  const auto b = runner.encoder().begin(second);
  double progress = 0.0;
  for (bool done = false; !done;) {
    const bool a_done = a->advance(10);
    const bool b_done = b->advance(20);
    EXPECT_GE(a->progress(), progress);
    progress = a->progress();
    done = a_done && b_done;
  }
  EXPECT_EQ(a->progress(), 1.0);
  EXPECT_EQ(a->take(), runner.encode(first));
  EXPECT_EQ(b->take(), runner.encode(second));
}

// Quiet is divided by the root of the norm's epsilon alone.
TEST(SoundEmbedder, SilenceGivesZeros) {
  EmbedderRunner runner(golden_media("12b"));
  const auto soft = runner.encode(make_sound_input(std::vector<float>(700)));
  EXPECT_EQ(std::ssize(soft), 2 * runner.encoder().info().model_dim);
  EXPECT_THAT(soft, ::testing::Each(0.0F));
}

TEST(SoundEmbedder, RefusesAClipThatIsEmptyOrTooLong) {
  EmbedderRunner runner(golden_media("12b"));
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
