#include "fit/audio_work.h"

#include <gtest/gtest.h>

namespace pleiad::fit {
namespace {

AudioWork audio_work_of(const char* member) { return *AudioWork::of(*gemma4::find_member(member)); }

TEST(AudioWork, HasTheParametersOfTheReleasedTowers) {
  EXPECT_EQ(audio_work_of("e2b").n_parameters(), 307'184'384);
  EXPECT_EQ(audio_work_of("e4b").n_parameters(), 308'757'248);
  EXPECT_EQ(audio_work_of("12b").n_parameters(), 3840 * 640);
  EXPECT_FALSE(AudioWork::of(*gemma4::find_member("26b-a4b")));
  EXPECT_FALSE(AudioWork::of(*gemma4::find_member("31b")));
}

TEST(AudioWork, ThirtySecondsOfE2bAreAbout430Gigaflop) {
  const AudioWork work = audio_work_of("e2b");
  EXPECT_EQ(work.most_tokens(), 750);
  // 12 layers: two feed-forwards, queries, keys, values, output, the convolution's two matrices.
  const double layers = 12.0 * (4 * 4096 * 1024 + 4 * 1024 * 1024 + 3 * 1024 * 1024);
  const double ends = 1024 * 1024 + 1536 * 1024 + 1536 * 1536;
  const double convolutions = 9.0 * 128 * 128 + 9.0 * 128 * 32 * 32;
  EXPECT_NEAR(work.matrix_operations(750), 2 * 750 * (layers + ends + convolutions), 1.0);
  EXPECT_NEAR(work.matrix_operations(750) / 1e9, 442, 15);
  EXPECT_EQ(work.attention_operations(750), 6.0 * 1024 * 12 * 12 * 750);
}

TEST(AudioWork, MatricesOfDistancesAreNotKept) {
  const AudioWork work = audio_work_of("e2b");
  EXPECT_EQ(work.file_bytes() - work.resident_bytes(), 12U * (2 * 1024 * 1024 - 4 * 12 * 1024));
}

TEST(AudioWork, OfThe12bIsAMatrix) {
  const AudioWork work = audio_work_of("12b");
  EXPECT_EQ(work.file_bytes(), 2U * 3840 * 640);
  EXPECT_EQ(work.matrix_operations(750), 2.0 * 3840 * 640 * 750);
  EXPECT_EQ(work.attention_operations(750), 0.0);
}

TEST(PredictSound, FollowsTheMatrixRateAndIsUnknownWithoutIt) {
  const AudioWork work = audio_work_of("e2b");
  Machine machine;
  machine.kernels = KernelSet::avx512;
  EXPECT_FALSE(predict_sound_seconds(work, machine, 750));
  machine.operations_per_second = 1e12;
  const auto slow = predict_sound_seconds(work, machine, 750);
  machine.operations_per_second = 2e12;
  const auto fast = predict_sound_seconds(work, machine, 750);
  ASSERT_TRUE(slow && fast);
  EXPECT_NEAR(slow->value / fast->value, 2.0, 1e-9);
  EXPECT_LT(slow->low, slow->value);
}

}  // namespace
}  // namespace pleiad::fit
