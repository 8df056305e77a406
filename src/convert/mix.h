#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/gemma4/config.h"
#include "model/gemma4/tensor_table.h"
#include "tensor/dtype.h"

namespace pleiad::convert {

/// What a model is written as: a mix of stored types under one name. as_is keeps
/// every tensor's type; the last three are Hugging Face folders, the others GGUF.
enum class FileType : std::uint8_t {
  as_is,
  bf16,
  f16,
  q8_0,
  q6_k,
  q5_k,
  q4_k_m,
  q4_k_s,
  q4_0,
  nvfp4,
  nvfp4a16,
  fp8,
  fp8_dynamic,
};

enum class Container : std::uint8_t { gguf, folder };

/// Where the type is written; as_is may be either and has none.
std::optional<Container> container_of(FileType type);

/// "q4_k_m"
std::string_view name(FileType type);
/// All but as_is: "bf16, f16, q8_0, ...", for help and messages.
std::string known_file_types();
/// Throws Error that lists the types. as_is has no name to ask for it by.
FileType parse_file_type(std::string_view text);

/// Tensors that are stored alike.
enum class TensorClass : std::uint8_t {
  attention,       // q, k, v, o
  ffn,             // the dense gate, up and down
  experts,         // the same of experts
  router,          // which experts a token goes to
  head,            // the output projection; where it is tied, the token embedding
  embedding,       // the token embedding beside a head of its own
  ple_table,       // per-layer embeddings, of which a token reads one row
  ple_projection,  // the projection of per-layer inputs, and each layer's gate and projection
  norm,            // norms and scales
};
inline constexpr int kTensorClassCount = static_cast<int>(TensorClass::norm) + 1;

/// "attention", "ple", "ple_proj", as in --keep
std::string_view name(TensorClass tensor_class);

/// Of TensorSpec::name. CHECKs that it is one of the table's.
TensorClass class_of(const gemma4::Config& config, std::string_view tensor);

/// Which types a file gets: those of `type`, but for the classes in `keep`.
struct Mix {
  FileType type = FileType::q4_k_m;
  std::map<TensorClass, DType> keep = {};
};

/// Adds "ple=q8_0" to mix.keep. Throws Error: no such class, no such type, a class
/// that cannot be chosen (norm, router), a type that the container does not have.
void add_keep(Mix& mix, std::string_view text);

/// One tensor of the file to be.
struct PlannedTensor {
  gemma4::TensorSpec spec;
  TensorClass tensor_class = TensorClass::norm;
  DType type = DType::f32;
  /// Set where the columns are no multiple of the block of the type that the mix
  /// asks for, and `type` is the next best.
  std::optional<DType> wanted;

  std::int64_t n_elements() const;
  /// Of the data and of the scales that lie beside it (nvfp4, nvfp4_packed, f8_e4m3).
  std::uint64_t bytes(FileType file_type) const;
};

/// The stored type of every tensor of the table, in its order. `source_types` is
/// by place in the table; empty: all bf16. It decides as_is, and what stays
/// unquantized in a folder.
std::vector<PlannedTensor> plan(const Mix& mix, const gemma4::Config& config,
                                std::span<const gemma4::TensorSpec> table,
                                std::span<const DType> source_types = {});

/// Bytes of all tensors; the file adds its metadata, most of it the tokenizer
/// (about 16 MB for Gemma 4 as GGUF, 32 MB as a folder).
std::uint64_t total_bytes(std::span<const PlannedTensor> planned, FileType type);

}  // namespace pleiad::convert
