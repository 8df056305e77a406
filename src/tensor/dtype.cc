#include "tensor/dtype.h"

#include <array>

#include "base/check.h"

namespace pleiad {
namespace {

// In the order of the enum.
constexpr std::array<DTypeTraits, kDTypeCount> kTraits = {{
    {"f32", 1, 4},
    {"f16", 1, 2},
    {"bf16", 1, 2},
    {"f8_e4m3", 1, 1},
    {"q8_0", 32, 34},
    {"q4_0", 32, 18},
    {"q4_1", 32, 20},
    {"q5_0", 32, 22},
    {"q5_1", 32, 24},
    {"q4_k", 256, 144},
    {"q5_k", 256, 176},
    {"q6_k", 256, 210},
    {"nvfp4", 64, 36},
    {"nvfp4_packed", 16, 8},
}};

}  // namespace

const DTypeTraits& traits(DType type) {
  const auto index = static_cast<std::size_t>(type);
  CHECK(index < kTraits.size(), "dtype {}", index);
  return kTraits[index];
}

std::size_t row_bytes(DType type, std::size_t cols) {
  const DTypeTraits& t = traits(type);
  const auto block_size = static_cast<std::size_t>(t.block_size);
  CHECK(cols % block_size == 0, "{} columns in blocks of {} ({})", cols, block_size, t.name);
  return cols / block_size * static_cast<std::size_t>(t.block_bytes);
}

std::optional<DType> dtype_from_name(std::string_view text) {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (kTraits[i].name == text) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace pleiad
