#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tensor/dtype.h"

namespace pleiad::safetensors {

/// An element type of the safetensors format.
struct ElementType {
  std::string_view name;  // "BF16"
  std::uint32_t bits;
  std::optional<DType> dtype;  // empty: known, but we cannot decode it by itself
};

/// Null where the name is not known.
const ElementType* find_element_type(std::string_view name);

}  // namespace pleiad::safetensors
