#include "convert/folder_tensor.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/check.h"

namespace pleiad::convert {
namespace {

std::string type_name(DType type) {
  switch (type) {
    case DType::f32:
      return "F32";
    case DType::f16:
      return "F16";
    case DType::bf16:
      return "BF16";
    case DType::f8_e4m3:
      return "F8_E4M3";
    case DType::nvfp4_packed:
      return "U8";
    default:
      break;
  }
  CHECK(false, "a folder has no type {}", name(type));
  return "";
}

}  // namespace

std::uint64_t FolderTensor::source_bytes() const {
  std::uint64_t bytes = copied.size();
  for (const HostTensor& part : parts) bytes += part.data.size();
  return bytes;
}

std::vector<safetensors::NewTensor> FolderTensor::stored(bool row_scales) const {
  if (is_copied()) return {{name, copied_type, copied_shape}};
  const Shape& shape = planned.spec.shape;
  if (planned.type == DType::nvfp4_packed) {
    return {{name + "_packed", "U8", {shape[0], shape[1] / 2}},
            {name + "_scale", "F8_E4M3", {shape[0], shape[1] / 16}},
            {name + "_global_scale", "F32", {1}}};
  }
  if (planned.type == DType::f8_e4m3) {
    return {{name, "F8_E4M3", shape},
            {name + "_scale", "F32", row_scales ? Shape{shape[0], 1} : Shape{1}}};
  }
  return {{name, type_name(planned.type), shape}};
}

FolderTensor copied_tensor(const StoredTensor& stored) {
  FolderTensor tensor;
  tensor.name = stored.file_name;
  tensor.copied_type = stored.type;
  tensor.copied_shape = stored.shape;
  if (stored.dtype == DType::nvfp4_packed) tensor.copied_shape[1] /= 2;
  tensor.copied = stored.data;
  return tensor;
}

std::string fused_group(std::string_view tensor) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEnds = {{
      {".attention.q_proj", ".qkv"},
      {".attention.k_proj", ".qkv"},
      {".attention.v_proj", ".qkv"},
      {".ffn.gate_proj", ".gate_up"},
      {".ffn.up_proj", ".gate_up"},
  }};
  for (const auto& [end, group] : kEnds) {
    if (tensor.ends_with(end)) {
      return fmt::format("{}{}", tensor.substr(0, tensor.size() - end.size()), group);
    }
  }
  return {};
}

}  // namespace pleiad::convert
