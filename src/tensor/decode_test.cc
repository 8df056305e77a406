#include "tensor/decode.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/testing/paths.h"

namespace pleiad {
namespace {

std::vector<char> read_golden(const std::string& file) {
  const auto path = std::filesystem::path(golden_path()) / "blocks" / file;
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Takes values from the front of a golden file.
class Reader {
 public:
  explicit Reader(std::vector<char> bytes) : bytes_(std::move(bytes)) {}

  template <typename T>
  T take() {
    return take_many<T>(1)[0];
  }
  template <typename T>
  std::vector<T> take_many(std::size_t count) {
    std::vector<T> values(count);
    EXPECT_LE(position_ + count * sizeof(T), bytes_.size());
    std::memcpy(values.data(), bytes_.data() + position_, count * sizeof(T));
    position_ += count * sizeof(T);
    return values;
  }
  bool at_end() const { return position_ == bytes_.size(); }

 private:
  std::vector<char> bytes_;
  std::size_t position_ = 0;
};

class DecodeGolden : public ::testing::TestWithParam<DType> {};

// Every type rounds in the same order as the reference, so the bits are equal;
// only the sign of zero (E2M1's -0) and the payload of a NaN are not compared.
TEST_P(DecodeGolden, GivesTheValuesOfTheReference) {
  Reader golden(read_golden(std::string(name(GetParam())) + ".bin"));
  const auto n_elements = golden.take<std::uint32_t>();
  const auto n_bytes = golden.take<std::uint32_t>();
  ASSERT_EQ(row_bytes(GetParam(), n_elements), n_bytes);
  const auto data = golden.take_many<std::byte>(n_bytes);
  const auto expected = golden.take_many<float>(n_elements);
  ASSERT_TRUE(golden.at_end());

  // One byte off, because data in a mapped file may lie anywhere.
  std::vector<std::byte> shifted(n_bytes + 1);
  std::memcpy(shifted.data() + 1, data.data(), n_bytes);
  std::vector<float> found(n_elements);
  decode_blocks(GetParam(), shifted.data() + 1, n_elements, found.data());
  for (std::size_t i = 0; i < n_elements; ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(found[i])) << i;
    } else {
      ASSERT_EQ(found[i], expected[i]) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, DecodeGolden,
                         ::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f8_e4m3,
                                           DType::q8_0, DType::q4_0, DType::q4_1, DType::q5_0,
                                           DType::q5_1, DType::q4_k, DType::q5_k, DType::q6_k,
                                           DType::nvfp4),
                         [](const auto& type) { return std::string(name(type.param)); });

// The file divides by its global scale and we multiply by the inverse: that is
// the one difference, and it may move the last bit.
TEST(DecodeRow, AppliesTheScalesOfPackedNvfp4) {
  Reader golden(read_golden("nvfp4_packed.bin"));
  const auto rows = golden.take<std::uint32_t>();
  const auto cols = golden.take<std::uint32_t>();
  const auto divisor = golden.take<float>();
  const auto nibbles = golden.take_many<std::byte>(rows * cols / 2);
  const auto block_scales = golden.take_many<std::byte>(rows * cols / 16);
  const auto expected = golden.take_many<float>(rows * cols);
  ASSERT_TRUE(golden.at_end());

  HostTensor tensor;
  tensor.dtype = DType::nvfp4_packed;
  tensor.shape = {rows, cols};
  tensor.data = nibbles;
  tensor.scales.block_scales = block_scales;
  tensor.scales.tensor_scale = 1.0F / divisor;
  std::vector<float> found(cols);
  for (std::uint32_t row = 0; row < rows; ++row) {
    decode_row(tensor, row, found.data());
    for (std::uint32_t col = 0; col < cols; ++col) {
      const float want = expected[row * cols + col];
      EXPECT_NEAR(found[col], want, std::abs(want) * 2e-7F) << row << ' ' << col;
    }
  }
}

TEST(DecodeRow, AppliesRowAndTensorScalesToAnyType) {
  const std::vector<std::uint8_t> bytes = {0x38, 0x40, 0xB8,   // 1, 2, -1
                                           0x30, 0x00, 0x7E};  // 0.5, 0, 448
  HostTensor tensor;
  tensor.dtype = DType::f8_e4m3;
  tensor.shape = {2, 3};
  tensor.data = std::as_bytes(std::span(bytes));
  tensor.scales.row_scales = {10.0F, 100.0F};
  tensor.scales.tensor_scale = 0.5F;
  std::vector<float> row(3);
  decode_row(tensor, 0, row.data());
  EXPECT_EQ(row, (std::vector<float>{5.0F, 10.0F, -5.0F}));
  decode_row(tensor, 1, row.data());
  EXPECT_EQ(row, (std::vector<float>{25.0F, 0.0F, 22400.0F}));
}

TEST(DecodeRow, AsksForAnExistingRow) {
  const std::vector<float> values = {1.0F, 2.0F, 3.0F};
  HostTensor tensor;
  tensor.shape = {3, 1};
  tensor.data = std::as_bytes(std::span(values));
  float out = 0;
  decode_row(tensor, 2, &out);
  EXPECT_EQ(out, 3.0F);
  EXPECT_THROW(decode_row(tensor, 3, &out), InternalError);
  EXPECT_THROW(decode_row(tensor, -1, &out), InternalError);
}

}  // namespace
}  // namespace pleiad
