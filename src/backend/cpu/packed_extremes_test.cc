// Packed weights at the ends of their range: the largest integers that can meet,
// scales that are zero, denormal, infinite or no number.

#include <cmath>
#include <limits>

#include "backend/cpu/packed_testing.h"
#include "tensor/blocks.h"

namespace pleiad::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Every byte of the quants (and of their high bits) set to one value, scales to
// the largest that their field holds; of `minimum`, the factor of the minimums instead.
std::vector<std::byte> uniform_block(DType type, std::byte quants, std::uint16_t scale,
                                     bool minimum = false) {
  std::vector<std::byte> block(static_cast<std::size_t>(traits(type).block_bytes), quants);
  const auto put = [&](std::size_t at, std::uint16_t bits) {
    std::memcpy(block.data() + at, &bits, 2);
  };
  switch (type) {
    case DType::q8_0:
    case DType::q4_0:
    case DType::q5_0:
    case DType::f16:
      put(0, scale);
      break;
    case DType::q4_k:
    case DType::q5_k:
      put(0, minimum ? 0 : scale);
      put(2, minimum ? scale : 0);
      std::fill_n(block.begin() + 4, 12, std::byte{0xFF});
      break;
    case DType::q6_k:
      std::fill_n(block.begin() + offsetof(blocks::Q6_K, scales), 16, std::byte{0x80});
      put(208, scale);
      break;
    case DType::nvfp4:
      std::fill_n(block.begin(), 4, std::byte{0x7E});
      break;
    default:
      break;
  }
  return block;
}

const std::vector<DType> kIntegerTypes = {DType::q8_0, DType::q4_0, DType::q5_0, DType::q4_k,
                                          DType::q5_k, DType::q6_k, DType::nvfp4};

class PackedExtremes : public PackedKernelsTest {
 protected:
  // 17 rows of uniform blocks.
  StoredTensor uniform(DType type, std::byte quants, std::uint16_t scale, std::int64_t cols,
                       bool minimum = false) {
    StoredTensor tensor;
    tensor.host.dtype = type;
    tensor.host.shape = {17, cols};
    const std::vector<std::byte> block = uniform_block(type, quants, scale, minimum);
    for (std::int64_t i = 0; i < 17 * cols / traits(type).block_size; ++i) {
      tensor.data.insert(tensor.data.end(), block.begin(), block.end());
    }
    tensor.host.data = tensor.data;
    return tensor;
  }
};

TEST_P(PackedExtremes, NoIntegerOverflowsWhereAllAreAsLargeAsTheyCanBe) {
  const auto check = [&](DType type, std::byte quants, bool minimum) {
    const std::int64_t cols = odd_cols(type).back();
    const StoredTensor tensor = uniform(type, quants, f16_from_f32(0.25F), cols, minimum);
    const PackedProduct product(kernels_, tensor.host);
    // Constant, of either sign; and signs that change at every distance that
    // pairs of products are added at.
    std::vector<float> x;
    for (const std::int64_t period : {0, 1, 2, 4, 8, 16, 32}) {
      for (const float size : {1.0F, -1.0F, 127.0F, -127.0F}) {
        for (std::int64_t col = 0; col < cols; ++col) {
          x.push_back(period > 0 && col / period % 2 == 1 ? -size : size);
        }
      }
    }
    const auto n_x = static_cast<std::int64_t>(x.size()) / cols;
    const Reference reference(tensor.host, x, n_x);
    for (const Path path : product.paths()) {
      const std::vector<float> out = product.run(path, x, n_x);
      for (std::size_t i = 0; i < out.size(); ++i) {
        // Nothing is rounded here but the sums, and in tiles the factors.
        const double tolerance = path == Path::tiles ? reference.tolerance(path, product.kind(), i)
                                                     : 3e-6 * reference.largest[i];
        ASSERT_NEAR(out[i], reference.sums[i], tolerance)
            << name(type) << " " << name(path) << " quants " << std::to_integer<int>(quants)
            << (minimum ? " minimums" : "") << " value " << i;
      }
      for (std::int64_t row = 0; row < n_x; ++row) {
        const std::vector<float> one(x.begin() + row * cols, x.begin() + (row + 1) * cols);
        const std::vector<float> alone = product.run(path, one, 1);
        ASSERT_TRUE(std::equal(alone.begin(), alone.end(), out.begin() + row * 17))
            << name(type) << " " << name(path) << " row " << row << " alone";
      }
    }
  };
  for (const DType type : kIntegerTypes) {
    for (const std::byte quants : {std::byte{0x00}, std::byte{0x7F}, std::byte{0x80},
                                   std::byte{0x81}, std::byte{0xFF}, std::byte{0x77}}) {
      check(type, quants, false);
    }
    if (type == DType::q4_k || type == DType::q5_k) check(type, std::byte{0xFF}, true);
  }
}

TEST_P(PackedExtremes, ScalesOfEverySizeKeepTheirMeaning) {
  for (const DType type : kIntegerTypes) {
    if (type == DType::nvfp4) continue;  // its scales are bytes, all of them packed above
    const std::int64_t cols = odd_cols(type)[1];
    for (const std::uint16_t scale : {0x0000, 0x8000, 0x0001, 0x83FF, 0x0400, 0x7BFF, 0xFBFF}) {
      const StoredTensor tensor = uniform(type, std::byte{0xC5}, scale, cols);
      const std::vector<float> x = normal(static_cast<std::size_t>(3 * cols));
      const PackedProduct product(kernels_, tensor.host);
      const Reference reference(tensor.host, x, 3);
      for (const Path path : product.paths()) {
        const std::vector<float> out = product.run(path, x, 3);
        for (std::size_t i = 0; i < out.size(); ++i) {
          ASSERT_NEAR(out[i], reference.sums[i], reference.tolerance(path, product.kind(), i))
              << name(type) << " " << name(path) << " scale " << scale;
        }
      }
    }
  }
}

