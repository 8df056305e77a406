#include "tensor/host_tensor.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tensor/checked_math.h"

namespace pleiad {

TEST(Shape, IsShownOutermostFirst) {
  EXPECT_EQ(to_string({262144, 1536}), "[262144, 1536]");
  EXPECT_EQ(to_string({7}), "[7]");
  EXPECT_EQ(to_string({}), "[]");
}

TEST(Shape, CountsItsElements) {
  EXPECT_EQ(element_count({3, 5, 7}), 105);
  EXPECT_EQ(element_count({}), 1) << "a scalar";
  EXPECT_THROW((void)element_count({3, 0}), InternalError);
}

TEST(HostTensor, RowsAreAllDimensionsButTheLast) {
  HostTensor tensor;
  tensor.dtype = DType::q8_0;
  tensor.shape = {3, 5, 64};
  EXPECT_EQ(tensor.rows(), 15);
  EXPECT_EQ(tensor.cols(), 64);
  EXPECT_EQ(tensor.bytes_per_row(), 68U);
}

TEST(HostTensor, RangeOfRowsTakesItsScalesAlong) {
  constexpr std::size_t kCols = 64;
  std::vector<std::byte> data(5 * kCols / 2);
  std::vector<std::byte> block_scales(5 * kCols / 16);
  HostTensor matrix;
  matrix.name = "a";
  matrix.dtype = DType::nvfp4_packed;
  matrix.shape = {5, kCols};
  matrix.data = data;
  matrix.scales.block_scales = block_scales;
  matrix.scales.row_scales = {1, 2, 3, 4, 5};
  matrix.scales.tensor_scale = 7;
  const HostTensor part = row_range(matrix, 1, 3);
  EXPECT_EQ(part.name, "a");
  EXPECT_EQ(part.shape, (Shape{3, kCols}));
  EXPECT_EQ(part.data.data(), data.data() + kCols / 2);
  EXPECT_EQ(part.data.size(), 3 * kCols / 2);
  EXPECT_EQ(part.scales.block_scales.data(), block_scales.data() + kCols / 16);
  EXPECT_EQ(part.scales.block_scales.size(), 3 * kCols / 16);
  EXPECT_EQ(part.scales.row_scales, (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(part.scales.tensor_scale, 7);
  EXPECT_THROW((void)row_range(matrix, 3, 3), InternalError);
}

TEST(CheckedMath, GivesNothingWhereTheResultDoesNotFit) {
  EXPECT_EQ(checked_add(UINT64_MAX, 1), std::nullopt);
  EXPECT_EQ(checked_add(UINT64_MAX - 1, 1), UINT64_MAX);
  EXPECT_EQ(checked_mul(UINT64_C(1) << 32, UINT64_C(1) << 32), std::nullopt);
  EXPECT_EQ(checked_mul(UINT64_C(1) << 32, UINT64_C(1) << 31), UINT64_C(1) << 63);
  EXPECT_EQ(checked_align_up(33, 32), 64U);
  EXPECT_EQ(checked_align_up(64, 32), 64U);
  EXPECT_EQ(checked_align_up(UINT64_MAX, 32), std::nullopt);
  const std::int64_t huge[] = {INT64_C(1) << 40, INT64_C(1) << 40};
  EXPECT_EQ(checked_element_count(huge), std::nullopt);
  const std::int64_t half[] = {INT64_C(1) << 62, 2};
  EXPECT_EQ(checked_element_count(half), std::nullopt) << "beyond a signed count";
  const std::int64_t negative[] = {-1, -1};
  EXPECT_EQ(checked_element_count(negative), std::nullopt);
}

}  // namespace pleiad
