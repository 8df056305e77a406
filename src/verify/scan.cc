#include "verify/scan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "tensor/decode.h"
#include "tensor/float16.h"
#include "tensor/float8.h"
#include "verify/block_codes.h"

namespace pleiad::verify {
namespace {

/// A float type by its bits. Comparing these as integers needs no decoding, and
/// compilers make vectors of it.
template <typename BitsType, BitsType infinity>
struct FloatBits {
  using Bits = BitsType;
  static constexpr Bits kMagnitude = static_cast<Bits>(~(Bits{1} << (sizeof(Bits) * 8 - 1)));
  static constexpr Bits kInfinity = infinity;
};
using F32 = FloatBits<std::uint32_t, 0x7F800000>;
using F16 = FloatBits<std::uint16_t, 0x7C00>;
using Bf16 = FloatBits<std::uint16_t, 0x7F80>;
using E4m3 = FloatBits<std::uint8_t, 0x7F>;  // which is NaN there

/// What all values of a run have in common.
template <typename Format>
struct Run {
  using Bits = typename Format::Bits;
  Bits largest = 0;  // magnitude
  Bits differ = 0;   // bits in which some value differs from the first
};

template <typename Format>
Run<Format> look_at(const typename Format::Bits* values, std::size_t count,
                    typename Format::Bits first) {
  using Bits = typename Format::Bits;
  using Signed = std::make_signed_t<Bits>;
  Signed largest = 0;
  Bits differ = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto magnitude = static_cast<Signed>(values[i] & Format::kMagnitude);
    largest = magnitude > largest ? magnitude : largest;
    differ = static_cast<Bits>(differ | (values[i] ^ first));
  }
  return {static_cast<Bits>(largest), differ};
}

/// Counts what is not finite, where there is something. The largest finite magnitude.
template <typename Format>
typename Format::Bits count_not_finite(const typename Format::Bits* values, std::size_t count,
                                       std::int64_t row, Scan& scan) {
  using Bits = typename Format::Bits;
  constexpr bool has_infinities = !std::is_same_v<Format, E4m3>;
  Bits largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Bits magnitude = values[i] & Format::kMagnitude;
    const Place place = {row, static_cast<std::int64_t>(i)};
    if (magnitude < Format::kInfinity) {
      largest = std::max(largest, magnitude);
    } else if (has_infinities && magnitude == Format::kInfinity) {
      scan.infinite.note(place);
    } else {
      scan.nan.note(place);
    }
  }
  return largest;
}

float value_of(std::uint32_t bits, const F32&) { return std::bit_cast<float>(bits); }
float value_of(std::uint16_t bits, const F16&) { return f32_from_f16(bits); }
float value_of(std::uint16_t bits, const Bf16&) { return f32_from_bf16(bits); }
float value_of(std::uint8_t bits, const E4m3&) { return f32_from_e4m3(bits); }

/// One row of floats, of which `block` belong together.
template <typename Format>
void scan_row(const typename Format::Bits* values, std::size_t cols, std::size_t block,
              std::int64_t row, typename Format::Bits first, Scan& scan) {
  using Bits = typename Format::Bits;
  Bits largest = 0;
  Bits differ = 0;
  Count zero_blocks;
  for (std::size_t at = 0; at < cols; at += block) {
    Run<Format> run = look_at<Format>(values + at, std::min(block, cols - at), first);
    differ = static_cast<Bits>(differ | run.differ);
    if (run.largest == 0) zero_blocks.note({row, static_cast<std::int64_t>(at)});
    largest = std::max(largest, run.largest);
  }
  if (largest >= Format::kInfinity) largest = count_not_finite<Format>(values, cols, row, scan);
  if (zero_blocks.n * block >= cols) {
    scan.zero_rows.note({row, -1});
  } else {
    scan.zero_blocks.add(zero_blocks);
  }
  scan.constant = scan.constant && differ == 0;
  scan.magnitudes.note(value_of(largest, Format()));
  if (value_of(largest, Format()) > scan.largest) {
    scan.largest = value_of(largest, Format());
    scan.largest_at = {row, -1};
  }
  scan.n_values += cols;
}

/// Every row of small tensors, one of sixteen of large ones: enough to see codes that no
/// row uses.
bool marks_codes(const HostTensor& tensor, std::int64_t row) {
  return tensor.rows() < 256 || row % 16 == 0;
}

template <typename Format>
Scan scan_plain(const HostTensor& tensor, std::int64_t first, std::int64_t count) {
  using Bits = typename Format::Bits;
  const auto cols = static_cast<std::size_t>(tensor.cols());
  std::vector<Bits> row_bits(cols);  // the file aligns nothing
  Scan scan;
  Bits first_bits = 0;
  for (std::int64_t row = first; row < first + count; ++row) {
    std::memcpy(row_bits.data(),
                tensor.data.data() + static_cast<std::size_t>(row) * cols * sizeof(Bits),
                cols * sizeof(Bits));
    if (row == first) first_bits = row_bits[0];
    scan_row<Format>(row_bits.data(), cols, cols, row, first_bits, scan);
    if constexpr (std::is_same_v<Format, E4m3>) {
      if (!marks_codes(tensor, row)) continue;
      for (const Bits bits : row_bits) scan.codes[bits & Format::kMagnitude] = true;
    }
  }
  scan.first_value = value_of(first_bits, Format());
  if (tensor.rows() == 1) {  // the row is the last one that was read
    scan.magnitudes = {};
    for (std::size_t col = 0; col < cols; ++col) {
      const auto bits = static_cast<Bits>(row_bits[col] & Format::kMagnitude);
      scan.magnitudes.note(value_of(bits, Format()));
      if (value_of(bits, Format()) == scan.largest && scan.largest_at.col < 0) {
        scan.largest_at.col = static_cast<std::int64_t>(col);
      }
    }
  }
  return scan;
}