TEST_P(PackedExtremes, ScalesThatAreNoNumbersSpoilTheirRowsAndNoOthers) {
  for (const DType type : kIntegerTypes) {
    if (type == DType::nvfp4) continue;  // none of its scales is infinite
    const std::int64_t cols = odd_cols(type)[1];
    for (const std::uint16_t scale : {0x7C00, 0xFC00, 0x7E00, 0xFE00}) {
      StoredTensor tensor = stored(type, {33, cols});
      // One block of rows 5, 16 and 32.
      const std::vector<std::byte> bad = uniform_block(type, std::byte{0x35}, scale);
      const std::size_t row_bytes = tensor.host.bytes_per_row();
      for (const std::size_t row : {5U, 16U, 32U}) {
        std::copy(bad.begin(), bad.end(),
                  tensor.data.begin() + static_cast<long>((row + 1) * row_bytes - bad.size()));
      }
      const std::vector<float> x = normal(static_cast<std::size_t>(2 * cols));
      const PackedProduct product(kernels_, tensor.host);
      const Reference reference(tensor.host, x, 2);
      for (const Path path : product.paths()) {
        const std::vector<float> out = product.run(path, x, 2);
        for (std::size_t i = 0; i < out.size(); ++i) {
          const std::size_t row = i % 33;
          if (row == 5 || row == 16 || row == 32) {
            EXPECT_FALSE(std::isfinite(out[i])) << name(type) << " " << name(path) << " " << i;
          } else {
            ASSERT_NEAR(out[i], reference.sums[i], reference.tolerance(path, product.kind(), i))
                << name(type) << " " << name(path) << " row " << row;
          }
        }
      }
    }
  }
}

TEST_P(PackedExtremes, WeightsThatAreNoNumbersSpoilTheirRowsAndNoOthers) {
  for (const DType type : {DType::f32, DType::f16, DType::bf16}) {
    const std::int64_t cols = 75;
    for (const float bad : {kInfinity, -kInfinity, kNan}) {
      StoredTensor tensor = stored(type, {18, cols});
      const std::uint16_t half = type == DType::f16 ? f16_from_f32(bad) : bf16_from_f32(bad);
      const std::size_t at = 17 * tensor.host.bytes_per_row();
      if (type == DType::f32) {
        std::memcpy(tensor.data.data() + at, &bad, 4);
      } else {
        std::memcpy(tensor.data.data() + at, &half, 2);
      }
      const std::vector<float> x = normal(static_cast<std::size_t>(3 * cols));
      const PackedProduct product(kernels_, tensor.host);
      for (const Path path : product.paths()) {
        const std::vector<float> out = product.run(path, x, 3);
        for (std::size_t i = 0; i < out.size(); ++i) {
          EXPECT_EQ(std::isfinite(out[i]), i % 18 != 17) << name(type) << " " << name(path);
        }
      }
    }
  }
}

TEST_P(PackedExtremes, InputsThatAreNoNumbersSpoilTheirOwnRowsAlone) {
  for (const DType type : kPackedTypes) {
    const std::int64_t cols = odd_cols(type)[1];
    const StoredTensor tensor = stored(type, {17, cols});
    const std::vector<float> good = normal(static_cast<std::size_t>(9 * cols));
    const PackedProduct product(kernels_, tensor.host);
    for (const float bad : {kInfinity, -kInfinity, kNan}) {
      std::vector<float> x = good;
      x[static_cast<std::size_t>(5 * cols - 1)] = bad;  // the last of row 4
      for (const Path path : product.paths()) {
        const std::vector<float> expected = product.run(path, good, 9);
        const std::vector<float> out = product.run(path, x, 9);
        for (std::size_t i = 0; i < out.size(); ++i) {
          if (i / 17 == 4) {
            EXPECT_FALSE(std::isfinite(out[i])) << name(type) << " " << name(path);
          } else {
            ASSERT_EQ(out[i], expected[i]) << name(type) << " " << name(path);
          }
        }
      }
    }
  }
}

TEST_P(PackedExtremes, InputsOfEverySizeKeepTheirMeaning) {
  for (const DType type : kPackedTypes) {
    const std::int64_t cols = odd_cols(type)[1];
    const StoredTensor tensor = stored(type, {17, cols});
    const PackedProduct product(kernels_, tensor.host);
    for (const float size : {0.0F, 1e-37F, 1e-20F, 1e20F}) {
      std::vector<float> x = normal(static_cast<std::size_t>(2 * cols), size);
      x[0] = -0.0F;
      const Reference reference(tensor.host, x, 2);
      for (const Path path : product.paths()) {
        const std::vector<float> out = product.run(path, x, 2);
        for (std::size_t i = 0; i < out.size(); ++i) {
          // Inputs below 1e-30 count as nothing.
          ASSERT_NEAR(out[i], reference.sums[i],
                      reference.tolerance(path, product.kind(), i) + 1e-25)
              << name(type) << " " << name(path) << " inputs of " << size;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, PackedExtremes, ::testing::ValuesIn(usable_isas()), isa_name);

}  // namespace
}  // namespace pleiad::cpu
