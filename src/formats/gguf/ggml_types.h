#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/dtype.h"

namespace pleiad::gguf {

/// What GGUF's number for an element type means.
struct GgmlType {
  std::uint32_t id;
  std::string_view name;  // as its tools write it, in lower case: "iq4_xs"
  std::uint32_t block_size;
  std::uint32_t block_bytes;
  std::optional<DType> dtype;  // empty: known, but we cannot decode it
};

/// Null where the number is not known.
const GgmlType* find_ggml_type(std::uint32_t id);

/// "iq4_xs", or "type 77" where the number is not known.
std::string ggml_type_name(std::uint32_t id);

/// The number of a type of ours; nothing where GGUF has none for it.
std::optional<std::uint32_t> ggml_type_of(DType type);

/// llama.cpp's number, in general.file_type, of a file most of whose tensors are stored as `main`.
std::uint32_t file_type_of(DType main);

}  // namespace pleiad::gguf
