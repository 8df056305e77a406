// The plain rules beside those of others: the bytes that compressed-tensors and gguf-py
// make of the same rows (tools/reference/block_formats/make_encoded.py).

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/testing/paths.h"
#include "quantize/quantize_testing.h"

namespace pleiad::quantize {
namespace {

/// Takes values from the front of a golden file.
class Golden {
 public:
  explicit Golden(const std::string& file) {
    const auto path = std::filesystem::path(golden_path()) / "encoded" / file;
    std::ifstream stream(path, std::ios::binary);
    EXPECT_TRUE(stream) << path;
    bytes_ = {std::istreambuf_iterator<char>(stream), {}};
    const std::uint32_t n_rows = take<std::uint32_t>(1)[0];
    const std::uint32_t cols = take<std::uint32_t>(1)[0];
    for (std::uint32_t row = 0; row < n_rows; ++row) rows.push_back(take<float>(cols));
  }

  template <typename T>
  std::vector<T> take(std::size_t count) {
    std::vector<T> values(count);
    if (at_ + count * sizeof(T) > bytes_.size()) {
      ADD_FAILURE() << "the file ends early";
      return values;
    }
    std::memcpy(values.data(), bytes_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
    return values;
  }

  std::vector<std::vector<float>> rows;

 private:
  std::vector<char> bytes_;
  std::size_t at_ = 0;
};

float largest_magnitude(const std::vector<std::vector<float>>& rows) {
  float largest = 0.0F;
  for (const auto& row : rows) {
    for (const float x : row) largest = std::max(largest, std::abs(x));
  }
  return largest;
}

TEST(EncodeGolden, Nvfp4IsWhatCompressedTensorsMakesOfIt) {
  Golden golden("nvfp4.bin");
  const float divisor = golden.take<float>(1)[0];
  EXPECT_EQ(nvfp4_tensor_divisor(largest_magnitude(golden.rows)), divisor);
  std::vector<std::vector<std::byte>> codes;
  for (const auto& row : golden.rows) codes.push_back(golden.take<std::byte>(row.size() / 2));
  EncodeOptions options{.type = DType::nvfp4_packed, .rounding = Rounding::nearest};
  options.tensor_scale = 1.0F / divisor;
  options.tensor_divisor = divisor;
  for (std::size_t i = 0; i < golden.rows.size(); ++i) {
    const Encoded found = encode(best_kernels(), options, golden.rows[i]);
    EXPECT_EQ(found.block_scales, golden.take<std::byte>(golden.rows[i].size() / 16)) << i;
    EXPECT_EQ(found.data, codes[i]) << i;
  }
}

TEST(EncodeGolden, Fp8OfATensorIsWhatCompressedTensorsMakesOfIt) {
  Golden golden("fp8_tensor.bin");
  const float scale = golden.take<float>(1)[0];
  EXPECT_EQ(fp8_tensor_scale(largest_magnitude(golden.rows)), scale);
  for (const auto& row : golden.rows) {
    const Encoded found =
        encode(best_kernels(), {.type = DType::f8_e4m3, .tensor_scale = scale}, row);
    EXPECT_EQ(found.data, golden.take<std::byte>(row.size()));
  }
}

TEST(EncodeGolden, Fp8OfRowsIsWhatCompressedTensorsMakesOfIt) {
  Golden golden("fp8_rows.bin");
  const auto scales = golden.take<float>(golden.rows.size());
  for (std::size_t i = 0; i < golden.rows.size(); ++i) {
    EXPECT_EQ(fp8_tensor_scale(largest_magnitude({golden.rows[i]})), scales[i]);
    const Encoded found =
        encode(best_kernels(), {.type = DType::f8_e4m3, .tensor_scale = scales[i]}, golden.rows[i]);
    EXPECT_EQ(found.data, golden.take<std::byte>(golden.rows[i].size())) << i;
  }
}

class EncodeGoldenBlocks : public ::testing::TestWithParam<DType> {};

TEST_P(EncodeGoldenBlocks, AreWhatGgufMakesOfThem) {
  Golden golden(std::string(name(GetParam())) + ".bin");
  for (const auto& row : golden.rows) {
    const Encoded found =
        encode(best_kernels(), {.type = GetParam(), .rounding = Rounding::nearest}, row);
    EXPECT_EQ(found.data, golden.take<std::byte>(row_bytes(GetParam(), row.size())));
  }
}

INSTANTIATE_TEST_SUITE_P(All, EncodeGoldenBlocks,
                         ::testing::Values(DType::q8_0, DType::q4_0, DType::q4_1, DType::q5_0,
                                           DType::q5_1),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace pleiad::quantize
