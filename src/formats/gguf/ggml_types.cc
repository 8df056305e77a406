#include "formats/gguf/ggml_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pleiad::gguf {
namespace {

constexpr std::array kGgmlTypes = {
    GgmlType{0, "f32", 1, 4, DType::f32},           GgmlType{1, "f16", 1, 2, DType::f16},
    GgmlType{2, "q4_0", 32, 18, DType::q4_0},       GgmlType{3, "q4_1", 32, 20, DType::q4_1},
    GgmlType{6, "q5_0", 32, 22, DType::q5_0},       GgmlType{7, "q5_1", 32, 24, DType::q5_1},
    GgmlType{8, "q8_0", 32, 34, DType::q8_0},       GgmlType{9, "q8_1", 32, 40, std::nullopt},
    GgmlType{10, "q2_k", 256, 84, std::nullopt},    GgmlType{11, "q3_k", 256, 110, std::nullopt},
    GgmlType{12, "q4_k", 256, 144, DType::q4_k},    GgmlType{13, "q5_k", 256, 176, DType::q5_k},
    GgmlType{14, "q6_k", 256, 210, DType::q6_k},    GgmlType{15, "q8_k", 256, 292, std::nullopt},
    GgmlType{16, "iq2_xxs", 256, 66, std::nullopt}, GgmlType{17, "iq2_xs", 256, 74, std::nullopt},
    GgmlType{18, "iq3_xxs", 256, 98, std::nullopt}, GgmlType{19, "iq1_s", 256, 50, std::nullopt},
    GgmlType{20, "iq4_nl", 32, 18, std::nullopt},   GgmlType{21, "iq3_s", 256, 110, std::nullopt},
    GgmlType{22, "iq2_s", 256, 82, std::nullopt},   GgmlType{23, "iq4_xs", 256, 136, std::nullopt},
    GgmlType{24, "i8", 1, 1, std::nullopt},         GgmlType{25, "i16", 1, 2, std::nullopt},
    GgmlType{26, "i32", 1, 4, std::nullopt},        GgmlType{27, "i64", 1, 8, std::nullopt},
    GgmlType{28, "f64", 1, 8, std::nullopt},        GgmlType{29, "iq1_m", 256, 56, std::nullopt},
    GgmlType{30, "bf16", 1, 2, DType::bf16},        GgmlType{34, "tq1_0", 256, 54, std::nullopt},
    GgmlType{35, "tq2_0", 256, 66, std::nullopt},   GgmlType{39, "mxfp4", 32, 17, std::nullopt},
    GgmlType{40, "nvfp4", 64, 36, DType::nvfp4},    GgmlType{41, "q1_0", 128, 18, std::nullopt},
};

}  // namespace

const GgmlType* find_ggml_type(std::uint32_t id) {
  const auto* found = std::ranges::find(kGgmlTypes, id, &GgmlType::id);
  return found == kGgmlTypes.end() ? nullptr : found;
}

std::string ggml_type_name(std::uint32_t id) {
  const GgmlType* type = find_ggml_type(id);
  return type != nullptr ? std::string(type->name) : fmt::format("type {}", id);
}

std::optional<std::uint32_t> ggml_type_of(DType type) {
  const auto* found = std::ranges::find(kGgmlTypes, std::optional<DType>(type), &GgmlType::dtype);
  if (found == kGgmlTypes.end()) return std::nullopt;
  return found->id;
}

std::uint32_t file_type_of(DType main) {
  switch (main) {
    case DType::f16:
      return 1;
    case DType::q4_0:
      return 2;
    case DType::q4_1:
      return 3;
    case DType::q8_0:
      return 7;
    case DType::q5_0:
      return 8;
    case DType::q5_1:
      return 9;
    case DType::q4_k:
      return 15;
    case DType::q5_k:
      return 17;
    case DType::q6_k:
      return 18;
    case DType::bf16:
      return 32;
    case DType::nvfp4:
    case DType::nvfp4_packed:
      return 39;
    case DType::f32:
    case DType::f8_e4m3:
      break;
  }
  return 0;
}

}  // namespace pleiad::gguf
