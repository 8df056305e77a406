// Products with weights as they lie in the file, against double precision on odd
// sizes.

#include <cmath>

#include "backend/cpu/kernels_testing.h"
#include "base/aligned_buffer.h"

namespace pleiad::cpu {
namespace {

class LinearKernels : public KernelsTest {};

TEST_P(LinearKernels, MatchDoublePrecisionOnOddSizes) {
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

TEST_P(LinearKernels, GiveEachInputRowTheSameBitsWhateverItsCompany) {
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

INSTANTIATE_TEST_SUITE_P(EveryIsa, LinearKernels, ::testing::ValuesIn(usable_isas()), isa_name);

}  // namespace
}  // namespace pleiad::cpu
