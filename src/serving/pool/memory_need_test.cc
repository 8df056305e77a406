#include "serving/pool/memory_need.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "backend/cpu/cpu_backend.h"
#include "base/testing/paths.h"
#include "model/testing/golden_media.h"
#include "serving/pool/engine_runtime.h"
#include "serving/testing/test_models.h"

namespace pleiad::serving {
namespace {

std::uint64_t media_bytes(const std::string& family, int max_running) {
  EngineOptions options;
  options.max_running = max_running;
  const Checkpoint checkpoint =
      Checkpoint::open(testing_support::golden_media(family) / (family + ".gguf"));
  return memory_need(checkpoint, options).media_bytes;
}

TEST(MemoryNeed, CountsTheStepThatHoldsAPictureWhereItMayNotBeCut) {
  const Checkpoint blocks =
      Checkpoint::open(testing_support::golden_media("26b-a4b") / "26b-a4b.gguf");
  const gemma4::Config& config = blocks.config();
  // Each further sequence is a row of the step: at least what goes in, what comes out, and between.
  const std::uint64_t row = 3U * sizeof(float) * static_cast<std::uint64_t>(config.model_dim);
  const std::uint64_t one = media_bytes("26b-a4b", 1);
  EXPECT_GE(media_bytes("26b-a4b", 2), one + row);
  EXPECT_GE(one, EngineOptions().encodings_bytes + 1121 * row);
  EXPECT_EQ(media_bytes("e2b", 1), media_bytes("e2b", 2)) << "causal: a step is as long as ever";
}

TEST(MemoryNeed, CountsTheTowersAsTheyAreLoaded) {
  const auto need = [](const std::string& path) {
    return memory_need(Checkpoint::open(golden_path(path)), {});
  };
  for (const char* family : {"media/e2b", "audio/e2b"}) {
    const Checkpoint checkpoint = Checkpoint::open(golden_path(family));
    std::uint64_t bytes = checkpoint.audio_tensor_bytes();
    checkpoint.for_each_vision([&](std::string_view name, const HostTensor& tensor) {
      if (name != "vision.position_embedding") bytes += tensor.data.size();
    });
    EXPECT_GT(bytes, 0U) << family;
    EXPECT_EQ(need(family).tower_bytes, bytes) << family;
    EXPECT_GT(need(family).media_bytes, EngineOptions().encodings_bytes) << family;
  }
  EXPECT_EQ(need("models/e4b/e4b.gguf").tower_bytes, 0U);
  EXPECT_EQ(need("models/e4b/e4b.gguf").media_bytes, 0U);
}

// What a store has under names of its own does not lie beside the model.
TEST(EngineLoader, LoadsTheProjectorThatTheEntryNames) {
  const TestFolder folder;
  const auto media = testing_support::golden_media("26b-a4b");
  store::ModelEntry entry;
  entry.path = folder.path() / "sha256-model";
  std::filesystem::copy_file(media / "26b-a4b.gguf", entry.path);
  std::filesystem::copy_file(media / "mmproj-26b-a4b.gguf", folder.path() / "sha256-tower");
  EngineOptions options;
  options.max_running = 2;
  std::int64_t step = 0;
  EngineLoader loader(options, [&](std::int64_t max_rows) -> std::unique_ptr<Backend> {
    step = max_rows;
    return std::make_unique<cpu::CpuBackend>(
        cpu::CpuOptions{.isa = "", .n_threads = 1, .max_rows = max_rows});
  });
  constexpr std::uint64_t kKvBytes = std::uint64_t{16} << 20;
  EXPECT_FALSE(loader.load(entry, kKvBytes, {})->prompt_model().towers.vision.sees());
  EXPECT_EQ(loader.need(entry).tower_bytes, 0U);
  entry.projector = folder.path() / "sha256-tower";
  EXPECT_TRUE(loader.load(entry, kKvBytes, {})->prompt_model().towers.vision.sees());
  EXPECT_GE(step, 1120 + 2) << "a picture lies in one step";
  EXPECT_GT(loader.need(entry).tower_bytes, 0U);
}

}  // namespace
}  // namespace pleiad::serving
