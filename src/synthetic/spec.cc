#include "synthetic/spec.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::synthetic {
namespace {

// F32 is left out: nobody keeps 18 GB where BF16 says the same.
constexpr std::array kTypes = {DType::bf16, DType::f16,  DType::q8_0, DType::q4_0,
                               DType::q4_k, DType::q5_k, DType::q6_k, DType::nvfp4};

/// What the other matrices of a file have that is named after `type`.
void set_other_types(Spec& spec) {
  switch (spec.type) {
    case DType::nvfp4:  // only the layers' matrices; the rest stays as it was trained
      spec.head = spec.per_layer_table = spec.per_layer_gates = DType::bf16;
      return;
    case DType::bf16:
    case DType::f16:
    case DType::q8_0:
      spec.head = spec.per_layer_table = spec.per_layer_gates = spec.type;
      return;
    default:
      spec.head = DType::q6_k;
      spec.per_layer_table = spec.per_layer_gates = DType::q8_0;
  }
}

}  // namespace

std::string known_models() {
  std::vector<std::string_view> keys;
  for (const gemma4::FamilyMember& member : gemma4::family()) keys.push_back(member.key);
  return fmt::format("{}", fmt::join(keys, ", "));
}

std::string known_types() {
  std::vector<std::string_view> names;
  for (const DType type : kTypes) names.push_back(name(type));
  return fmt::format("{}", fmt::join(names, ", "));
}

DType parse_type(std::string_view text, std::string_view field) {
  const auto type = dtype_from_name(text);
  if (!type || std::ranges::find(kTypes, *type) == kTypes.end()) {
    throw Error("{}: expected one of {}, found '{}'", field, known_types(), printable(text));
  }
  return *type;
}

Spec make_spec(std::string_view model, std::string_view type) {
  const gemma4::FamilyMember* found = gemma4::find_member(model);
  if (found == nullptr) {
    throw Error("model: expected one of {}, found '{}'", known_models(), printable(model));
  }
  Spec spec;
  spec.model = found;
  spec.type = parse_type(type, "type");
  set_other_types(spec);
  return spec;
}

Spec parse_spec(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    throw Error("expected MODEL:TYPE as in e4b:q4_0 (models: {}; types: {}), found '{}'",
                known_models(), known_types(), printable(text));
  }
  return make_spec(text.substr(0, colon), text.substr(colon + 1));
}

std::string to_string(const Spec& spec) {
  return fmt::format("{}:{}", spec.model->key, name(spec.type));
}

}  // namespace pleiad::synthetic
