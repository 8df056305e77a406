#include "formats/safetensors/element_type.h"

#include <algorithm>
#include <array>

namespace pleiad::safetensors {
namespace {

constexpr std::array kTypes = {
    ElementType{"F64", 64, std::nullopt},      ElementType{"F32", 32, DType::f32},
    ElementType{"F16", 16, DType::f16},        ElementType{"BF16", 16, DType::bf16},
    ElementType{"F8_E4M3", 8, DType::f8_e4m3}, ElementType{"F8_E5M2", 8, std::nullopt},
    ElementType{"F8_E8M0", 8, std::nullopt},   ElementType{"F6_E2M3", 6, std::nullopt},
    ElementType{"F6_E3M2", 6, std::nullopt},   ElementType{"F4", 4, std::nullopt},
    ElementType{"I64", 64, std::nullopt},      ElementType{"I32", 32, std::nullopt},
    ElementType{"I16", 16, std::nullopt},      ElementType{"I8", 8, std::nullopt},
    ElementType{"U64", 64, std::nullopt},      ElementType{"U32", 32, std::nullopt},
    ElementType{"U16", 16, std::nullopt},      ElementType{"U8", 8, std::nullopt},
    ElementType{"BOOL", 8, std::nullopt},      ElementType{"C64", 64, std::nullopt},
};

}  // namespace

const ElementType* find_element_type(std::string_view name) {
  const auto* found = std::ranges::find(kTypes, name, &ElementType::name);
  return found == kTypes.end() ? nullptr : found;
}

}  // namespace pleiad::safetensors