template <typename Block>
Scan scan_blocks(const HostTensor& tensor, std::int64_t first, std::int64_t count) {
  const auto cols = static_cast<std::size_t>(tensor.cols());
  std::vector<float> values(cols);
  std::vector<std::uint32_t> bits(cols);
  Scan scan;
  for (std::int64_t row = first; row < first + count; ++row) {
    const std::byte* data =
        tensor.data.data() + static_cast<std::size_t>(row) * tensor.bytes_per_row();
    const bool marks = marks_codes(tensor, row);
    for (std::size_t at = 0; at < cols; at += Block::kSize, data += sizeof(Block)) {
      Block block;
      std::memcpy(&block, data, sizeof block);
      if (marks) mark(block, scan.codes);
      if (!has_good_scales(block)) scan.bad_scales.note({row, static_cast<std::int64_t>(at)});
      decode_blocks(tensor.dtype, data, Block::kSize, values.data() + at);
    }
    std::memcpy(bits.data(), values.data(), cols * sizeof(float));
    if (row == first) scan.first_value = values[0];
    scan_row<F32>(bits.data(), cols, Block::kSize, row,
                  std::bit_cast<std::uint32_t>(scan.first_value), scan);
  }
  return scan;
}

}  // namespace

void Scan::add(const Scan& later) {
  if (n_values == 0) {
    *this = later;
    return;
  }
  n_values += later.n_values;
  nan.add(later.nan);
  infinite.add(later.infinite);
  bad_scales.add(later.bad_scales);
  zero_rows.add(later.zero_rows);
  zero_blocks.add(later.zero_blocks);
  if (later.largest > largest) {
    largest = later.largest;
    largest_at = later.largest_at;
  }
  magnitudes.add(later.magnitudes);
  constant = constant && later.constant && first_value == later.first_value;
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = codes[i] || later.codes[i];
}

int code_count(DType type) {
  switch (type) {
    case DType::f32:
    case DType::f16:
    case DType::bf16:
      return 0;
    case DType::f8_e4m3:
      return 127;
    case DType::q8_0:
      return 256;
    case DType::q4_0:
    case DType::q4_1:
    case DType::q4_k:
      return 16;
    case DType::q5_0:
    case DType::q5_1:
    case DType::q5_k:
      return 32;
    case DType::q6_k:
      return 64;
    case DType::nvfp4:
    case DType::nvfp4_packed:
      return 8;
  }
  CHECK(false, "dtype {}", static_cast<int>(type));
  return 0;
}

Scan scan_rows(const HostTensor& tensor, std::int64_t first, std::int64_t count) {
  if (count == 0 || tensor.cols() == 0) return {};
  switch (tensor.dtype) {
    case DType::f32:
      return scan_plain<F32>(tensor, first, count);
    case DType::f16:
      return scan_plain<F16>(tensor, first, count);
    case DType::bf16:
      return scan_plain<Bf16>(tensor, first, count);
    case DType::f8_e4m3:
      return scan_plain<E4m3>(tensor, first, count);
    case DType::q8_0:
      return scan_blocks<blocks::Q8_0>(tensor, first, count);
    case DType::q4_0:
      return scan_blocks<blocks::Q4_0>(tensor, first, count);
    case DType::q4_1:
      return scan_blocks<blocks::Q4_1>(tensor, first, count);
    case DType::q5_0:
      return scan_blocks<blocks::Q5_0>(tensor, first, count);
    case DType::q5_1:
      return scan_blocks<blocks::Q5_1>(tensor, first, count);
    case DType::q4_k:
      return scan_blocks<blocks::Q4_K>(tensor, first, count);
    case DType::q5_k:
      return scan_blocks<blocks::Q5_K>(tensor, first, count);
    case DType::q6_k:
      return scan_blocks<blocks::Q6_K>(tensor, first, count);
    case DType::nvfp4:
      return scan_blocks<blocks::NvFp4>(tensor, first, count);
    case DType::nvfp4_packed:
      return scan_blocks<blocks::NvFp4Packed>(tensor, first, count);
  }
  CHECK(false, "dtype {}", static_cast<int>(tensor.dtype));
  return {};
}

ScaleScan scan_scales(const HostTensor& tensor) {
  ScaleScan scan;
  std::vector<float> values(static_cast<std::size_t>(tensor.cols()));
  for (std::int64_t row = 0; row < tensor.rows(); ++row) {
    decode_blocks(tensor.dtype,
                  tensor.data.data() + static_cast<std::size_t>(row) * tensor.bytes_per_row(),
                  values.size(), values.data());
    for (std::size_t col = 0; col < values.size(); ++col) {
      const Place place = {row, static_cast<std::int64_t>(col)};
      if (std::isnan(values[col])) {
        scan.nan.note(place);
      } else if (std::isinf(values[col])) {
        scan.infinite.note(place);
      } else if (std::signbit(values[col])) {
        scan.negative.note(place);
      } else if (values[col] == 0) {
        scan.zero.note(place);
      } else {
        scan.magnitudes.note(values[col]);
        if (values[col] > scan.largest) {
          scan.largest = values[col];
          scan.largest_at = place;
        }
      }
    }
  }
  return scan;
}

}  // namespace pleiad::verify
