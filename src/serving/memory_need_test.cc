#include "serving/memory_need.h"

#include <gtest/gtest.h>

#include "model/testing/golden_media.h"

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
  EXPECT_GE(one, blocks.vision_tensor_bytes() + EngineOptions().encodings_bytes + 1121 * row);
  EXPECT_EQ(media_bytes("e2b", 1), media_bytes("e2b", 2)) << "causal: a step is as long as ever";
}

}  // namespace
}  // namespace pleiad::serving
