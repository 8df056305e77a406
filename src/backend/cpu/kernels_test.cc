// Every kernel of every instruction set that this machine can run, against the
// scalar truth (tensor/decode.h) or a computation in double precision, on odd
// sizes and on the ends of the range.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "backend/cpu/isa.h"
#include "base/aligned_buffer.h"
#include "tensor/decode.h"
#include "tensor/float16.h"

namespace pleiad::cpu {
namespace {

class KernelsTest : public ::testing::TestWithParam<Isa> {
 protected:
  const kernels::Kernels kernels_ = kernels_for(GetParam());
  std::mt19937 random_{7};

  std::vector<float> normal(std::size_t n, float deviation = 1.0F) {
    std::normal_distribution<float> distribution(0.0F, deviation);
    std::vector<float> values(n);
    for (float& value : values) value = distribution(random_);
    return values;
  }

  // Blocks with any quants and f16 scales of a sensible size.
  std::vector<std::byte> blocks(DType type, std::size_t n_elements) {
    std::vector<std::byte> data(row_bytes(type, n_elements));
    for (std::byte& b : data) b = static_cast<std::byte>(random_() & 0xFF);
    const auto set_f16 = [&](std::size_t at) {
      const std::uint16_t bits =
          f16_from_f32(std::uniform_real_distribution<float>(-0.1F, 0.1F)(random_));
      std::memcpy(data.data() + at, &bits, 2);
    };
    const auto size = static_cast<std::size_t>(traits(type).block_bytes);
    if (type == DType::f32) {
      const std::vector<float> values = normal(n_elements);
      std::memcpy(data.data(), values.data(), data.size());
      return data;
    }
    for (std::size_t at = 0; at < data.size(); at += size) {
      switch (type) {
        case DType::f16:
          set_f16(at);
          break;
        case DType::bf16: {
          const std::uint16_t bits = bf16_from_f32(normal(1)[0]);
          std::memcpy(data.data() + at, &bits, 2);
          break;
        }
        case DType::q8_0:
        case DType::q4_0:
        case DType::q5_0:
          set_f16(at);
          break;
        case DType::q4_1:
        case DType::q5_1:
        case DType::q4_k:
        case DType::q5_k:
          set_f16(at);
          set_f16(at + 2);
          break;
        case DType::q6_k:
          set_f16(at + 208);
          break;
        case DType::f8_e4m3:
          if ((std::to_integer<int>(data[at]) & 0x7F) == 0x7F) data[at] = std::byte{0x11};
          break;
        default:
          break;
      }
    }
    return data;
  }
};

const std::vector<DType> kAllTypes = {
    DType::f32,  DType::f16,  DType::bf16, DType::f8_e4m3, DType::q8_0, DType::q4_0,  DType::q4_1,
    DType::q5_0, DType::q5_1, DType::q4_k, DType::q5_k,    DType::q6_k, DType::nvfp4,
};

TEST_P(KernelsTest, DecodesEveryTypeAsTheScalarTruth) {
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

TEST_P(KernelsTest, DecodesEveryF16AndE4m3Code) {
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

TEST_P(KernelsTest, DecodesPackedNvfp4WithItsBlockScales) {
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

TEST_P(KernelsTest, DecodesNanAndInfiniteScalesWithoutInventingNumbers) {
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

TEST_P(KernelsTest, LinearMatchesDoublePrecisionOnOddSizes) {
  struct Case {
    DType type;
    std::int64_t rows, cols, n_x;
  };
  const std::vector<Case> cases = {
      {DType::f32, 1, 1, 1},     {DType::f32, 3, 17, 2},     {DType::f32, 9, 515, 5},
      {DType::bf16, 5, 33, 3},   {DType::f16, 4, 1025, 1},   {DType::q8_0, 7, 544, 4},
      {DType::q4_0, 6, 96, 9},   {DType::q4_k, 5, 768, 6},   {DType::q5_k, 2, 256, 1},
      {DType::q6_k, 4, 1280, 7}, {DType::nvfp4, 5, 576, 11}, {DType::f8_e4m3, 3, 77, 2},
  };
  for (const Case& c : cases) {
    const auto n_weights = static_cast<std::size_t>(c.rows * c.cols);
    std::vector<std::byte> data;
    for (std::int64_t row = 0; row < c.rows; ++row) {
      const auto one = blocks(c.type, static_cast<std::size_t>(c.cols));
      data.insert(data.end(), one.begin(), one.end());
    }
    std::vector<float> weights(n_weights);
    decode_blocks(c.type, data.data(), n_weights, weights.data());
    const std::vector<float> x = normal(static_cast<std::size_t>(c.n_x * c.cols));
    const std::vector<float> row_scales = normal(static_cast<std::size_t>(c.rows));
    std::vector<float> out(static_cast<std::size_t>(c.n_x * c.rows), 99.0F);
    AlignedBuffer<float> scratch(static_cast<std::size_t>(kernels::linear_scratch(c.n_x)));

    kernels::LinearArgs args = {};
    args.decode = kernels_.decode[static_cast<int>(c.type)];
    args.data = data.data();
    args.row_scales = row_scales.data();
    args.scale = 0.5F;
    args.row_bytes = static_cast<std::int64_t>(row_bytes(c.type, static_cast<std::size_t>(c.cols)));
    args.cols = c.cols;
    args.block_size = traits(c.type).block_size;
    args.block_bytes = traits(c.type).block_bytes;
    args.x = x.data();
    args.x_stride = c.cols;
    args.n_x = c.n_x;
    args.out = out.data();
    args.out_stride = c.rows;
    kernels_.linear(args, 0, c.rows, scratch.data());

    for (std::int64_t i = 0; i < c.n_x; ++i) {
      for (std::int64_t r = 0; r < c.rows; ++r) {
        double sum = 0;
        double magnitude = 0;
        for (std::int64_t k = 0; k < c.cols; ++k) {
          const double product =
              static_cast<double>(weights[static_cast<std::size_t>(r * c.cols + k)]) *
              x[static_cast<std::size_t>(i * c.cols + k)];
          sum += product;
          magnitude += std::abs(product);
        }
        const double factor = 0.5 * row_scales[static_cast<std::size_t>(r)];
        ASSERT_NEAR(out[static_cast<std::size_t>(i * c.rows + r)], sum * factor,
                    std::abs(magnitude * factor) * 2e-6 + 1e-12)
            << name(c.type) << " row " << r << " input " << i;
      }
    }
  }
}

TEST_P(KernelsTest, LinearGivesEachInputRowTheSameBitsWhateverItsCompany) {
  const std::int64_t rows = 11;
  const std::int64_t cols = 800;
  const std::vector<std::byte> data = blocks(DType::q4_0, static_cast<std::size_t>(rows * cols));
  const std::vector<float> x = normal(static_cast<std::size_t>(9 * cols));
  AlignedBuffer<float> scratch(static_cast<std::size_t>(kernels::linear_scratch(9)));
  const auto run = [&](std::int64_t first_x, std::int64_t n_x, std::int64_t split) {
    kernels::LinearArgs args = {};
    args.decode = kernels_.decode[static_cast<int>(DType::q4_0)];
    args.data = data.data();
    args.scale = 1.0F;
    args.row_bytes = static_cast<std::int64_t>(row_bytes(DType::q4_0, cols));
    args.cols = cols;
    args.block_size = 32;
    args.block_bytes = 18;
    args.x = x.data() + first_x * cols;
    args.x_stride = cols;
    args.n_x = n_x;
    std::vector<float> out(static_cast<std::size_t>(n_x * rows));
    args.out = out.data();
    args.out_stride = rows;
    kernels_.linear(args, 0, split, scratch.data());
    kernels_.linear(args, split, rows, scratch.data());
    return out;
  };
  const std::vector<float> together = run(0, 9, 0);
  for (std::int64_t i = 0; i < 9; ++i) {
    for (const std::int64_t split : {0L, 1L, 6L}) {
      const std::vector<float> alone = run(i, 1, split);
      for (std::int64_t r = 0; r < rows; ++r) {
        ASSERT_EQ(alone[static_cast<std::size_t>(r)],
                  together[static_cast<std::size_t>(i * rows + r)]);
      }
    }
  }
}

TEST_P(KernelsTest, RmsNormMatchesDoublePrecision) {
  for (const std::int64_t n : {1L, 15L, 16L, 33L, 256L, 1537L}) {
    const std::vector<float> x = normal(static_cast<std::size_t>(n), 100.0F);
    const std::vector<float> weight = normal(static_cast<std::size_t>(n));
    double squares = 0;
    for (const float value : x) squares += static_cast<double>(value) * value;
    const double factor = 1 / std::sqrt(squares / static_cast<double>(n) + 1e-6);
    std::vector<float> out(x.size());
    kernels_.rms_norm(out.data(), x.data(), weight.data(), n, 1e-6F);
    std::vector<float> residual = weight;
    kernels_.norm_add(residual.data(), x.data(), weight.data(), n, 1e-6F, 0.5F);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = x[i] * factor * weight[i];
      ASSERT_NEAR(out[i], expected, std::abs(expected) * 1e-6 + 1e-9);
      ASSERT_NEAR(residual[i], (weight[i] + expected) * 0.5, std::abs(expected) * 1e-6 + 1e-6);
    }
  }
}

TEST_P(KernelsTest, GeluAndSoftcapMatchDoublePrecisionOverTheWholeRange) {
  std::vector<float> x = {0.0F,  -0.0F, 1e-30F, -1e-30F, 1e-4F, -1e-4F, 0.5F,
                          -0.5F, 3.0F,  -3.0F,  8.0F,    -8.0F, 20.0F,  -20.0F,
                          1e4F,  -1e4F, 1e30F,  -1e30F,  88.0F, -88.0F, 5.5F};
  const std::vector<float> more = normal(301, 3.0F);
  x.insert(x.end(), more.begin(), more.end());
  std::vector<float> gate = x;
  const std::vector<float> up(x.size(), 2.0F);
  kernels_.gated_gelu(gate.data(), up.data(), static_cast<std::int64_t>(x.size()));
  std::vector<float> capped = x;
  kernels_.softcap(capped.data(), static_cast<std::int64_t>(x.size()), 30.0F);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x[i];
    const double gelu = 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
    ASSERT_NEAR(gate[i], 2 * gelu, std::abs(gelu) * 2e-6 + std::abs(v) * 1e-7) << v;
    ASSERT_NEAR(capped[i], 30 * std::tanh(v / 30), 6e-6) << v;
  }
}

TEST_P(KernelsTest, RopeTurnsPairsOfTheTwoHalvesAndLeavesTheRest) {
  const std::vector<float> head = normal(32);
  std::vector<float> turned = head;
  const std::vector<float> cos = {0.6F, 1.0F, 0.0F};
  const std::vector<float> sin = {0.8F, 0.0F, 1.0F};
  kernels_.rope(turned.data(), 32, cos.data(), sin.data(), 3);
  for (std::size_t i = 0; i < 16; ++i) {
    const float c = i < 3 ? cos[i] : 1.0F;
    const float s = i < 3 ? sin[i] : 0.0F;
    EXPECT_FLOAT_EQ(turned[i], head[i] * c - head[i + 16] * s);
    EXPECT_FLOAT_EQ(turned[i + 16], head[i + 16] * c + head[i] * s);
  }
}

TEST_P(KernelsTest, CacheRoundsToNearestEven) {
  std::vector<float> x = normal(100, 3.0F);
  const std::vector<float> edges = {0.0F,
                                    -0.0F,
                                    65504.0F,
                                    65520.0F,
                                    1e-8F,
                                    6e-8F,
                                    -6.1e-5F,
                                    1.0F,
                                    1e30F,
                                    -1e30F,
                                    3e-5F,
                                    2.98e-8F,
                                    1.00390625F,
                                    std::numeric_limits<float>::infinity(),
                                    std::numeric_limits<float>::quiet_NaN()};
  x.insert(x.end(), edges.begin(), edges.end());
  std::vector<std::uint16_t> bits(x.size());
  const auto n = static_cast<std::int64_t>(x.size());
  kernels_.to_cache(reinterpret_cast<std::byte*>(bits.data()), x.data(), n,
                    kernels::CacheType::f16);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) {
      EXPECT_TRUE(std::isnan(f32_from_f16(bits[i])));
    } else {
      EXPECT_EQ(bits[i], f16_from_f32(x[i])) << x[i];
    }
  }
  kernels_.to_cache(reinterpret_cast<std::byte*>(bits.data()), x.data(), n,
                    kernels::CacheType::bf16);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) {
      EXPECT_TRUE(std::isnan(f32_from_bf16(bits[i])));
    } else {
      EXPECT_EQ(bits[i], bf16_from_f32(x[i])) << x[i];
    }
  }
}

