#include "verify/scan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "tensor/blocks.h"

namespace pleiad::verify {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <typename T>
HostTensor tensor_of(DType type, Shape shape, const std::vector<T>& data) {
  return {"t", type, std::move(shape), std::as_bytes(std::span(data)), {}};
}

template <typename T>
Scan scan(DType type, Shape shape, const std::vector<T>& data) {
  const HostTensor tensor = tensor_of(type, std::move(shape), data);
  return scan_rows(tensor, 0, tensor.rows());
}

TEST(Scan, FindsWhatIsNotFiniteWhereItIs) {
  const Scan found = scan<float>(DType::f32, {2, 3}, {1, 2, -kInfinity, -5, kNan, kNan});
  EXPECT_EQ(found.infinite.n, 1U);
  EXPECT_EQ(found.infinite.first, (Place{0, 2}));
  EXPECT_EQ(found.nan.n, 2U);
  EXPECT_EQ(found.nan.first, (Place{1, 1}));
  EXPECT_EQ(found.largest, 5);
  EXPECT_FALSE(found.constant);
}

TEST(Scan, ReadsHalfFloatsByTheirBits) {
  const std::vector<std::uint16_t> f16 = {0x7C00, 0xFE00, 0x3C00};  // infinity, NaN, 1
  EXPECT_EQ(scan(DType::f16, {3}, f16).infinite.n, 1U);
  EXPECT_EQ(scan(DType::f16, {3}, f16).nan.first, (Place{0, 1}));
  EXPECT_EQ(scan(DType::f16, {3}, f16).largest, 1);
  const std::vector<std::uint16_t> bf16 = {0xFF80, 0x7F81, 0xC000};  // -infinity, NaN, -2
  EXPECT_EQ(scan(DType::bf16, {3}, bf16).infinite.n, 1U);
  EXPECT_EQ(scan(DType::bf16, {3}, bf16).nan.n, 1U);
  EXPECT_EQ(scan(DType::bf16, {3}, bf16).largest, 2);
  const std::vector<std::uint8_t> f8 = {0x7F, 0xFF, 0x7E};  // NaN twice, 448
  EXPECT_EQ(scan(DType::f8_e4m3, {3}, f8).nan.n, 2U);
  EXPECT_EQ(scan(DType::f8_e4m3, {3}, f8).infinite.n, 0U);
  EXPECT_EQ(scan(DType::f8_e4m3, {3}, f8).largest, 448);
}

TEST(Scan, CountsRowsOfZerosAndTellsConstantTensors) {
  const Scan found = scan<float>(DType::f32, {3, 2}, {1, 0, 0, -0.0F, 0, 0});
  EXPECT_EQ(found.zero_rows.n, 2U);
  EXPECT_EQ(found.zero_rows.first, (Place{1, -1}));
  EXPECT_TRUE(scan<float>(DType::f32, {2, 2}, {3, 3, 3, 3}).constant);
  EXPECT_FALSE(scan<float>(DType::f32, {2, 2}, {3, 3, 3, 4}).constant);
}

TEST(Scan, PartsOfATensorGiveWhatTheWholeGives) {
  const std::vector<float> values = {7, 7, kNan, 7, 0, 0};
  const HostTensor tensor = tensor_of(DType::f32, {3, 2}, values);
  Scan sum;
  for (int row = 0; row < 3; ++row) sum.add(scan_rows(tensor, row, 1));
  EXPECT_EQ(sum.nan.first, (Place{1, 0}));
  EXPECT_EQ(sum.zero_rows.first, (Place{2, -1}));
  EXPECT_EQ(sum.n_values, 6U);
  EXPECT_FALSE(sum.constant);
  EXPECT_EQ(sum.largest, 7);
}

TEST(Scan, LooksAtTheScalesOfBlocks) {
  std::vector<blocks::Q4_0> row(3);
  for (auto& block : row) {
    block.scale = 0x3C00;
    std::memset(block.quants, 0x19, sizeof block.quants);
  }
  row[1].scale = 0x7C00;                                   // infinity
  std::memset(row[2].quants, 0x88, sizeof row[2].quants);  // 8 stands for zero
  const Scan found = scan(DType::q4_0, {1, 96}, row);
  EXPECT_EQ(found.bad_scales.n, 1U);
  EXPECT_EQ(found.bad_scales.first, (Place{0, 32}));
  EXPECT_EQ(found.zero_blocks.n, 1U);
  EXPECT_EQ(found.zero_blocks.first, (Place{0, 64}));
  EXPECT_TRUE(found.codes[1] && found.codes[8] && found.codes[9]);
  EXPECT_FALSE(found.codes[0]);
}

TEST(Scan, ScalesOfNvfp4HaveNoSignAndNoNan) {
  for (const std::uint8_t scale : {std::uint8_t{0x7F}, std::uint8_t{0x80}, std::uint8_t{0x40}}) {
    std::vector<blocks::NvFp4> row(1);
    std::memset(&row[0], 0x11, sizeof row[0]);
    row[0].scales[2] = scale;
    EXPECT_EQ(scan(DType::nvfp4, {1, 64}, row).bad_scales.n, scale == 0x40 ? 0U : 1U);
  }
}

/// Every code of every type, by a block whose bytes are all the same.
TEST(Scan, MarksTheHighestCodeOfEveryTypeWhereAllBitsAreSet) {
  for (const DType type : {DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1, DType::q4_k,
                           DType::q5_k, DType::q6_k, DType::nvfp4, DType::nvfp4_packed}) {
    const auto cols = static_cast<std::int64_t>(traits(type).block_size);
    const auto highest = static_cast<std::size_t>(code_count(type)) - 1;
    const std::vector<std::uint8_t> ones(row_bytes(type, static_cast<std::size_t>(cols)), 0xFF);
    const std::vector<std::uint8_t> zeros(ones.size(), 0);
    EXPECT_TRUE(scan(type, {1, cols}, ones).codes[highest]) << name(type);
    EXPECT_FALSE(scan(type, {1, cols}, ones).codes[0]) << name(type);
    EXPECT_TRUE(scan(type, {1, cols}, zeros).codes[0]) << name(type);
    EXPECT_FALSE(scan(type, {1, cols}, zeros).codes[highest]) << name(type);
  }
}

TEST(ScaleScan, TellsWhatCannotBeAFactor) {
  const std::vector<float> scales = {1, 0, kNan, -2, kInfinity};
  const ScaleScan found = scan_scales(tensor_of(DType::f32, {5, 1}, scales));
  EXPECT_EQ(found.zero.first, (Place{1, 0}));
  EXPECT_EQ(found.nan.first, (Place{2, 0}));
  EXPECT_EQ(found.negative.first, (Place{3, 0}));
  EXPECT_EQ(found.infinite.first, (Place{4, 0}));
}

}  // namespace
}  // namespace pleiad::verify
