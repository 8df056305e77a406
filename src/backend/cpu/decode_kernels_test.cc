// Decoders of every instruction set that this machine can run, against the scalar
// truth (tensor/decode.h).

#include <cmath>

#include "backend/cpu/kernels_testing.h"

namespace pleiad::cpu {
namespace {

class DecodeKernels : public KernelsTest {};

TEST_P(DecodeKernels, DecodesEveryTypeAsTheScalarTruth) {
  for (const DType type : kAllTypes) {
    for (const std::size_t n_blocks : {1UL, 2UL, 3UL, 17UL}) {
      const std::size_t n = n_blocks * static_cast<std::size_t>(traits(type).block_size);
      const std::vector<std::byte> data = blocks(type, n);
      std::vector<float> expected(n);
      std::vector<float> found(n, -1.0F);
      decode_blocks(type, data.data(), n, expected.data());
      kernels_.decode[static_cast<int>(type)](data.data(), nullptr, static_cast<std::int64_t>(n),
                                              found.data());
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(found[i], expected[i]) << name(type) << " element " << i << " of " << n;
      }
    }
  }
}

TEST_P(DecodeKernels, DecodesEveryF16AndE4m3Code) {
  std::vector<std::uint16_t> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  std::vector<float> found(halves.size());
  kernels_.decode[static_cast<int>(DType::f16)](reinterpret_cast<const std::byte*>(halves.data()),
                                                nullptr, 65536, found.data());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const float expected = f32_from_f16(halves[i]);
    ASSERT_TRUE(found[i] == expected || (std::isnan(found[i]) && std::isnan(expected))) << i;
  }
  std::vector<std::byte> codes(256);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::byte>(i);
  std::vector<float> expected(256);
  decode_blocks(DType::f8_e4m3, codes.data(), 256, expected.data());
  kernels_.decode[static_cast<int>(DType::f8_e4m3)](codes.data(), nullptr, 256, found.data());
  for (std::size_t i = 0; i < 256; ++i) {
    ASSERT_TRUE(found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i]))) << i;
  }
}

TEST_P(DecodeKernels, DecodesPackedNvfp4WithItsBlockScales) {
  HostTensor tensor;
  tensor.dtype = DType::nvfp4_packed;
  tensor.shape = {3, 48};
  std::vector<std::byte> data(3 * 24);
  std::vector<std::byte> scales(3 * 3);
  for (std::byte& b : data) b = static_cast<std::byte>(random_() & 0xFF);
  for (std::byte& b : scales) b = static_cast<std::byte>(random_() % 0x7F);
  tensor.data = data;
  tensor.scales.block_scales = scales;
  for (std::int64_t row = 0; row < 3; ++row) {
    std::vector<float> expected(48);
    std::vector<float> found(48);
    decode_row(tensor, row, expected.data());
    kernels_.decode[static_cast<int>(DType::nvfp4_packed)](
        data.data() + row * 24, scales.data() + row * 3, 48, found.data());
    EXPECT_EQ(found, expected);
  }
}

TEST_P(DecodeKernels, DecodesNanAndInfiniteScalesWithoutInventingNumbers) {
  for (const std::uint16_t scale : {0x7C00, 0x7E00, 0xFC00, 0x0001, 0x0000}) {
    std::vector<std::byte> data(34, std::byte{3});
    std::memcpy(data.data(), &scale, 2);
    std::vector<float> expected(32);
    std::vector<float> found(32);
    decode_blocks(DType::q8_0, data.data(), 32, expected.data());
    kernels_.decode[static_cast<int>(DType::q8_0)](data.data(), nullptr, 32, found.data());
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_TRUE(found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i])));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, DecodeKernels, ::testing::ValuesIn(usable_isas()), isa_name);

}  // namespace
}  // namespace pleiad::cpu
