#pragma once

#include <span>
#include <string_view>

namespace pleiad::pull {

/// A name of the family in Ollama's library.
struct KnownModel {
  std::string_view name;    // "gemma4:e2b-it-q8_0"
  std::string_view member;  // "e2b", "e4b", "12b", "26b-a4b", "31b"
  std::string_view type;    // what most of its weights are stored as: "q4_k_m"
  std::string_view about;   // "the same as gemma4:e4b"; empty: nothing to add
};

/// Those whose files are GGUF, by size; of November 2026. What a name means there can change, and
/// others may have come: what is offered counts, and this list names what one may ask for.
std::span<const KnownModel> known_models();

/// The one that a name ("gemma4:e2b") means, in any case of letters; null where it is none.
const KnownModel* find_known_model(std::string_view name);

}  // namespace pleiad::pull
