#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tensor/dtype.h"

namespace pleiad::convert {

/// Throws Error that names the tensor and the place of the first value of `bytes` that is
/// NaN or infinite; rows have `cols` values, and `first` of the tensor's values lie before
/// `bytes`. Looks at f32, f16 and bf16 only: bytes of other types pass.
void check_finite(std::string_view tensor, DType type, std::span<const std::byte> bytes,
                  std::int64_t first, std::int64_t cols);

}  // namespace pleiad::convert
