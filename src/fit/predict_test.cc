#include "fit/predict.h"

#include <gtest/gtest.h>

#include "fit/shares.h"

namespace pleiad::fit {
namespace {

using convert::FileType;

Machine machine_of(double gb_s, std::optional<double> tflop_s = 6.0) {
  Machine machine;
  machine.memory_bytes = std::uint64_t{64} << 30;
  machine.read_bytes_per_second = gb_s * 1e9;
  if (tflop_s) machine.operations_per_second = *tflop_s * 1e12;
  machine.kernels = KernelSet::amx;
  return machine;
}

ModelWork e2b(FileType type = FileType::q4_0) { return {*gemma4::find_member("e2b"), type}; }

TEST(PredictDecode, IsTheBytesOverTheirShareOfTheBandwidth) {
  const ModelWork work = e2b(FileType::bf16);
  const double layers = 35 * costs_of(KernelSet::amx).layer_seconds;
  double seconds = layers;
  for (const ModelWork::Part& part : work.parts()) {
    seconds +=
        part.counter.weight_bytes_per_token() / (30e9 * decode_share(part.type, KernelSet::amx));
  }
  seconds += work.kv_bytes_per_token(4096, KvType::q8_0) / (30e9 * kKvShare);
  const Rate rate = predict_decode(work, machine_of(30), 4096, KvType::q8_0);
  EXPECT_NEAR(rate.value, 1 / seconds, 1e-9);
  EXPECT_LT(rate.low, rate.value);
  EXPECT_GT(rate.high, rate.value);
}

TEST(PredictDecode, NeverBeatsTheBandwidth) {
  for (const gemma4::FamilyMember& member : gemma4::family()) {
    for (const FileType type : {FileType::bf16, FileType::q8_0, FileType::q4_k_m, FileType::fp8}) {
      const ModelWork work(member, type);
      const Rate rate = predict_decode(work, machine_of(100), 0, KvType::bf16);
      EXPECT_LT(rate.value * work.bytes_per_token(), 100e9);
    }
  }
}

TEST(PredictDecode, GrowsWithBandwidthAndFallsWithDepthAndBits) {
  const auto decode = [](FileType type, double gb_s, std::int64_t depth) {
    return predict_decode(e2b(type), machine_of(gb_s), depth, KvType::bf16).value;
  };
  EXPECT_LT(decode(FileType::q4_0, 30, 0), decode(FileType::q4_0, 31, 0));
  EXPECT_GT(decode(FileType::q4_0, 30, 0), decode(FileType::q4_0, 30, 600));
  EXPECT_GT(decode(FileType::q4_0, 30, 600), decode(FileType::q4_0, 30, 601));
  EXPECT_GT(decode(FileType::q4_0, 30, 0), decode(FileType::q8_0, 30, 0));
  EXPECT_GT(decode(FileType::q8_0, 30, 0), decode(FileType::bf16, 30, 0));
}

TEST(PredictPrefill, IsUnknownWithoutTheMatrixRate) {
  EXPECT_FALSE(predict_prefill(e2b(), machine_of(30, std::nullopt), 512));
  const auto slow = predict_prefill(e2b(), machine_of(30, 6), 512);
  const auto fast = predict_prefill(e2b(), machine_of(30, 12), 512);
  ASSERT_TRUE(slow && fast);
  EXPECT_GT(fast->value, slow->value);
  // All its operations at the matrix rate would take less.
  EXPECT_LT(slow->value, 6e12 / 1.0e9);
}

TEST(PredictPrefill, ALongerPromptIsFasterATokenUntilAttentionGrows) {
  const auto rate = [](std::int64_t n) { return predict_prefill(e2b(), machine_of(30), n)->value; };
  EXPECT_LT(rate(16), rate(512));
  EXPECT_GT(rate(4096), rate(65536));
}

TEST(PredictMemory, GrowsWithTheConversationAndLeavesTheTableOut) {
  const ModelWork work = e2b(FileType::q8_0);
  EXPECT_LT(predict_memory(work, 4096, KvType::bf16), predict_memory(work, 8192, KvType::bf16));
  EXPECT_LT(predict_memory(work, 8192, KvType::q4_0), predict_memory(work, 8192, KvType::q8_0));
  EXPECT_LT(predict_memory(work, 8192, KvType::bf16), work.file_bytes());
}

TEST(Shares, AreKnownOfEveryTypeAndPossible) {
  for (int index = 0; index < kDTypeCount; ++index) {
    const auto type = static_cast<DType>(index);
    for (const KernelSet kernels : {KernelSet::amx, KernelSet::avx512, KernelSet::avx2,
                                    KernelSet::neon, KernelSet::scalar, KernelSet::unknown}) {
      EXPECT_GT(decode_share(type, kernels), 0.2);
      EXPECT_LE(decode_share(type, kernels), 1.0);
      EXPECT_GT(prompt_share(type, kernels), 0);
    }
    EXPECT_LT(prompt_share(type, KernelSet::amx), 1);
  }
  EXPECT_GT(prediction_errors(KernelSet::unknown, false).decode,
            prediction_errors(KernelSet::amx, false).decode);
  EXPECT_LT(prediction_errors(KernelSet::unknown, true).prefill, 1);
}

TEST(Published, RowsAreWholeAndTheirSourcesNamed) {
  for (const PublishedRate& rate : published_rates()) {
    EXPECT_NE(gemma4::find_member(rate.member), nullptr) << rate.hardware;
    EXPECT_TRUE(rate.prefill || rate.decode) << rate.hardware;
    EXPECT_FALSE(rate.source.empty()) << rate.hardware;
    EXPECT_EQ(predict_published(rate).has_value(), rate.bandwidth_gb_s && rate.decode);
  }
}

TEST(Published, NobodyIsFasterThanTheMakersBandwidth) {
  for (const PublishedRate& rate : published_rates()) {
    if (!rate.bandwidth_gb_s || !rate.decode) continue;
    const ModelWork work(*gemma4::find_member(rate.member), rate.type);
    EXPECT_LT(*rate.decode * work.bytes_per_token(), *rate.bandwidth_gb_s * 1e9) << rate.hardware;
  }
}

}  // namespace
}  // namespace pleiad::fit
