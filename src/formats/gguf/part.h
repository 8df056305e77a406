#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/gguf/metadata.h"
#include "formats/gguf/reader.h"

namespace pleiad::gguf {

/// One file, checked whole; names, values and data are views of its bytes.
struct Part {
  std::uint32_t version = 0;
  Metadata metadata;
  std::vector<TensorInfo> tensors;
};

/// Throws LoadError, which starts with `file`, with all that is wrong.
Part read_part(std::span<const std::byte> bytes, const std::string& file);

}  // namespace pleiad::gguf
