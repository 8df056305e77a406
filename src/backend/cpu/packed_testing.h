#pragma once

#include <algorithm>
#include <cmath>

#include "backend/cpu/activations.h"
#include "backend/cpu/kernels_testing.h"
#include "backend/cpu/packing.h"
#include "base/aligned_buffer.h"

// Products with packed weights as their tests run them.

namespace pleiad::cpu {

/// Which kernel computes: those of rows as words or as bytes, or the matrix unit.
enum class Path : std::uint8_t { words, bytes, tiles };

inline std::string name(Path path) {
  return path == Path::words ? "words" : path == Path::bytes ? "bytes" : "tiles";
}

inline constexpr float kUntouched = 99.0F;

/// Columns of a few odd sizes: the least, some that fill no step, some beyond a
/// chunk of the matrix unit.
inline std::vector<std::int64_t> odd_cols(DType type) {
  const std::int64_t block = traits(type).block_size;
  if (block == 1) return {1, 31, 98, 1025};
  if (block == 16) return {16, 80, 1040};
  if (block == 32) return {32, 96, 1056};
  if (block == 64) return {64, 192, 1088};
  return {256, 768, 1280};
}

/// A packed tensor that can be multiplied with rows of x, [n_x, cols] -> [n_x, rows].
class PackedProduct {
 public:
  PackedProduct(const kernels::Kernels& kernels, const HostTensor& tensor)
      : kernels_(kernels), tensor_(tensor), pool_(1) {
    packed_ = pack(tensor, packed_kind(tensor).value(), arena_, pool_);
  }

  kernels::PackedKind kind() const { return packed_.kind; }

  std::vector<Path> paths() const {
    std::vector<Path> all = {Path::words, Path::bytes};
    const bool plain = kind() == kernels::PackedKind::f32 || kind() == kernels::PackedKind::f16;
    if (kernels_.tile_linear && !plain) all.push_back(Path::tiles);
    return all;
  }

  /// Panels [0, split) and the rest in two calls; rows of `out` are `stride` apart.
  std::vector<float> run(Path path, const std::vector<float>& x, std::int64_t n_x,
                         std::int64_t matrix = 0, std::int64_t split = 0,
                         std::int64_t stride = 0) const {
    if (stride == 0) stride = packed_.rows;
    std::vector<float> out(static_cast<std::size_t>(n_x * stride), kUntouched);
    const Activations activations = prepared(path, x, n_x);
    if (path == Path::tiles) {
      kernels::TileArgs args = {};
      args.kind = kind();
      args.data = packed_.matrix(matrix);
      args.panel_bytes = packed_.panel_bytes;
      args.cols = packed_.padded_cols();
      args.n_rows = packed_.rows;
      args.row_scales = row_scales(matrix);
      args.scale = tensor_.scales.tensor_scale;
      args.x = activations.tiles();
      args.x_chunk_bytes = activations.tile_chunk_bytes();
      args.n_x = n_x;
      args.out = out.data();
      args.out_stride = stride;
      CHECK(n_x <= kernels::kTileMaxRows && packed_.panels <= kernels::kTileMaxPanels);
      AlignedBuffer<std::byte> scratch(static_cast<std::size_t>(kernels::kTileScratch));
      if (split > 0) kernels_.tile_linear(args, 0, split, scratch.data());
      kernels_.tile_linear(args, split, packed_.panels, scratch.data());
      return out;
    }
    kernels::PackedArgs args = packed_args(path, activations, n_x, matrix);
    args.out = out.data();
    args.out_stride = stride;
    const auto* table = path == Path::words ? kernels_.word_linear : kernels_.byte_linear;
    const kernels::PackedLinear linear = table[static_cast<int>(kind())];
    if (split > 0) linear(args, 0, split);
    linear(args, split, packed_.panels);
    return out;
  }

  /// Rows as words: x in vectors, and blocks that hold `batch` instead.
  std::vector<float> run_with_batch(const std::vector<float>& x, const std::vector<float>& batch,
                                    std::int64_t n_x) const {
    std::vector<float> out(static_cast<std::size_t>(n_x * packed_.rows), kUntouched);
    const Activations rows = prepared(Path::words, x, n_x);
    const Activations blocks = prepared(Path::words, batch, n_x);
    kernels::PackedArgs args = packed_args(Path::words, rows, n_x, 0);
    args.batch = integers(Path::words, blocks).batch;
    args.out = out.data();
    args.out_stride = packed_.rows;
    kernels_.word_linear[static_cast<int>(kind())](args, 0, packed_.panels);
    return out;
  }

 private:
  Activations prepared(Path path, const std::vector<float>& x, std::int64_t n_x) const {
    Activations activations(kernels_, n_x);
    activations.reserve(tensor_.cols());
    const Tensor input(const_cast<float*>(x.data()), n_x, tensor_.cols());
    const bool integers = path != Path::tiles && kernels::is_integer(kind());
    const bool superblocks = kernels::has_superblocks(kind());
    Activations::Forms forms;
    forms.tiles = path == Path::tiles;
    forms.words = integers && path == Path::words && !superblocks;
    forms.superblocks = integers && path == Path::words && superblocks;
    const bool sixteens = kernels::has_sixteens(kind());
    forms.bytes = integers && path == Path::bytes && !sixteens;
    forms.sixteens = integers && path == Path::bytes && sixteens;
    forms.floats = !forms.tiles && !integers;
    activations.prepare(input, path == Path::words ? n_x : 0, forms, pool_);
    return activations;
  }