TEST_P(KernelsTest, AttentionMatchesDoublePrecisionAcrossPages) {
  const int page_tokens = 8;
  for (const int head_dim : {16, 24, 32, 256}) {
    for (const auto type :
         {kernels::CacheType::f32, kernels::CacheType::f16, kernels::CacheType::bf16}) {
      const std::size_t bytes = type == kernels::CacheType::f32 ? 4 : 2;
      const auto d = static_cast<std::size_t>(head_dim);
      const std::size_t block = static_cast<std::size_t>(page_tokens) * d * bytes;
      std::vector<std::vector<std::byte>> pages(4, std::vector<std::byte>(2 * block));
      std::vector<std::vector<double>> keys;
      std::vector<std::vector<double>> values;
      const auto stored = [&](std::byte* place, std::vector<double>& kept) {
        const std::vector<float> x = normal(d, 0.7F);
        kernels_.to_cache(place, x.data(), head_dim, type);
        for (std::size_t i = 0; i < d; ++i) {
          const std::byte* at = place + i * bytes;
          std::uint16_t half = 0;
          std::memcpy(&half, at, 2);
          kept.push_back(type == kernels::CacheType::f32   ? x[i]
                         : type == kernels::CacheType::f16 ? f32_from_f16(half)
                                                           : f32_from_bf16(half));
        }
      };
      for (int position = 0; position < 32; ++position) {
        const auto page = static_cast<std::size_t>(position / page_tokens);
        const std::size_t slot = static_cast<std::size_t>(position % page_tokens) * d * bytes;
        keys.emplace_back();
        values.emplace_back();
        stored(pages[page].data() + slot, keys.back());
        stored(pages[page].data() + block + slot, values.back());
      }
      const std::vector<float> query = normal(d);
      const std::vector<const std::byte*> table = {pages[0].data(), pages[1].data(),
                                                   pages[2].data(), pages[3].data()};
      for (const auto& [first, last] : {std::pair{0, 0}, {0, 31}, {5, 22}, {8, 15}, {31, 31}}) {
        std::vector<float> out(d);
        std::vector<float> scratch(static_cast<std::size_t>(page_tokens));
        kernels::AttentionArgs args = {};
        args.query = query.data();
        args.pages = table.data();
        args.key_offset = 0;
        args.value_offset = block;
        args.type = type;
        args.page_tokens = page_tokens;
        args.head_dim = head_dim;
        args.first = first;
        args.last = last;
        args.out = out.data();
        kernels_.attention(args, scratch.data());

        std::vector<double> scores;
        double maximum = -1e300;
        for (int p = first; p <= last; ++p) {
          double score = 0;
          for (std::size_t i = 0; i < d; ++i)
            score += query[i] * keys[static_cast<std::size_t>(p)][i];
          scores.push_back(score);
          maximum = std::max(maximum, score);
        }
        double total = 0;
        for (double& score : scores) total += score = std::exp(score - maximum);
        for (std::size_t i = 0; i < d; ++i) {
          double expected = 0;
          for (int p = first; p <= last; ++p) {
            expected += scores[static_cast<std::size_t>(p - first)] / total *
                        values[static_cast<std::size_t>(p)][i];
          }
          ASSERT_NEAR(out[i], expected, 2e-5) << "head_dim " << head_dim << " from " << first;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, KernelsTest, ::testing::ValuesIn(usable_isas()),
                         [](const auto& param) { return std::string(name(param.param)); });

}  // namespace
}  // namespace pleiad::cpu
