#include "fit/vision_work.h"

#include <gtest/gtest.h>

namespace pleiad::fit {
namespace {

VisionWork tower_work_of(const char* member) { return VisionWork(*gemma4::find_member(member)); }

TEST(VisionWork, HasTheParametersOfTheReleasedTowers) {
  // Layers, tables and projector (docs of the released checkpoints: shapes of config.json).
  EXPECT_EQ(tower_work_of("e2b").n_parameters(), 168'544'704);
  EXPECT_EQ(tower_work_of("e4b").n_parameters(), 169'331'136);
  // 6,912 x 3,840 + 3,840 x 3,840 + 2 x 1,120 x 3,840, and vectors.
  EXPECT_EQ(tower_work_of("12b").n_parameters(), 49'922'304);
  EXPECT_EQ(tower_work_of("26b-a4b").n_parameters(), 572'794'416);
  EXPECT_EQ(tower_work_of("31b").n_parameters(), 575'743'536);
}

TEST(VisionWork, ADefaultPictureOfE2bIsAboutOneTeraflop) {
  const VisionWork work = tower_work_of("e2b");
  const std::int64_t patches = work.n_patches(work.default_budget());
  EXPECT_EQ(patches, 2520);
  // 16 layers of 4 x 768^2 + 3 x 768 x 3072 weights, and the patch embedding.
  EXPECT_NEAR(work.matrix_operations(patches), 2.0 * 2520 * (16 * 9'437'184.0 + 589'824), 1e9);
  EXPECT_EQ(work.attention_operations(patches), 4.0 * 2520 * 2520 * 768 * 16);
}

TEST(VisionWork, FourTimesTheBudgetIsFourTimesTheMatricesAndSixteenTimesTheAttention) {
  const VisionWork work = tower_work_of("31b");
  EXPECT_DOUBLE_EQ(work.matrix_operations(work.n_patches(1120)),
                   4 * work.matrix_operations(work.n_patches(280)));
  EXPECT_DOUBLE_EQ(work.attention_operations(work.n_patches(1120)),
                   16 * work.attention_operations(work.n_patches(280)));
}

TEST(VisionWork, TheTableOfPositionsStaysInTheFile) {
  const VisionWork work = tower_work_of("e2b");
  EXPECT_EQ(work.file_bytes() - work.resident_bytes(), 2U * 10'240 * 768 * 4);
}

TEST(PredictPicture, FollowsTheMatrixRateAndIsUnknownWithoutIt) {
  const VisionWork work = tower_work_of("e2b");
  Machine machine;
  machine.kernels = KernelSet::avx512;
  EXPECT_FALSE(predict_picture_seconds(work, machine, 2520));
  machine.operations_per_second = 1e12;
  const auto slow = predict_picture_seconds(work, machine, 2520);
  machine.operations_per_second = 2e12;
  const auto fast = predict_picture_seconds(work, machine, 2520);
  ASSERT_TRUE(slow && fast);
  EXPECT_NEAR(slow->value / fast->value, 2.0, 1e-9);
  EXPECT_LT(slow->low, slow->value);
  EXPECT_GT(slow->high, slow->value);
}

}  // namespace
}  // namespace pleiad::fit
