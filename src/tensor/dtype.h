#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pleiad {

/// How the values of a tensor are stored. `nvfp4` is the GGUF layout (scales
/// inside the block); `nvfp4_packed` is compressed-tensors' and ModelOpt's
/// layout (nibbles only; scales in a tensor of their own, see HostTensor).
enum class DType : std::uint8_t {
  f32,
  f16,
  bf16,
  f8_e4m3,
  q8_0,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q4_k,
  q5_k,
  q6_k,
  nvfp4,
  nvfp4_packed,
};
inline constexpr int kDTypeCount = static_cast<int>(DType::nvfp4_packed) + 1;

/// A type stores values in blocks of `block_size` consecutive elements of a
/// row; each block takes `block_bytes` bytes.
struct DTypeTraits {
  std::string_view name;
  int block_size;
  int block_bytes;
};

const DTypeTraits& traits(DType type);
inline std::string_view name(DType type) { return traits(type).name; }

/// Each value stands for itself, without a scale.
inline bool is_unquantized(DType type) {
  return type == DType::f32 || type == DType::f16 || type == DType::bf16;
}

/// Bytes of a row of `cols` elements; cols must be a multiple of block_size.
std::size_t row_bytes(DType type, std::size_t cols);

/// "q4_0" -> DType::q4_0
std::optional<DType> dtype_from_name(std::string_view text);

}  // namespace pleiad
