#include "pull/known_models.h"

#include <algorithm>
#include <array>

#include "store/model_name.h"

namespace pleiad::pull {
namespace {

constexpr auto kModels = std::to_array<KnownModel>({
    {"gemma4:e2b-it-qat", "e2b", "q4_0", "trained for its type"},
    {"gemma4:e2b", "e2b", "q4_k_m", ""},
    {"gemma4:e2b-it-q4_K_M", "e2b", "q4_k_m", "the same as gemma4:e2b"},
    {"gemma4:e2b-it-q8_0", "e2b", "q8_0", ""},
    {"gemma4:e2b-it-bf16", "e2b", "bf16", ""},
    {"gemma4:e4b-it-qat", "e4b", "q4_0", "trained for its type"},
    {"gemma4:e4b", "e4b", "q4_k_m", ""},
    {"gemma4:latest", "e4b", "q4_k_m", "the same as gemma4:e4b"},
    {"gemma4:e4b-it-q4_K_M", "e4b", "q4_k_m", "the same as gemma4:e4b"},
    {"gemma4:e4b-it-q8_0", "e4b", "q8_0", ""},
    {"gemma4:e4b-it-bf16", "e4b", "bf16", ""},
    {"gemma4:12b-it-qat", "12b", "q4_0", "trained for its type"},
    {"gemma4:12b", "12b", "q4_k_m", ""},
    {"gemma4:12b-it-q4_K_M", "12b", "q4_k_m", "the same as gemma4:12b"},
    {"gemma4:12b-it-q8_0", "12b", "q8_0", ""},
    {"gemma4:26b-a4b-it-qat", "26b-a4b", "q4_0", "trained for its type"},
    {"gemma4:26b", "26b-a4b", "q4_k_m", ""},
    {"gemma4:26b-a4b-it-q4_K_M", "26b-a4b", "q4_k_m", "the same as gemma4:26b"},
    {"gemma4:26b-a4b-it-q8_0", "26b-a4b", "q8_0", ""},
    {"gemma4:31b-it-qat", "31b", "q4_0", "trained for its type"},
    {"gemma4:31b", "31b", "q4_k_m", ""},
    {"gemma4:31b-it-q4_K_M", "31b", "q4_k_m", "the same as gemma4:31b"},
    {"gemma4:31b-it-q8_0", "31b", "q8_0", ""},
    {"gemma4:31b-it-bf16", "31b", "bf16", ""},
});

}  // namespace

std::span<const KnownModel> known_models() { return kModels; }

const KnownModel* find_known_model(std::string_view name) {
  const auto found = std::ranges::find_if(
      kModels, [&](const KnownModel& model) { return store::same_name(model.name, name); });
  return found == kModels.end() ? nullptr : &*found;
}

}  // namespace pleiad::pull