  const float* row_scales(std::int64_t matrix) const {
    const std::vector<float>& all = tensor_.scales.row_scales;
    return all.empty() ? nullptr : all.data() + matrix * packed_.rows;
  }

  Activations::Integers integers(Path path, const Activations& activations) const {
    const bool superblocks = path == Path::words && kernels::has_superblocks(kind());
    return superblocks ? activations.superblocks() : activations.integers();
  }

  kernels::PackedArgs packed_args(Path path, const Activations& activations, std::int64_t n_x,
                                  std::int64_t matrix) const {
    const bool is_integer = kernels::is_integer(kind());
    const Activations::Integers input = integers(path, activations);
    kernels::PackedArgs args = {};
    args.data = packed_.matrix(matrix);
    args.panel_bytes = packed_.panel_bytes;
    args.n_steps = packed_.n_steps;
    args.n_rows = packed_.rows;
    args.row_scales = row_scales(matrix);
    args.scale = tensor_.scales.tensor_scale;
    args.x_cols = activations.padded_cols();
    args.x = is_integer ? input.rows : activations.floats();
    args.batch = input.batch;
    args.x_stride = is_integer ? input.stride : activations.float_stride();
    args.n_x = n_x;
    return args;
  }

  const kernels::Kernels& kernels_;
  HostTensor tensor_;
  HugeArena arena_;
  mutable ThreadPool pool_;
  PackedMatrices packed_;
};

/// The product in double precision, and by how much rounding may change it.
struct Reference {
  std::vector<double> sums;              // [n_x, rows]
  std::vector<double> steps;             // sum of |w| * largest |x| of the group of 32 columns
  std::vector<double> sixteen_steps;     // as steps, of 16
  std::vector<double> superblock_steps;  // as steps, of 256
  std::vector<double> products;          // sum of |w * x|
  std::vector<double> largest;           // sum of largest |w| of the row * |x|

  Reference(const HostTensor& tensor, const std::vector<float>& x, std::int64_t n_x) {
    const std::int64_t cols = tensor.cols();
    std::vector<float> weights(static_cast<std::size_t>(tensor.rows() * cols));
    for (std::int64_t row = 0; row < tensor.rows(); ++row) {
      decode_row(tensor, row, weights.data() + row * cols);
    }
    for (std::int64_t i = 0; i < n_x; ++i) {
      const float* xs = x.data() + i * cols;
      for (std::int64_t row = 0; row < tensor.rows(); ++row) {
        const float* w = weights.data() + row * cols;
        double sum = 0;
        double step = 0;
        double sixteen_step = 0;
        double superblock_x = 0;
        double superblock_w = 0;
        double superblock_step = 0;
        double product = 0;
        double most = 0;
        double x_sum = 0;
        for (std::int64_t first = 0; first < cols; first += 32) {
          double group_x = 0;
          double group_w = 0;
          double sixteen_x = 0;
          double sixteen_w = 0;
          for (std::int64_t k = first; k < std::min(first + 32, cols); ++k) {
            const double value = static_cast<double>(w[k]) * static_cast<double>(xs[k]);
            sum += value;
            product += std::abs(value);
            group_x = std::max(group_x, std::abs(static_cast<double>(xs[k])));
            group_w += std::abs(static_cast<double>(w[k]));
            sixteen_x = std::max(sixteen_x, std::abs(static_cast<double>(xs[k])));
            sixteen_w += std::abs(static_cast<double>(w[k]));
            if (k % 16 == 15) {
              sixteen_step += sixteen_w * sixteen_x;
              sixteen_x = sixteen_w = 0;
            }
            most = std::max(most, std::abs(static_cast<double>(w[k])));
            x_sum += std::abs(static_cast<double>(xs[k]));
          }
          step += group_w * group_x;
          superblock_x = std::max(superblock_x, group_x);
          superblock_w += group_w;
          if ((first + 32) % 256 == 0 || first + 32 >= cols) {
            superblock_step += superblock_w * superblock_x;
            superblock_x = superblock_w = 0;
          }
        }
        sums.push_back(sum);
        steps.push_back(step);
        sixteen_steps.push_back(sixteen_step);
        superblock_steps.push_back(superblock_step);
        products.push_back(product);
        largest.push_back(most * x_sum);
      }
    }
  }

  /// Half a step of the activations, or half a place of bf16 for both factors; and
  /// the rounding of the sums.
  double tolerance(Path path, kernels::PackedKind kind, std::size_t i) const {
    const double rounding = 3e-6 * largest[i] + 1e-30;
    if (path == Path::tiles) return 1.01 / 256 * products[i] + rounding;
    if (!kernels::is_integer(kind)) return rounding;
    if (path == Path::bytes) {
      return (kernels::has_sixteens(kind) ? sixteen_steps : steps)[i] / 2 / 127 * 1.0001 + rounding;
    }
    const bool superblocks = kernels::has_superblocks(kind);
    return (superblocks ? superblock_steps : steps)[i] / 2 / 32512 * 1.0001 + rounding;
  }
};

class PackedKernelsTest : public KernelsTest {};

}  // namespace pleiad::cpu
