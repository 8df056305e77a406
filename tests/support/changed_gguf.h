#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/gguf/reader.h"
#include "tensor/dtype.h"

namespace pleiad::testing_support {

struct StoredTensor {
  std::string name;
  DType type = DType::f32;
  Shape shape;
  std::vector<std::byte> data;
};

/// The tensor of a GGUF file as it is.
StoredTensor stored(const gguf::TensorInfo& tensor);

/// The same as f32, its rows rounded.
using RoundRow = std::function<std::vector<float>(const std::vector<float>&)>;
StoredTensor rounded(const gguf::TensorInfo& tensor, const RoundRow& round);

/// Writes what `change` makes of each tensor, and the source's metadata.
void write_changed_gguf(
    const std::filesystem::path& source, const std::filesystem::path& target,
    const std::function<std::vector<StoredTensor>(const gguf::TensorInfo&)>& change);

}  // namespace pleiad::testing_support
