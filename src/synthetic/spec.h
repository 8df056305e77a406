#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/gemma4/family.h"
#include "tensor/dtype.h"

namespace pleiad::synthetic {

/// Which model a synthetic file looks like, and how its matrices are stored.
/// Norms are F32, as in every GGUF file, and the projection of per-layer inputs
/// is BF16 (F16 in F16 files).
struct Spec {
  const gemma4::FamilyMember* model = gemma4::find_member("e2b");  // never null
  DType type = DType::q4_0;                                        // attention and feed-forward
  DType head = DType::q6_k;             // token embedding, which is the head too
  DType per_layer_table = DType::q8_0;  // per-layer embeddings
  DType per_layer_gates = DType::q8_0;  // each layer's gate and projection of its input
  std::uint64_t seed = 1;               // same seed, same bytes
  int n_layers = 0;                     // only the first so many; 0: all
};

/// "e2b, e4b, 12b, 26b-a4b, 31b"
std::string known_models();

/// "e4b" and "q4_0" -> a Spec with the types that files of that name have for
/// the rest. Throws Error that says which models or types there are.
Spec make_spec(std::string_view model, std::string_view type);

/// The same from one word, "e4b:q4_0".
Spec parse_spec(std::string_view text);

/// The type of a flag's value; `field` names it in the Error.
DType parse_type(std::string_view text, std::string_view field);

/// "e4b:q4_0"
std::string to_string(const Spec& spec);

/// "bf16, f16, q8_0, ..."
std::string known_types();

}  // namespace pleiad::synthetic
