#include "convert/encode_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/error.h"
#include "base/testing/sanitizers.h"
#include "convert/testing/relative_error.h"
#include "model/testing/same_model.h"
#include "tensor/decode.h"
#include "tensor/float16.h"

namespace pleiad::convert {
namespace {

using testing::HasSubstr;
using testing_support::relative_error;
using testing_support::values_of;

/// A BF16 tensor with values of its own.
struct Bf16Tensor {
  std::vector<std::uint16_t> bits;
  Shape shape;

  Bf16Tensor(Shape of, float deviation, unsigned seed = 1) : shape(std::move(of)) {
    std::mt19937 random(seed);
    std::normal_distribution<float> values(0, deviation);
    bits.resize(static_cast<std::size_t>(element_count(shape)));
    for (auto& value : bits) value = bf16_from_f32(values(random));
  }

  HostTensor view() const {
    return {"blk.0.ffn_up.weight", DType::bf16, shape, std::as_bytes(std::span(bits)), {}};
  }
};

struct Encoded {
  std::vector<std::byte> bytes;
  EncodedScales scales;
};

Encoded encode(const HostTensor& source, const EncodeTask& task, int n_threads = 2) {
  Encoded encoded;
  EncodeStream stream;
  stream.n_threads = n_threads;
  stream.sink = [&](std::span<const std::byte> bytes) {
    encoded.bytes.insert(encoded.bytes.end(), bytes.begin(), bytes.end());
  };
  encoded.scales = encode_tensor(source, task, stream);
  EXPECT_EQ(encoded.bytes.size(), encoded_bytes(source.shape, task.type));
  return encoded;
}

EncodeTask task_of(DType type) {
  EncodeTask task;
  task.type = type;
  task.rounding = quantize::Rounding::nearest;
  return task;
}

/// What a reader of the encoded bytes and scales has.
HostTensor decoded_view(const Encoded& encoded, DType type, const Shape& shape) {
  HostTensor tensor{"encoded", type, shape, encoded.bytes, {}};
  tensor.scales.block_scales = encoded.scales.block_scales;
  tensor.scales.row_scales = encoded.scales.row_scales;
  const auto& of_slices = encoded.scales.tensor_scales;
  if (of_slices.size() == 1) tensor.scales.tensor_scale = of_slices[0];
  if (of_slices.size() > 1) {
    const std::size_t rows = static_cast<std::size_t>(tensor.rows()) / of_slices.size();
    for (const float scale : of_slices) {
      tensor.scales.row_scales.insert(tensor.scales.row_scales.end(), rows, scale);
    }
  }
  return tensor;
}

TEST(EncodeTensor, GivesTheSameBytesAndErrorsWithAnyNumberOfThreads) {
  const Bf16Tensor tensor({6001, 512}, 0.02F);  // six megabytes: several pieces and a rest
  for (const DType type : {DType::q4_k, DType::nvfp4, DType::f32}) {
    const Encoded alone = encode(tensor.view(), task_of(type), 1);
    for (const int n_threads : {unless_sanitized(2, 5), 5}) {
      const Encoded together = encode(tensor.view(), task_of(type), n_threads);
      EXPECT_EQ(alone.bytes, together.bytes) << name(type);
      EXPECT_EQ(alone.scales.error.errors, together.scales.error.errors) << name(type);
    }
  }
}

TEST(EncodeTensor, StaysCloseToTheValuesInEveryType) {
  const Bf16Tensor tensor({300, 256}, 0.02F);
  const std::vector<float> expected = values_of(tensor.view());
  const std::pair<DType, double> bounds[] = {
      {DType::f32, 0},      {DType::f16, 1e-3},          {DType::bf16, 0},
      {DType::q8_0, 0.01},  {DType::q6_k, 0.03},         {DType::q5_k, 0.05},
      {DType::q4_k, 0.1},   {DType::q4_0, 0.12},         {DType::f8_e4m3, 0.04},
      {DType::nvfp4, 0.13}, {DType::nvfp4_packed, 0.13},
  };
  for (const auto& [type, bound] : bounds) {
    const Encoded encoded = encode(tensor.view(), task_of(type));
    const auto found = values_of(decoded_view(encoded, type, tensor.shape));
    const double error = relative_error(found, expected);
    EXPECT_LE(error, bound) << name(type);
    const ErrorSums& sums = encoded.scales.error;
    if (sums.n_values > 0) {  // a sample of the rows
      EXPECT_NEAR(ErrorSums::relative(sums.errors, sums.values), error, 0.1 * error) << name(type);
    }
  }
}

TEST(EncodeTensor, CopiesWhatHasTheTypeAlready) {
  const Bf16Tensor tensor({700, 1024}, 1.0F);
  std::uint64_t done = 0;
  std::vector<std::byte> bytes;
  EncodeStream stream;
  stream.sink = [&](std::span<const std::byte> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  };
  stream.progress = [&](std::uint64_t n) { done += n; };
  encode_tensor(tensor.view(), task_of(DType::bf16), stream);
  EXPECT_TRUE(std::ranges::equal(bytes, tensor.view().data));
  EXPECT_EQ(done, bytes.size());
}

TEST(EncodeTensor, GivesEveryExpertAScaleOfItsOwn) {
  Bf16Tensor tensor({2, 64, 128}, 0.01F);
  for (std::size_t i = tensor.bits.size() / 2; i < tensor.bits.size(); ++i) {
    tensor.bits[i] = bf16_from_f32(f32_from_bf16(tensor.bits[i]) * 1024);
  }
  const Encoded encoded = encode(tensor.view(), task_of(DType::nvfp4));
  ASSERT_EQ(encoded.scales.tensor_scales.size(), 2U);
  EXPECT_GT(encoded.scales.tensor_scales[1], 100 * encoded.scales.tensor_scales[0]);
  const auto found = values_of(decoded_view(encoded, DType::nvfp4, tensor.shape));
  EXPECT_LE(relative_error(found, values_of(tensor.view())), 0.13);
}

TEST(EncodeTensor, GivesRowsOfFp8ScalesWhereAskedFor) {
  Bf16Tensor tensor({64, 96}, 0.01F);
  tensor.bits[0] = bf16_from_f32(1000);  // spoils one row and no other
  EncodeTask task = task_of(DType::f8_e4m3);
  task.row_scales = true;
  const Encoded encoded = encode(tensor.view(), task);
  ASSERT_EQ(encoded.scales.row_scales.size(), 64U);
  EXPECT_TRUE(encoded.scales.tensor_scales.empty());
  const HostTensor decoded = decoded_view(encoded, DType::f8_e4m3, tensor.shape);
  std::vector<float> found = values_of(decoded);
  std::vector<float> expected = values_of(tensor.view());
  found.erase(found.begin(), found.begin() + 96);
  expected.erase(expected.begin(), expected.begin() + 96);
  EXPECT_LE(relative_error(found, expected), 0.04);
}

TEST(EncodeTensor, TurnsOneLayoutOfNvfp4IntoTheOtherBitForBit) {
  const Bf16Tensor tensor({70, 192}, 0.02F);
  const Encoded packed = encode(tensor.view(), task_of(DType::nvfp4_packed));
  const HostTensor first = decoded_view(packed, DType::nvfp4_packed, tensor.shape);
  const Encoded blocks = encode(first, task_of(DType::nvfp4));
  const HostTensor second = decoded_view(blocks, DType::nvfp4, tensor.shape);
  EXPECT_EQ(values_of(first), values_of(second));
  const Encoded back = encode(second, task_of(DType::nvfp4_packed));
  EXPECT_EQ(back.bytes, packed.bytes);
  EXPECT_EQ(back.scales.block_scales, packed.scales.block_scales);
  EXPECT_EQ(back.scales.tensor_scales, packed.scales.tensor_scales);
}

TEST(EncodeTensor, TurnsNegativeScalesOfGroupsRound) {
  const Bf16Tensor tensor({4, 64}, 0.02F);
  Encoded packed = encode(tensor.view(), task_of(DType::nvfp4_packed));
  for (std::byte& scale : packed.scales.block_scales) scale |= std::byte{0x80};
  const HostTensor negative = decoded_view(packed, DType::nvfp4_packed, tensor.shape);
  const Encoded blocks = encode(negative, task_of(DType::nvfp4));
  EXPECT_EQ(values_of(negative), values_of(decoded_view(blocks, DType::nvfp4, tensor.shape)));
}

std::string message_of(const HostTensor& source, DType type) {
  try {
    encode(source, task_of(type));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(EncodeTensor, NamesTheTensorAndThePlaceOfAValueThatCannotBeStored) {
  Bf16Tensor tensor({1500, 512}, 0.02F);
  tensor.bits[1234 * 512 + 56] = 0x7FC0;  // NaN
  for (const DType type : {DType::q4_0, DType::nvfp4, DType::f32, DType::bf16}) {
    const std::string message = message_of(tensor.view(), type);
    EXPECT_THAT(message, HasSubstr("blk.0.ffn_up.weight")) << name(type);
    EXPECT_THAT(message, HasSubstr("row 1234, column 56 is nan")) << name(type);
  }
  tensor.bits[1234 * 512 + 56] = bf16_from_f32(-1e6F);
  EXPECT_THAT(message_of(tensor.view(), DType::f16), HasSubstr("row 1234, column 56"));
  EXPECT_THAT(message_of(tensor.view(), DType::f16), HasSubstr("too large for f16"));
  EXPECT_EQ(message_of(tensor.view(), DType::q8_0), "no error");
}

TEST(EncodeTensor, RefusesScalesThatAreNoNumber) {
  const Bf16Tensor tensor({4, 64}, 0.02F);
  Encoded packed = encode(tensor.view(), task_of(DType::nvfp4_packed));
  packed.scales.block_scales[4 * 2 + 1] = std::byte{0x7F};
  const HostTensor damaged = decoded_view(packed, DType::nvfp4_packed, tensor.shape);
  EXPECT_THAT(message_of(damaged, DType::nvfp4), HasSubstr("row 2 has a scale"));
}

TEST(EncodeTensor, EveryExpertIsRoundedByItsOwnImportance) {
  constexpr std::int64_t kExperts = 3;
  constexpr std::int64_t kRows = 4;
  constexpr std::size_t kCols = 256;
  const Bf16Tensor experts({kExperts, kRows, kCols}, 0.02F);
  std::vector<float> importance(kExperts * kCols, 1.0F);  // of other columns in each
  for (std::size_t i = 0; i < importance.size(); i += 5) importance[i] = 1000;
  EncodeTask task;
  task.type = DType::q4_k;
  task.importance = importance;
  const Encoded together = encode(experts.view(), task);
  const std::size_t n_values = kRows * kCols;
  const std::size_t n_bytes = together.bytes.size() / kExperts;
  for (std::size_t expert = 0; expert < kExperts; ++expert) {
    Bf16Tensor alone({kRows, kCols}, 0.02F);
    alone.bits.assign(experts.bits.begin() + static_cast<std::ptrdiff_t>(expert * n_values),
                      experts.bits.begin() + static_cast<std::ptrdiff_t>((expert + 1) * n_values));
    task.importance = std::span(importance).subspan(expert * kCols, kCols);
    const Encoded own = encode(alone.view(), task);
    const auto of_expert = std::span(together.bytes).subspan(expert * n_bytes, n_bytes);
    EXPECT_TRUE(std::ranges::equal(own.bytes, of_expert)) << "expert " << expert;
    task.importance = std::span(importance).subspan((expert + 1) % kExperts * kCols, kCols);
    EXPECT_NE(encode(alone.view(), task).bytes, own.bytes) << "importance does not show";
  }
}

TEST(EncodeTensor, SearchIsNeverWorseThanNearest) {
  const Bf16Tensor tensor({512, 512}, 0.02F);
  std::vector<float> importance(512, 1.0F);
  for (std::size_t i = 0; i < importance.size(); i += 7) importance[i] = 50;
  EncodeTask task;
  task.type = DType::q4_k;
  task.compare_rounding = true;
  const ErrorSums even = encode(tensor.view(), task).scales.error;
  EXPECT_LE(even.errors, even.nearest);
  task.importance = importance;
  const ErrorSums weighted = encode(tensor.view(), task).scales.error;
  EXPECT_LE(weighted.weighted_errors, weighted.weighted_even);
  EXPECT_GT(weighted.weighted_values, weighted.values);
}

}  // namespace
}  // namespace pleiad::convert
